import { expect, test } from 'vitest';
import { checksum } from '../../src/base/checksum.ts';
import { shortPrint } from '../../src/base/fingerprint.ts';

test.each([
  ['', '811c9dc5'],
  ['a', 'e40c292c'],
  ['foobar', 'bf9cf968'],
])('G5: what journals keep of "%s" stays the same from version to version', (text, print) => {
  expect(shortPrint(text)).toBe(print);
});

test('R 1.4: the checksum of a line stays the same from version to version', () => {
  expect(checksum('{"type":"end"}')).toBe('93d5764e0d5eab7d');
});
