import { expect, test } from 'vitest';
import { canonicalShortUrl } from '../../src/link/short-url.ts';

test('a host has no case, and all the rest has', () => {
  expect(canonicalShortUrl('S.Ex/aB')).toBe('s.ex/aB');
  expect(canonicalShortUrl('aB')).toBe('aB');
});
