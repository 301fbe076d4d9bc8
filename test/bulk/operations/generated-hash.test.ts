import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashAssigner } from '../../../src/bulk/operations/made-hashes.ts';
import type { ShortenItem } from '../../../src/contract/operations.ts';

test('R 1.2: 12 symbols of an unambiguous lower-case alphabet, each as often as any other, never twice', () => {
  const assign = hashAssigner({ generateHashes: true }, { randomBytes });
  const hashes = Array.from({ length: 20_000 }, () => assign<ShortenItem>({ long_url: 'https://x.example' }).custom_hash);
  expect(new Set(hashes).size).toBe(hashes.length);
  expect(hashes.every((hash) => /^[2-9a-hj-km-np-z]{12}$/.test(`${hash}`))).toBe(true);
  const counts = new Map<string, number>();
  for (const symbol of hashes.join('')) counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  expect(counts.size).toBe(31);
  const expected = (hashes.length * 12) / 31;
  for (const count of counts.values()) expect(Math.abs(count - expected) / expected).toBeLessThan(0.08);
});
