import { expect, test } from 'vitest';
import { checksum } from '../../src/base/checksum.ts';
import { shortPrint, tinyPrint } from '../../src/base/fingerprint.ts';

test.each([
  ['', '811c9dc5', 'a2ptn'],
  ['a', 'e40c292c', 'hsnrm'],
  ['foobar', 'bf9cf968', 'eyaya'],
])('G5: what journals keep of "%s" stays the same from version to version', (text, print, tiny) => {
  expect(shortPrint(text)).toBe(print);
  expect(tinyPrint(text)).toBe(tiny);
});

test('R 1.4: the checksum of a line stays the same from version to version', () => {
  expect(checksum('{"type":"end"}')).toBe('93d5764e0d5eab7d');
});
