import { expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { batchSizeOf, fittingHashes } from '../../src/client/batch-limits.ts';
import { addressOf, requestFor } from '../../src/client/call/api-request.ts';
import { CallError, type Fault } from '../../src/client/call-error.ts';
import type { Send } from '../../src/client/client-options.ts';
import { namedUrls } from '../../src/client/named-urls.ts';
import type { LinkKey } from '../../src/contract/link.ts';
import { collect } from './collect.ts';

interface Query {
  readonly hashes: string;
  readonly domain?: string;
  readonly limit: number;
}

/** A server whose answers are the hashes that `answer` gives for those of a call, and the calls that were made. */
function serverOf(answer: (hashes: readonly string[]) => readonly string[]) {
  const calls: Query[] = [];
  const send = async (_operation: string, { query }: { query: Query }) => {
    calls.push(query);
    return { urls: answer(query.hashes.split(',')).map((hash) => ({ hash })) };
  };
  return { calls, client: { send: send as unknown as Send } };
}

const targets = (count: number, length = 5, domain?: string): LinkKey[] =>
  Array.from({ length: count }, (_, i) => ({ hash: i.toString(36).padStart(length, '0'), domain }));

async function found(client: { send: Send }, named: readonly LinkKey[], batchSize = 1000): Promise<string[]> {
  const urls = await collect(namedUrls(client, named, batchSize));
  expect(urls.map(({ target }) => target)).toEqual(named);
  return urls.flatMap(({ record }) => (record ? [record.hash] : []));
}

function refusal(fault: Partial<Fault>): CallError {
  const all: Fault = { outcome: 'rejected', kind: 'limit', message: 'too large', retry: 'never', ...fault };
  return new CallError(all, { attempts: 1, gaveUp: 'not retryable' });
}

const hashesOf = (named: readonly LinkKey[]) => named.map(({ hash }) => hash);

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

test.each([
  [1000, 2],
  [37, 55],
])('B85: a batch size of %i makes %i calls of 2,000 hashes', async (batchSize, count) => {
  const { calls, client } = serverOf((hashes) => hashes);
  expect(await found(client, targets(2000, 2), batchSize)).toEqual(hashesOf(targets(2000, 2)));
  expect(calls).toHaveLength(count);
  expect(Math.max(...calls.map(({ limit }) => limit))).toBe(batchSize);
});

test.each([
  [5, 14],
  [12, 26],
  [25, 49],
])('R-14: 10,000 hashes of %i characters make %i addresses, none above 6,000 bytes', async (length, count) => {
  const { calls, client } = serverOf((hashes) => hashes);
  const named = targets(10_000, length, 'links.example.com');
  expect(await found(client, named)).toEqual(hashesOf(named));
  const addresses = calls.map((query) => addressOf(requestFor('listUrls', { query: { ...query } }, 'a')));
  expect(Math.max(...addresses.map((address) => `https://api.example.com/api/3${address}`.length))).toBeLessThanOrEqual(6000);
  expect(calls).toHaveLength(count);
});

test('R-14: a hash that is longer than an address may be goes alone', async () => {
  const { calls, client } = serverOf((hashes) => hashes);
  await found(client, [{ hash: 'a' }, { hash: 'ü'.repeat(3000) }, { hash: 'b' }]);
  expect(calls.map(({ limit }) => limit)).toEqual([1, 1, 1]);
});

test('R-14: what a list may hold is counted in bytes as encoded', () => {
  const named = (hash: string, count: number) => new Array(count).fill({ hash });
  expect(fittingHashes(named('abcde', 1000))).toBe(725);
  expect(fittingHashes(named('é', 1000))).toBe(644);
  expect(fittingHashes(named('x'.repeat(9000), 1))).toBe(1);
});

test('4.1.7: hashes of different domains never share a call', async () => {
  const { calls, client } = serverOf((hashes) => hashes);
  const mixed = [{ hash: 'a', domain: 's.ex' }, { hash: 'b', domain: 't.ex' }, { hash: 'c', domain: 's.ex' }, { hash: 'd' }];
  await collect(namedUrls(client, mixed, 1000));
  expect(calls.map(({ domain, hashes }) => [domain, hashes])).toEqual([
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
])('B86, R-13, D14: after %s groups shrink, nothing is asked for twice, and the size is remembered', async (_what, fault) => {
  const asked: string[] = [];
  const { calls, client } = serverOf((hashes) => {
    if (hashes.length > 37) throw refusal(fault);
    asked.push(...hashes);
    return hashes;
  });
  expect(await found(client, targets(1000, 2), 500)).toEqual(hashesOf(targets(1000, 2)));
  expect(asked).toEqual(hashesOf(targets(1000, 2)));
  expect(calls.filter(({ limit }) => limit > 37).map(({ limit }) => limit)).toEqual([500, 250, 125, 62]);
});

test.each([
  ['one hash that is too large', targets(1), refusal({ apiCode: 1310 })],
  ['another refusal', targets(5), refusal({ apiCode: 1303 })],
  ['1306 without certainty', targets(5), refusal({ apiCode: 1306, outcome: 'ambiguous' })],
  ['a group in doubt', targets(5), refusal({ status: 413, outcome: 'ambiguous' })],
])('B86: %s is not split', async (_what, named, error) => {
  const { calls, client } = serverOf(() => {
    throw error;
  });
  await expect(found(client, named)).rejects.toBe(error);
  expect(calls).toHaveLength(1);
});

test.each<[string, (hashes: readonly string[]) => readonly string[]]>([
  ['a page at a time', (hashes) => hashes.slice(0, 7)],
  ['in the reverse order', (hashes) => [...hashes].reverse()],
  ['in capitals', (hashes) => hashes.map((hash) => hash.toUpperCase())],
  ['among strangers', (hashes) => ['stranger', ...hashes]],
  ['or strangers, of more than two', (hashes) => (hashes.length > 2 ? ['stranger'] : hashes)],
])('F45, D12: all are found of a server that answers %s', async (_what, answer) => {
  const { client } = serverOf(answer);
  const urls = await found(client, targets(100, 3));
  expect(urls.map((hash) => hash.toLowerCase()).sort()).toEqual(hashesOf(targets(100, 3)).sort());
});

test('F45, API 2.1: a hash whose item in the answer is the error 1306 has no link', async () => {
  const error = { code: 1306, message: 'no such hash' };
  let calls = 0;
  const send = async (_: string, { query }: { query: Query }) => {
    calls += 1;
    return { urls: query.hashes.split(',').map((hash) => (hash.startsWith('no') ? { hash, error } : { hash })) };
  };
  const read = (...hashes: string[]) =>
    collect(
      namedUrls(
        { send: send as unknown as Send },
        hashes.map((hash) => ({ hash })),
        1000,
      ),
    );
  expect((await read('a', 'nosuch', 'b')).map(({ record }) => record?.hash)).toEqual(['a', undefined, 'b']);
  expect(calls).toBe(2);
  expect((await read('nosuch')).map(({ record }) => record)).toEqual([undefined]);
});

test('F45: of two records of a hash, the one on the requested domain counts, whichever comes first', async () => {
  const records = ['b.example/x', 'a.example/x', 'other.example/x'].map((short_url) => ({ hash: 'x', short_url }));
  for (const urls of [records, records.toReversed()]) {
    const send = async () => ({ urls });
    const read = (domain?: string) => collect(namedUrls({ send: send as unknown as Send }, [{ hash: 'x', domain }], 1000));
    expect(await read('a.example')).toMatchObject([{ record: { short_url: 'a.example/x' } }]);
    expect(await read()).toMatchObject([{ record: urls[0] }]);
  }
});

test('F45, D12: of a server that answers 1306 because of one hash, all others are found', async () => {
  const there = targets(100, 3);
  const { client } = serverOf((hashes) => {
    if (hashes.some((hash) => hash === 'none')) throw refusal({ apiCode: 1306, kind: 'not_found' });
    return hashes;
  });
  const urls = await collect(namedUrls(client, [...there.slice(0, 40), { hash: 'none' }, ...there.slice(40)], 1000));
  expect(urls.filter(({ record }) => !record).map(({ target }) => target.hash)).toEqual(['none']);
});

test('D12: what is there costs one call a group, and what is missing one more', async () => {
  const { calls, client } = serverOf((hashes) => hashes.filter((hash) => hash !== 'none'));
  await collect(namedUrls(client, [...targets(9), { hash: 'none' }], 5));
  expect(calls.map(({ hashes }) => hashes.split(',').length)).toEqual([5, 5, 1]);
});
