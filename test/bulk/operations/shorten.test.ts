import { expect } from 'vitest';
import { faults } from '../../support/faulty-steps.ts';
import { multiplicity, rowsOf, test } from '../bulk-world.ts';

const onPost = { only: { method: 'POST' } };

test('1.2 checked: rows go out in batches, one after the other, and come back in the order of the input', async ({ world }) => {
  const rows = rowsOf(25);
  const { outcomes, exit } = await world.shorten(rows, { batchSize: 10 });
  expect(exit).toBe(0);
  expect(outcomes.map(({ payload, record }) => [payload.long_url, record?.long_url?.toLowerCase()])).toEqual(
    rows.map(({ long_url }) => [long_url, long_url]),
  );
  expect(await world.posts()).toEqual([10, 10, 5]);
});

test('1.2 keyed: a dropped answer is asked for again with the same hashes', async ({ world }) => {
  const rows = rowsOf(30, (index) => ({ custom_hash: `k${index}` }));
  await world.server.script([{ ...faults.dropAfter, ...onPost, times: 2 }]);
  const { exit, statuses } = await world.shorten(rows, { batchSize: 10 });
  expect(exit).toBe(0);
  expect(statuses).not.toContain('failed');
  expect(multiplicity(rows, await world.stored())).toEqual({ 1: 30 });
});

test('1.2 keyed: generated hashes have 12 symbols and are in the journal before the request', async ({ world }) => {
  const rows = rowsOf(12);
  const { outcomes } = await world.shorten(rows, { generateHashes: true, batchSize: 5 });
  for (const { record } of outcomes) expect(record?.hash).toMatch(/^[2-9a-hj-km-np-z]{12}$/);
  const intents = world.journal().filter((line) => line.type === 'intent');
  const journalled = new Set(intents.flatMap(({ keys }) => keys ?? []));
  expect([...journalled].sort()).toEqual(outcomes.map(({ record }) => record?.hash).sort());
});

test('R-X8: edition A pins the domain on every call and sends disable_long_url_duplicates=domain', async ({ world }) => {
  await world.shorten(rowsOf(3), { generateHashes: true });
  const posts = (await world.server.requests()).filter(({ method }) => method === 'POST');
  expect(posts.length).toBeGreaterThan(0);
  for (const { url } of posts) expect(url).toMatch(/domain=s\.ex/);
  for (const { url } of posts) expect(url).toMatch(/disable_long_url_duplicates=domain/);
});

test('1.2 dedupe: a long URL is never in two batches that are under way', async ({ world }) => {
  const rows = Array.from({ length: 30 }, (_, index) => ({ long_url: `https://example.com/${index % 10}` }));
  let under = new Set<string>();
  let clashes = 0;
  await world.shorten(rows, {
    dedupe: 'account',
    batchSize: 10,
    spoil: (operation) => ({
      ...operation,
      async call(items, signal) {
        clashes += items.filter(({ long_url }) => under.has(long_url)).length;
        for (const { long_url } of items) under.add(long_url);
        await new Promise((resolve) => setTimeout(resolve, 10));
        under = new Set([...under].filter((url) => !items.some(({ long_url }) => long_url === url)));
        return operation.call(items, signal);
      },
    }),
  });
  expect(clashes).toBe(0);
});

test('1.2 dedupe: rows with one long URL share a link, also across batches that are under way', async ({ world }) => {
  const rows = Array.from({ length: 40 }, (_, index) => ({ long_url: `https://example.com/${index % 7}` }));
  await world.server.script([{ ...faults.dropAfter, ...onPost }]);
  const { exit, summary } = await world.shorten(rows, { dedupe: 'account', batchSize: 6 });
  expect(exit).toBe(0);
  expect(await world.stored()).toHaveLength(7);
  expect(summary.tally.counts.created + summary.tally.counts.existing).toBe(40);
  expect(summary.tally.counts.existing).toBeGreaterThan(0);
});

test('J9, F32: keyed: a row that the answer leaves out keeps its generated hash', async ({ world }) => {
  const rows = rowsOf(10);
  await world.shorten(
    rowsOf(1, () => ({ custom_hash: 'first', long_url: 'https://first.example' })),
    { name: 'first.csv' },
  );
  await world.server.script([{ ...faults.shorter, ...onPost, times: 3 }]);
  const { exit } = await world.shorten(rows, { generateHashes: true });
  expect(exit).toBe(0);
  expect(multiplicity(rows, await world.stored())).toMatchObject({ 1: 11 });
});

