import { expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { addressOf, requestFor } from '../../src/client/call/requests.ts';
import { CallError, type Fault } from '../../src/client/call-error.ts';
import { batchSizeOf, type GroupSize, inGroups } from '../../src/client/groups.ts';
import type { Edition } from '../../src/contract/editions.ts';
import type { LinkKey } from '../../src/contract/link.ts';
import { collect } from './collect.ts';

const groupSize = (edition: Edition, batch_size?: number): GroupSize => ({
  items: batchSizeOf({ edition, defaults: { batch_size } }),
});

const targets = (count: number, length = 5, domain?: string): LinkKey[] =>
  Array.from({ length: count }, (_, i) => ({ hash: i.toString(36).padStart(length, '0'), domain }));

function refusal(fault: Partial<Fault>): CallError {
  const all: Fault = { outcome: 'rejected', kind: 'limit', message: 'too large', retry: 'never', ...fault };
  return new CallError(all, { attempts: 1, gaveUp: 'not retryable' });
}

test.each([
  ['a', undefined, 1000],
  ['b', undefined, 500],
  ['a', 37, 37],
] as const)('B85: edition %s with batch_size %s puts at most %i items into a group', async (edition, batchSize, bound) => {
  const groups = await collect(inGroups(targets(2000, 1), groupSize(edition, batchSize), async ({ hashes }) => hashes.length));
  expect(Math.max(...groups.map(({ result }) => result))).toBeLessThanOrEqual(bound);
  expect(groups.flatMap(({ group }) => group.hashes)).toEqual(targets(2000, 1).map(({ hash }) => hash));
});

test.each([
  ['a', undefined, undefined, 1000],
  ['b', undefined, undefined, 500],
  ['b', 1000, undefined, 500],
  ['b', null, 20, 20],
  ['a', 300, 200, 200],
  ['a', 100, 1000, 1000],
] as const)('D15: edition %s, profile %s, flag %s: %i items in one call', (edition, batch_size, flag, items) => {
  expect(batchSizeOf({ edition, defaults: { batch_size } }, flag)).toBe(items);
});

test('D15: a flag above the bound of the edition is refused', () => {
  expect(() => batchSizeOf({ edition: 'b', defaults: {} }, 501)).toThrow(UsageError);
});

test.each([5, 12, 25])('R-14: 10,000 hashes of %i characters make no address above 6,000 bytes', async (length) => {
  const lengths = await collect(
    inGroups(targets(10_000, length, 'links.example.com'), groupSize('a'), async ({ joined, domain }) => {
      const request = requestFor('listUrls', { query: { hashes: joined, ...(domain && { domain }), limit: 1000 } }, 'a');
      return `https://api.example.com/api/3${addressOf(request)}`.length;
    }),
  );
  expect(Math.max(...lengths.map(({ result }) => result))).toBeLessThanOrEqual(6000);
  expect(lengths.reduce((sum, { group }) => sum + group.hashes.length, 0)).toBe(10_000);
});

test('a hash that is longer than an address may be goes alone', async () => {
  const long = { hash: 'ü'.repeat(3000) };
  const groups = await collect(inGroups([{ hash: 'a' }, long, { hash: 'b' }], groupSize('a'), async () => 0));
  expect(groups.map(({ group }) => group.hashes.length)).toEqual([1, 1, 1]);
});

test('4.1.7: hashes of different domains never share a call', async () => {
  const mixed = [{ hash: 'a', domain: 's.ex' }, { hash: 'b', domain: 't.ex' }, { hash: 'c', domain: 's.ex' }, { hash: 'd' }];
  const groups = await collect(inGroups(mixed, groupSize('a'), async () => 0));
  expect(groups.map(({ group }) => [group.domain, group.joined])).toEqual([
    ['s.ex', 'a,c'],
    ['t.ex', 'b'],
    [undefined, 'd'],
  ]);
});

test.each([
  ['1221', { apiCode: 1221 }],
  ['1310', { apiCode: 1310 }],
  ['413', { status: 413 }],
  ['414', { status: 414 }],
])('B86, R-13, D14: after %s groups shrink, nothing is done twice, and the size is remembered', async (_what, fault) => {
  const size = groupSize('b');
  const done: string[] = [];
  let refused = 0;
  const work = async ({ hashes }: { hashes: readonly string[] }) => {
    if (hashes.length > 37) {
      refused += 1;
      throw refusal(fault);
    }
    done.push(...hashes);
  };
  await collect(inGroups(targets(1000, 2), size, work));
  expect(done).toEqual(targets(1000, 2).map(({ hash }) => hash));
  expect(size.items).toBe(31);
  expect(refused).toBe(4);
});

test.each([
  ['one item that is too large', [{ hash: 'a' }], refusal({ apiCode: 1310 })],
  ['another refusal', targets(5), refusal({ apiCode: 1303 })],
  ['a group in doubt', targets(5), refusal({ status: 413, outcome: 'ambiguous' })],
])('B86: %s is not split', async (_what, all, error) => {
  let calls = 0;
  const work = async () => {
    calls += 1;
    throw error;
  };
  await expect(collect(inGroups(all, groupSize('a'), work))).rejects.toBe(error);
  expect(calls).toBe(1);
});
