import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { checksum, sha256 } from '../../src/base/checksum.ts';

test('our SHA-256 is that of Node, for every length around a block and for every kind of character', () => {
  for (const text of ['a', 'é', '語', '👩‍👩‍👧', '\ud800']) {
    for (let length = 0; length <= 200; length += 1) {
      const repeated = text.repeat(length);
      expect(sha256(repeated)).toBe(hash('sha256', repeated));
    }
  }
});

test('a checksum is the same for the first text of a command as for those after many', () => {
  const texts = Array.from({ length: 300 }, (_, nth) => `line ${nth}`.repeat(10));
  expect(texts.map(checksum)).toEqual(texts.map((text) => hash('sha256', text).slice(0, 16)));
  expect(checksum('line 0'.repeat(10))).toBe(hash('sha256', 'line 0'.repeat(10)).slice(0, 16));
});