test('F34: shuffled answers are mapped to their rows', async ({ world }) => {
  const rows = rowsOf(50, (index) => (index % 2 ? {} : { note: `n${index}` }));
  await world.server.script([{ ...faults.shuffled, ...onPost, times: 'all' }]);
  const { outcomes } = await world.shorten(rows, { batchSize: 20 });
  const stored = new Map((await world.stored()).map(({ long_url, hash }) => [long_url, hash]));
  for (const { payload, record } of outcomes) expect(record?.hash).toBe(stored.get(payload.long_url));
});

test('R 1.6: somebody else writes while a batch is in doubt: its rows are unknown, and the run stops with 10', async ({
  world,
}) => {
  const rows = rowsOf(30);
  await world.server.script([onPost, { ...faults.dropAfter, ...onPost, held: true }]);
  const running = world.shorten(rows, { batchSize: 10 });
  await world.server.held();
  await world.direct.send('shortenUrls', { query: {}, body: { urls: [{ long_url: 'https://foreign.example/' }] } });
  await world.server.release();
  const { exit, summary } = await running;
  expect(exit).toBe(10);
  expect(summary.tally.counts).toMatchObject({ created: 10, unknown: 10, not_sent: 10 });
});

test('F07 checked: a batch that is applied late is reported as surplus, and nothing is deleted', async ({ world }) => {
  const rows = rowsOf(5);
  await world.server.script([
    { ...faults.dropBefore, ...onPost },
    { ...onPost, held: true },
  ]);
  const running = world.shorten(rows, { settle: 0 });
  await world.server.held();
  await world.direct.send('shortenUrls', { query: {}, body: { urls: rows } });
  await world.server.release();
  const { exit, summary } = await running;
  expect(multiplicity(rows, await world.stored())).toEqual({ 2: 5 });
  expect(exit).toBe(0);
  expect(summary.surplus).toHaveLength(5);
});

test('R-X7: a server that makes two links of one key is found out by the canary, before anything else is sent', async ({
  world,
}) => {
  await world.server.script([
    { only: { method: 'POST' } },
    {
      only: { method: 'POST' },
      apply: false,
      answer: {
        body: {
          error: { code: 0, message: '' },
          urls: [{ hash: 'other', long_url: 'https://example.com/0', error: { code: 0, message: '' } }],
        },
      },
    },
  ]);
  const { exit } = await world.shorten(rowsOf(30), { generateHashes: true, batchSize: 10 });
  expect(exit).toBe(8);
  expect(await world.posts()).toEqual([1, 1]);
});

test.for([
  ['ignores custom hashes', { hash: 'own1' }],
  ['cuts them', { hash: 'k' }],
  ['ignores them and writes the long URL in a way of its own', { hash: 'own1', long_url: 'https://example.org/?u=0' }],
] as const)(
  'D27, R-X7: a server that %s is refused with the first answer, and nothing more is sent',
  async ([, each], { world }) => {
    await world.direct.send('shortenUrls', { query: {}, body: { urls: rowsOf(300) } });
    await world.server.script([{ ...onPost, times: 'all', alter: { each } }]);
    const rows = rowsOf(60, (index) => ({ custom_hash: `key${index}`, long_url: `https://new.example/${index}` }));
    const { exit, summary } = await world.shorten(rows, { batchSize: 20 });
    expect(exit).toBe(8);
    expect(summary.stop).toMatchObject({
      error: { message: expect.stringMatching(/cannot be repeated safely on this server: it created \S+ instead of key0/) },
    });
    expect(await world.posts()).toEqual([1]);
    // It is found out anew by the next run.
    await world.shorten(rows, { batchSize: 20 });
    expect((await world.posts()).length).toBeLessThanOrEqual(2);
  },
);

test('R-X7: the proof is made once per server and account', async ({ world }) => {
  await world.shorten(rowsOf(10), { generateHashes: true, name: 'one.csv' });
  const before = (await world.posts()).length;
  await world.shorten(rowsOf(11), { generateHashes: true, name: 'two.csv' });
  expect((await world.posts()).slice(before)).toEqual([11]);
});
