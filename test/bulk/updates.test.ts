import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { keptImages } from '../../src/bulk/journal/images.ts';
import { chooseMode } from '../../src/bulk/operations/modes.ts';
import { updatingOperation } from '../../src/bulk/operations/update.ts';
import { runRecord } from '../../src/bulk/past-runs/run-names.ts';
import type { RunPlan } from '../../src/bulk/run-plan.ts';
import type { ShortenItem } from '../../src/contract/operations.ts';
import { faults, type Step } from '../support/faulty-steps.ts';
import { type BulkWorld, inputOf, test } from './bulk-world.ts';
import { longRun } from './change-runs.ts';
import { type CrashStep, crashingFile } from './crashing-file.ts';

/** Two batches, each with a link to be made, one to be edited, and one that leads there already. */
const rows: readonly ShortenItem[] = [
  { custom_hash: 'new1', long_url: 'https://example.com/new1', note: 'n' },
  { custom_hash: 'old1', long_url: 'https://example.com/old1', note: 'n', tags: ['b', 'c'] },
  { custom_hash: 'same', long_url: 'https://example.com/same' },
  { custom_hash: 'old2', long_url: 'https://example.com/old2' },
  { custom_hash: 'new2', long_url: 'https://example.com/new2' },
  { custom_hash: 'hash', long_url: 'https://example.com/hash', note: 'n' },
];

const before: readonly ShortenItem[] = [
  { custom_hash: 'old1', long_url: 'https://theirs.example/1', note: 'theirs', tags: ['a', 'b'] },
  { custom_hash: 'same', long_url: 'https://example.com/same', note: 'kept' },
  { custom_hash: 'old2', long_url: 'https://theirs.example/2', note: 'theirs', tags: ['a'] },
  { custom_hash: 'hash', long_url: 'https://theirs.example/hash' },
  { custom_hash: 'other', long_url: 'https://theirs.example/other', note: 'untouched' },
];

/** What nobody asked for stays: the note of old2, and its tag. */
const after = {
  hash: ['https://example.com/hash', 'n', ''],
  new1: ['https://example.com/new1', 'n', ''],
  new2: ['https://example.com/new2', '', ''],
  old1: ['https://example.com/old1', 'n', 'b,c'],
  old2: ['https://example.com/old2', 'theirs', 'a'],
  other: ['https://theirs.example/other', 'untouched', ''],
  same: ['https://example.com/same', 'kept', ''],
};

const done = { exit: 0, statuses: 'created changed existing changed created changed' };

async function begin({ direct }: BulkWorld): Promise<void> {
  await direct.send('shortenUrls', { query: {}, body: { urls: [...before] } });
}

async function run(world: BulkWorld, openJournalFile?: Parameters<typeof longRun>[3], more: Partial<RunPlan<ShortenItem>> = {}) {
  const { edition } = world.client;
  const mode = chooseMode({ edition, rows: 1, keyedRows: 1, dedupe: 'off', generateHashes: false });
  const plan = { mode, undo: true, batchSize: 3, options: { onConflict: 'update' }, ...more };
  return await longRun<ShortenItem>(world, updatingOperation, rows, openJournalFile, plan);
}

async function links(world: BulkWorld): Promise<object> {
  const records = await world.stored();
  const sorted = records.toSorted((one, other) => (one.hash < other.hash ? -1 : 1));
  return Object.fromEntries(sorted.map(({ hash, long_url, note, tags }) => [hash, [long_url, note, tags.toSorted().join()]]));
}

/** What is different on the server is kept as it was (U1). */
async function expectImages(world: BulkWorld): Promise<void> {
  const runs = join(world.state, 'runs');
  const [name = ''] = readdirSync(runs).filter((entry) => !entry.startsWith('.'));
  const kept = new Map<string, unknown>();
  for await (const some of (await keptImages(runRecord(name, world.folders), rows.length)).backwards()) {
    for (const { payload, record } of some) kept.set(payload.hash, world.plain(record?.long_url ?? null));
  }
  const was = new Map(before.map(({ custom_hash, long_url }) => [custom_hash, long_url]));
  for (const { hash, long_url } of await world.stored()) {
    if (was.get(hash) !== long_url) expect([hash, kept.get(hash)]).toEqual([hash, was.get(hash) ?? null]);
  }
}

async function changes({ server }: BulkWorld): Promise<string[]> {
  return (await server.requests()).filter(({ method }) => method !== 'GET').map(({ method }) => method);
}

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ options: { edition } });

  test('I6: a link that leads elsewhere gets what its row gives, and keeps the rest; again, nothing is sent', async ({
    world,
  }) => {
    await begin(world);
    expect(await run(world)).toEqual(done);
    expect(await links(world)).toEqual(after);
    await expectImages(world);
    const sent = await changes(world);
    expect(sent.toSorted()).toEqual(['PATCH', 'PATCH', 'POST', 'POST']);
    expect(await run(world, undefined, { again: true })).toEqual({ exit: 0, statuses: rows.map(() => 'existing').join(' ') });
    expect(await changes(world)).toEqual(sent);
  });

  const steps: readonly CrashStep[] = ['in append', 'after append', 'after sync'];
  // Two batches, each with a call of either kind.
  const kills = Object.entries({ before: [1, 2], intent: [1, 2, 4], result: [1, 2, 3] }).flatMap(([line, places]) =>
    steps.flatMap((step) => places.map((nth) => [line, step, nth] as const)),
  );

  test.for(kills)(
    'I6, U1, F61: killed at a %s line (%s, number %i): resumed, with the same results; what is changed has its image',
    async ([line, step, nth], { world }) => {
      await begin(world);
      const { openJournalFile, released } = crashingFile({ crashAt: { line, step, nth } });
      await run(world, openJournalFile);
      expect(released()).toBe(true);
      await expectImages(world);
      expect(await run(world)).toEqual(done);
      expect(await links(world)).toEqual(after);
      await expectImages(world);
    },
  );

  const lost: readonly (readonly [string, Step])[] = [
    ['lost before', faults.dropBefore],
    ['lost after', faults.dropAfter],
    ['lost in the middle', faults.dropMiddle(1)],
    ['late', faults.late(30)],
    ['cut', faults.cutAfter],
  ];

  test.for(['POST', 'PATCH'].flatMap((method) => lost.map(([name, step]) => [method, name, step] as const)))(
    'I6, D2: a %s that is %s is settled by reading',
    async ([method, , step], { world }) => {
      await begin(world);
      await world.server.script([{ ...step, only: { method } }]);
      expect(await run(world)).toEqual(done);
      expect(await links(world)).toEqual(after);
      await expectImages(world);
    },
  );

  test('I6, P3: in doubt, what somebody else made of a hash meanwhile is left alone', async ({ world }) => {
    await begin(world);
    const stop = { ...faults.refuse(1303), only: { method: 'GET', path: 'hashes=' } };
    await world.server.script([{ only: stop.only }, { ...faults.dropBefore, only: { method: 'POST' }, times: 'all' }]);
    const first = await run(world);
    expect(first.exit).toBe(10);
    const urls = [{ custom_hash: 'new1', long_url: 'https://foreign.example/' }];
    await world.direct.send('shortenUrls', { query: {}, body: { urls } });
    await world.server.script([]);
    expect(await run(world)).toEqual({ exit: 3, statuses: '1215 changed existing changed created changed' });
    expect(await links(world)).toEqual({ ...after, new1: ['https://foreign.example/', '', ''] });
  });

  test('I6, P3: an edit in doubt whose link leads to a third place meanwhile is left alone', async ({ world }) => {
    await begin(world);
    await world.server.script([{ ...faults.dropBefore, only: { method: 'PATCH' }, times: 'all' }]);
    expect((await run(world)).exit).toBe(10);
    await world.direct.send('editUrl', {
      path: { hash: 'old1' },
      query: {},
      body: { urls: [{ long_url: 'https://foreign.example/' }] },
    });
    await world.server.script([]);
    expect(await run(world)).toEqual({ exit: 3, statuses: 'created failed existing changed created changed' });
    expect(await links(world)).toEqual({ ...after, old1: ['https://foreign.example/', 'theirs', 'a,b'] });
  });

  test('D5: a link that is deleted between its reading and its edit is missing; the others of the call are edited', async ({
    world,
  }) => {
    await begin(world);
    const { openJournalFile } = crashingFile({
      onSync: async (text) => {
        if (!text.includes('"type":"before"')) return;
        await world.direct.send('deleteUrl', { path: { hash: 'old2' }, query: {} }).catch(() => undefined);
      },
    });
    // Some servers refuse the whole call for it.
    await world.server.script([{ ...faults.refuse(1306), only: { method: 'PATCH' } }]);
    const ran = await run(world, openJournalFile, { batchSize: 6 });
    expect(ran).toEqual({ exit: 3, statuses: 'created changed existing 1306 created changed' });
    const { old2: _, ...others } = after;
    expect(await links(world)).toEqual(others);
  });

  test('I6, P3: what changed since the plan was shown is not edited unseen', async ({ world }) => {
    await begin(world);
    const shown = new Map((await world.stored()).map((record) => [record.hash, record]));
    const read = rows.map((item, nth) => ({ line: nth + 2, item, before: shown.get(item.custom_hash ?? '') ?? null }));
    const urls = [{ custom_hash: 'new1', long_url: 'https://foreign.example/' }];
    await world.direct.send('shortenUrls', { query: {}, body: { urls } });
    await world.direct.send('editUrl', { path: { hash: 'old2' }, query: {}, body: { urls: [{ note: 'since' }] } });
    // Somebody thought the question over for a while.
    const input = { ...inputOf(rows, 'links.csv'), open: () => [read], readAt: Number.NEGATIVE_INFINITY };
    expect(await run(world, undefined, { input })).toEqual({
      exit: 3,
      statuses: 'failed changed existing failed created changed',
    });
    expect(await links(world)).toEqual({
      ...after,
      new1: ['https://foreign.example/', '', ''],
      old2: ['https://theirs.example/2', 'since', 'a'],
    });
  });

  test('I6: a hash that no link of the account has and that is refused stays refused; the others are done', async ({ world }) => {
    await begin(world);
    const message = 'not available';
    const first = { hash: 'new1', custom_hash: 'new1', long_url: rows[0]?.long_url, error: { code: 1215, message, details: '' } };
    await world.server.script([
      { only: { method: 'POST' }, apply: false, answer: { body: { urls: [first], error: { code: 0, message: '' } } } },
    ]);
    expect(await run(world)).toEqual({ exit: 3, statuses: '1215 changed existing changed created changed' });
  });

  test('I6, D33: the calls of a batch with both kinds are within the budget, and the same command resumes', async ({ world }) => {
    await begin(world);
    const ends: unknown[] = [];
    for (let nth = 0; nth < 6 && ends.at(-1) !== 0; nth += 1) {
      const from = (await world.server.requests()).length;
      ends.push((await run(world, undefined, { budget: 5 })).exit);
      expect((await world.server.requests()).length - from).toBeLessThanOrEqual(5);
    }
    expect(ends.at(-1)).toBe(0);
    expect(await links(world)).toEqual(after);
    await expectImages(world);
  });
});
