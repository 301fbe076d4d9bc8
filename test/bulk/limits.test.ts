import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { LocalError } from '../../src/base/errors.ts';
import { checkQuota } from '../../src/bulk/beginning/preflight.ts';
import { newMark } from '../../src/files/process-mark.ts';
import { faults } from '../support/faulty-steps.ts';
import { createMoment } from '../support/moment.ts';
import { until } from '../support/until.ts';
import { type BulkWorld, inputOf, multiplicity, rowsOf, test } from './bulk-world.ts';
import { crashingFile } from './crashing-file.ts';

const onPost = { only: { method: 'POST' } };

describe('calls under way', () => {
  test.for([1, 2, 4])('R-15: with --concurrency %i so many at most, and so many indeed', async (concurrency, { world }) => {
    let underWay = 0;
    let calls = 0;
    let most = 0;
    const { exit } = await world.shorten(keyed(120), {
      batchSize: 10,
      concurrency,
      spoil: (operation) => ({
        ...operation,
        async call(items, signal) {
          underWay += 1;
          calls += 1;
          most = Math.max(most, underWay);
          // The first two are one after the other: they prove the server. One more than may be has the time to come.
          if (calls > 2) await until(() => most >= concurrency, `${concurrency} calls are under way`);
          await delay(10);
          return await operation.call(items, signal).finally(() => {
            underWay -= 1;
          });
        },
      }),
    });
    expect(exit).toBe(0);
    expect(most).toBe(concurrency);
  });

  test.for([
    { doubt: 'repeat', ahead: 2, when: 'two ahead of their turn, where they may be sent again without harm' },
    { doubt: 'inspect', ahead: 0, when: 'when it is their turn, where that does harm or is not known' },
  ] as const)('J1, R-15: batches are written down $when', async ({ doubt, ahead }, { world }) => {
    let answered = 0;
    let calls = 0;
    const open = (): number => world.journal().filter(({ type }) => type === 'intent').length - answered;
    const most: number[] = [];
    await world.shorten(keyed(120), {
      batchSize: 10,
      concurrency: 2,
      spoil: (operation) => ({
        ...operation,
        doubt,
        async call(items, signal) {
          calls += 1;
          // The first two prove the server; behind the next one there are many more.
          if (calls === 3) await until(() => open() >= 2 + ahead, `${2 + ahead} batches are written down`);
          await delay(10);
          most.push(open());
          return await operation.call(items, signal).finally(() => {
            answered += 1;
          });
        },
      }),
    });
    expect(Math.max(...most)).toBe(2 + ahead);
  });

  test('R-15: a place is free as soon as the answer is there, and not when it is written down', async ({ world }) => {
    await world.shorten(keyed(1), { name: 'proof.csv' });
    const deeds: string[] = [];
    const { openJournalFile } = crashingFile({
      onSync: async (text) => {
        if (!text.includes('"type":"result"')) return;
        // As slow as it takes.
        await until(() => deeds.length >= 4, 'four batches are sent');
        deeds.push('kept');
      },
    });
    await world.shorten(keyed(60), {
      batchSize: 10,
      concurrency: 2,
      environment: { openJournalFile },
      spoil: (operation) => ({
        ...operation,
        call(items, signal) {
          deeds.push('sent');
          return operation.call(items, signal);
        },
      }),
    });
    expect(deeds.slice(0, 5)).toEqual(['sent', 'sent', 'sent', 'sent', 'kept']);
  });

  test('R-13: what waits for its turn is not sent once the server said that it is too large', async ({ world }) => {
    await world.shorten(keyed(1), { name: 'proof.csv' });
    await world.server.script([{ ...faults.refuse(1221), ...onPost, times: 2 }]);
    const { exit } = await world.shorten(keyed(80), { batchSize: 10, concurrency: 2 });
    expect(exit).toBe(0);
    // Those that were under way already.
    expect((await world.posts()).filter((size) => size > 5).length).toBeLessThanOrEqual(2);
  });

  test('J2: one at a time, a batch is sent when the one before it is written down', async ({ world }) => {
    const written: number[] = [];
    await world.shorten(keyed(50), {
      batchSize: 10,
      concurrency: 1,
      spoil: (operation) => ({
        ...operation,
        call(items, signal) {
          written.push(world.journal().filter(({ type }) => type === 'result').length);
          return operation.call(items, signal);
        },
      }),
    });
    expect(written).toEqual(written.map((_, nth) => nth));
  });
});

test('B87: with --fail-fast nothing is begun after an answer that fails a row, also one that was taken and not applied', async ({
  world,
}) => {
  await world.shorten(keyed(1), { name: 'proof.csv' });
  let isAnswered = false;
  let isWritten = false;
  const begun: boolean[] = [];
  const { openJournalFile } = crashingFile({
    onSync: async (text) => {
      if (text.includes('"type":"result"')) isWritten = true;
    },
  });
  const { summary } = await world.shorten(keyed(80), {
    batchSize: 10,
    concurrency: 4,
    failFast: true,
    environment: { openJournalFile },
    spoil: (operation) => ({
      ...operation,
      notApplied: ({ custom_hash }) => (custom_hash === 'k5' ? [{ field: 'note', asked: 'a', got: 'b' }] : []),
      async call(items, signal) {
        begun.push(isAnswered);
        const isFirst = items[0]?.custom_hash === 'k0';
        await until(() => (isFirst ? begun.length >= 4 : isWritten), 'four batches begin, and the first is written down');
        const answer = await operation.call(items, signal);
        if (isFirst) isAnswered = true;
        return answer;
      },
    }),
  });
  expect(summary.stop).toEqual({ kind: 'fail_fast' });
  expect(begun).toEqual([false, false, false, false]);
});

test('R-12, F26: a batch whose intent is still on its way to the disk when 1303 comes is not sent', async ({ world }) => {
  await world.server.script([{ ...faults.refuse(1303), ...onPost, times: 2 }]);
  const refusal = createMoment();
  const { openJournalFile } = crashingFile({
    onSync: async (text) => {
      if (text.includes('"batch":3') && !text.includes('"batch":2')) await refusal.stay();
    },
  });
  const rows = rowsOf(20);
  const dedupe = 'account';
  // The first process has read the newest links, so nothing is read between two intents of the second one.
  expect((await world.shorten(rows, { dedupe, batchSize: 10, concurrency: 1 })).exit).toBe(7);
  const { exit, summary } = await world.shorten(rows, {
    dedupe,
    batchSize: 10,
    concurrency: 2,
    environment: { openJournalFile },
    spoil: (operation) => ({
      ...operation,
      call: (items, signal) => operation.call(items, signal).finally(() => void delay(20).then(refusal.leave)),
    }),
  });
  expect(exit).toBe(7);
  expect(await world.posts()).toEqual([10, 10]);
  expect(summary.tally.counts).toMatchObject({ not_sent: 20, unknown: 0 });
  expect((await world.shorten(rows, { dedupe })).exit).toBe(0);
  expect(await world.posts()).toEqual([10, 10, 20]);
});

test.for([1303, 1300, 1217, 1301])(
  'R-12, D9: %i on one of several batches: those that wait to be sent again are not',
  async (code, { world }) => {
    await world.shorten(keyed(1), { name: 'proof.csv' });
    const before = (await world.posts()).length;
    await world.server.script([
      { ...faults.tooMany('60'), ...onPost, held: true },
      { ...faults.refuse(code), ...onPost, held: true },
      { ...faults.dropAfter, ...onPost, held: true },
    ]);
    const refusal = createMoment();
    world.prolong(60_000, refusal.stay);
    const running = world.shorten(keyed(30), {
      batchSize: 10,
      concurrency: 3,
      spoil: (operation) => ({
        ...operation,
        call: (...given) => operation.call(...given).finally(() => void setImmediate(refusal.leave)),
      }),
    });
    await world.server.held(3);
    await world.server.release(1);
    // The first one waits.
    await refusal.reached;
    await world.server.release(1);
    await refusal.stay();
    await world.server.release();
    const { summary } = await running;
    expect((await world.posts()).slice(before)).toHaveLength(3);
    expect(summary.tally.counts).toMatchObject({ not_sent: 20, unknown: 10 });
    expect((await world.shorten(keyed(30), { batchSize: 10 })).exit).toBe(0);
    expect(multiplicity(keyed(30), await world.stored())).toEqual({ 1: 30 });
  },
);

const keyed = (count: number) => rowsOf(count, (index) => ({ custom_hash: `k${index}` }));

describe('quotas', () => {
  test.for([1, 2, 4])(
    'R-12: 1303 at batch %i: the server sees exactly so many POSTs, and no call after it',
    async (batch, { world }) => {
      const before = Array.from({ length: batch - 1 }, () => onPost);
      await world.server.script([...before, { ...faults.refuse(1303), ...onPost }]);
      const { exit, summary } = await world.shorten(rowsOf(50), { batchSize: 10 });
      expect(exit).toBe(7);
      expect(await world.posts()).toHaveLength(batch);
      expect((await world.server.requests()).at(-1)?.method).toBe('POST');
      expect(summary.tally.counts).toMatchObject({ created: (batch - 1) * 10, not_sent: 50 - (batch - 1) * 10 });
      expect(world.journal().at(-1)).toMatchObject({ type: 'end', reason: 'quota' });
    },
  );

  test('F27: 1220 on items: what was created is kept, the rest is not sent, and only the rest is sent later', async ({
    world,
  }) => {
    const rows = rowsOf(30, (index) => ({ custom_hash: `k${index}` }));
    await world.shorten(
      rowsOf(1, () => ({ custom_hash: 'proof', long_url: 'https://p.example' })),
      { name: 'proof.csv' },
    );
    const full = { error: { code: 1220, message: 'URLs limit has been reached' } };
    await world.server.script([
      onPost,
      {
        ...onPost,
        apply: { first: 4 },
        answer: {
          body: {
            error: { code: 0, message: '' },
            urls: rows
              .slice(10, 20)
              .map((row, nth) =>
                nth < 4
                  ? { ...row, hash: row.custom_hash, short_url: `s.ex/${row.custom_hash}`, error: { code: 0, message: '' } }
                  : { ...row, ...full },
              ),
          },
        },
      },
    ]);
    const { exit, summary } = await world.shorten(rows, { batchSize: 10, concurrency: 1 });
    expect(exit).toBe(7);
    expect(summary.tally.counts).toMatchObject({ created: 14, not_sent: 16, failed: 0 });
    const again = await world.shorten(rows, { batchSize: 10, concurrency: 1 });
    expect(again.exit).toBe(0);
    expect((await world.posts()).slice(-2)).toEqual([10, 6]);
    expect(multiplicity(rows, await world.stored())).toMatchObject({ 1: 31 });
  });

  test('R-12: items that cool down (1219) are sent again, at most five times', async ({ world }) => {
    const cooling = (rows: readonly object[]) => ({
      ...onPost,
      apply: false,
      answer: {
        body: {
          error: { code: 0, message: '' },
          urls: rows.map((row) => ({ ...row, error: { code: 1219, message: 'cooldown' } })),
        },
      },
    });
    const rows = rowsOf(3);
    await world.server.script([cooling(rows), cooling(rows)]);
    expect((await world.shorten(rows, { name: 'a.csv' })).exit).toBe(0);
    expect(await world.posts()).toEqual([3, 3, 3]);
    await world.server.script([{ ...cooling(rowsOf(4)), times: 'all' }]);
    const { exit, summary } = await world.shorten(rowsOf(4), { name: 'b.csv' });
    expect(exit).toBe(8);
    expect(summary.tally.counts.not_sent).toBe(4);
    expect(await world.posts()).toEqual([3, 3, 3, 4, 4, 4, 4, 4]);
  });
});

describe('R-11: before the start', () => {
  test.override({ options: { limits: { maxUrls: 5 } } });
  test('R-11: a quota that will not last refuses the run before anything is sent, unless forced', async ({ world }) => {
    await expect(world.shorten(rowsOf(6))).rejects.toMatchObject({ exitCode: 7 });
    expect(await world.posts()).toEqual([]);
    const { exit, summary } = await world.shorten(rowsOf(6), { force: true });
    expect(exit).toBe(7);
    expect(summary.tally.counts).toMatchObject({ created: 5, not_sent: 1 });
  });
});

test.for<[string, unknown, number, number]>([
  [
    'enough',
    { urls: { count: 1, limit: 11 }, month_urls: { count: 0, limit: 10 }, today_api_calls: { count: 0, limit: 5 } },
    0,
    0,
  ],
  [
    'too few URLs',
    { urls: { count: 2, limit: 11 }, month_urls: { count: 0, limit: 10 }, today_api_calls: { count: 0, limit: 5 } },
    1,
    0,
  ],
  [
    'all too few',
    { urls: { count: 2, limit: 3 }, month_urls: { count: 1, limit: 2 }, today_api_calls: { count: 5, limit: 5 } },
    3,
    0,
  ],
  ['F47: none', undefined, 0, 3],
  ['F47: a list', [], 0, 3],
  ['F47: a limit of 0', { urls: { count: 0, limit: 0 } }, 0, 3],
  ['F47: more than there may be', { urls: { count: 9, limit: 5 } }, 0, 3],
  ['F47: huge', { urls: { count: 0, limit: 1e300 } }, 0, 3],
  ['F47: null', { urls: null }, 0, 3],
])('R-11: counters, %s', ([, counters, shortages, notes]) => {
  const check = checkQuota(counters, { links: 10, calls: 5 });
  expect([check.shortages.length, check.notes.length]).toEqual([shortages, notes]);
});

describe('R-13, B86: batches that are too large', () => {
  test.override({ options: { limits: { maxBatch: 37 } } });
  test.for(['checked', 'keyed', 'dedupe'] as const)(
    'F48: a bound of 37 items, %s mode: all rows, no duplicate',
    async (mode, { world }) => {
      const rows = rowsOf(250);
      const { exit } = await world.shorten(rows, {
        batchSize: 100,
        generateHashes: mode === 'keyed',
        dedupe: mode === 'dedupe' ? 'account' : 'off',
      });
      expect(exit).toBe(0);
      expect(multiplicity(rows, await world.stored())).toEqual({ 1: 250 });
      const refused = (await world.posts()).filter((items) => items > 37);
      expect(refused.length).toBeLessThan(10);
    },
  );
});

test("R-13: one item that is too large is its row's error, and the others continue", async ({ world }) => {
  await world.server.script([{ ...faults.refuse(1310), ...onPost, times: 3 }]);
  const { statuses, exit, outcomes } = await world.shorten(rowsOf(4));
  expect(statuses).toBe('failed created created created');
  expect(outcomes[0]?.error?.code).toBe(1310);
  expect(exit).toBe(3);
});

test('F12: 413 while the body is still on its way splits the batch', async ({ world }) => {
  await world.server.script([{ ...faults.tooLargeEarly, ...onPost }]);
  const rows = rowsOf(8);
  expect((await world.shorten(rows)).exit).toBe(0);
  expect((await world.posts()).slice(1)).toEqual([4, 4]);
  expect(multiplicity(rows, await world.stored())).toEqual({ 1: 8 });
});

test('B87: --fail-fast stops at the first batch with a failure', async ({ world }) => {
  const rows = rowsOf(30, (index) => (index === 12 ? { long_url: 'ftp://example.com/x' } : {}));
  const { exit, summary } = await world.shorten(rows, { batchSize: 10, failFast: true });
  expect(exit).toBe(1);
  expect(summary.tally.counts).toMatchObject({ created: 19, failed: 1, not_sent: 10 });
});

test.for([1, 4, 16])(
  '--budget: with --concurrency %i every call of it is made, and none more',
  async (concurrency, { world }) => {
    const rows = keyed(300);
    const settings = { batchSize: 10, concurrency, budget: 10 };
    await world.shorten(rows, settings);
    expect(await world.server.requests()).toHaveLength(10);
    const before = (await world.stored()).length;
    expect((await world.shorten(rows, settings)).exit).toBe(7);
    expect(await world.server.requests()).toHaveLength(20);
    // But for the domain's name and the quota.
    expect((await world.stored()).length - before).toBe(80);
  },
);

test('D33: the proof of 4.3.4 is not begun where its calls do not fit', async ({ world }) => {
  await expect(world.shorten(keyed(30), { batchSize: 10, budget: 4 })).rejects.toMatchObject({ exitCode: 2 });
  expect((await world.server.requests()).length).toBeLessThanOrEqual(4);
});

test('R-19: sixteen calls under way draw no warning from Node', async ({ world }) => {
  const warnings: Error[] = [];
  const hear = (warning: Error): void => void warnings.push(warning);
  process.on('warning', hear);
  await world.server.script([{ delay: 50, times: 'all', ...onPost }]);
  await world.shorten(keyed(400), { batchSize: 10, concurrency: 16 });
  process.off('warning', hear);
  expect(warnings).toEqual([]);
});

test('--budget: stops after so many calls with 7; the same command resumes', async ({ world }) => {
  const rows = rowsOf(40);
  const first = await world.shorten(rows, { batchSize: 10, budget: 7 });
  expect(first.exit).toBe(7);
  expect((await world.server.requests()).length).toBeLessThanOrEqual(7);
  expect(first.summary.tally.counts.created).toBeGreaterThan(0);
  const second = await world.shorten(rows, { batchSize: 10 });
  expect(second.exit).toBe(0);
  expect(multiplicity(rows, await world.stored())).toEqual({ 1: 40 });
});

describe('R 1.7, R-X9: the results file', () => {
  test('holds every row once with its final status, after a stop and after going on', async ({ world }) => {
    const results = join(world.folder, 'results.csv');
    const failed = join(world.folder, 'failed.csv');
    const rows = rowsOf(20, (index) => (index === 3 ? { long_url: 'ftp://example.com/"x",y', note: 'a, "b"' } : {}));
    await world.server.script([onPost, { ...faults.refuse(1303), ...onPost }]);
    await world.shorten(rows, { batchSize: 10, results, failed });
    const lines = readFileSync(results, 'utf8').trim().split('\n');
    expect(lines[0]).toBe('row,status,hash,short_url,long_url,code,message,line');
    expect(lines.slice(1).map((line) => line.split(',')[1])).toEqual([
      ...Array.from({ length: 10 }, (_, index) => (index === 3 ? 'failed' : 'created')),
      ...new Array(10).fill('not_sent'),
    ]);
    const { exit } = await world.shorten(rows, { batchSize: 10, results, failed });
    expect(exit).toBe(3);
    const after = readFileSync(results, 'utf8').trim().split('\n');
    expect(after.slice(0, 11)).toEqual(lines.slice(0, 11));
    expect(after.slice(11).every((line) => /^\d+,created,\w+,.*s\.ex\/\w+,https:/.test(world.plain(line)))).toBe(true);
    expect(readFileSync(failed, 'utf8')).toMatch(
      /^custom_hash,long_url,note,tags,error_code,error_message\n,"ftp:\/\/example\.com\/""x"",y","a, ""b""",,12\d\d,.+\n$/,
    );
  });

  test('R-X9: when rows cannot be read back: exit 9, nothing more is sent, and what is known of each is reported', async ({
    world,
  }) => {
    const results = join(world.folder, 'results.csv');
    const rows = rowsOf(2500);
    const whole = inputOf(rows, 'links.csv');
    async function* cut() {
      for await (const some of whole.open()) {
        yield some;
        throw new LocalError('the disk reported an error');
      }
    }
    await world.server.script([
      { ...onPost, times: 3 },
      { ...faults.refuse(1303), ...onPost },
    ]);
    await world.shorten(rows, { input: whole, generateHashes: true, batchSize: 1000, concurrency: 1 });
    await world.server.script([]);
    const before = (await world.stored()).length;
    const broken = { ...whole, open: cut };
    const { exit, summary } = await world.shorten(rows, { input: broken, generateHashes: true, results, batchSize: 1000 });
    expect({ exit, more: (await world.stored()).length - before }).toEqual({ exit: 9, more: 0 });
    expect(summary.tally.counts).toMatchObject({ created: before, not_sent: 2500 - before });
    const [, ...lines] = readFileSync(results, 'utf8').trim().split('\n');
    expect(lines.map((line) => Number(line.split(',')[0]))).toEqual(rows.map((_, row) => row + 1));
    // Of lost rows the journal still knows the link.
    expect(world.plain(lines[800])).toMatch(/^801,created,\w+,.*s\.ex\/\w+,,0,,$/);
    expect(lines.at(-1)).toBe('2500,not_sent,,,,,the disk reported an error,');
  });

  test("R-26: a file that is not this run's own is not replaced without --yes, and nothing is sent", async ({ world }) => {
    const results = join(world.folder, 'results.csv');
    writeFileSync(results, 'mine');
    await expect(world.shorten(rowsOf(2), { results })).rejects.toMatchObject({ exitCode: 2 });
    expect(readFileSync(results, 'utf8')).toBe('mine');
    expect(await world.posts()).toEqual([]);
    expect((await world.shorten(rowsOf(2), { results, overwrite: true })).exit).toBe(0);
    expect(readFileSync(results, 'utf8')).not.toBe('mine');
  });

  test('JSON lines by the name of the file', async ({ world }) => {
    const results = join(world.folder, 'results.jsonl');
    await world.shorten(rowsOf(2), { results });
    const entries = readFileSync(results, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(entries).toMatchObject([{ row: 1, status: 'created', code: 0 }, { row: 2 }]);
  });
});

describe('readers and signals', () => {
  test('R-19, B40: a reader that leaves: what is under way is finished, exit 9, the results are whole', async ({ world }) => {
    const results = join(world.folder, 'results.csv');
    const rows = rowsOf(100);
    const { exit, summary } = await world.shorten(rows, { batchSize: 10, results, read: 15 });
    expect(exit).toBe(9);
    expect(readFileSync(results, 'utf8').trim().split('\n')).toHaveLength(101);
    expect(summary.tally.counts.not_sent).toBeGreaterThan(0);
    expect((await world.stored()).length).toBe(summary.tally.counts.created);
    expect((await world.shorten(rows, { batchSize: 10, results })).exit).toBe(0);
    expect(multiplicity(rows, await world.stored())).toEqual({ 1: 100 });
  });

  test('R-18: the first signal: nothing new is started, the journal says so, and the same command resumes', async ({ world }) => {
    const rows = rowsOf(100);
    const interrupt = new AbortController();
    const { exit, summary } = await world.shorten(rows, {
      batchSize: 10,
      environment: { interrupt: interrupt.signal },
      onRow: ({ index }) => {
        if (index === 12) interrupt.abort();
      },
    });
    expect(exit).toBe('signal');
    expect(summary.tally.counts.unknown).toBe(0);
    expect(summary.tally.counts.not_sent).toBeGreaterThan(0);
    expect(world.journal().map(({ type }) => type)).toContain('signal');
    expect((await world.shorten(rows, { batchSize: 10 })).exit).toBe(0);
    expect(multiplicity(rows, await world.stored())).toEqual({ 1: 100 });
  });

  test('R-18: a signal while items cool down (1219) ends the run at once', async ({ world }) => {
    const rows = rowsOf(3);
    const urls = rows.map((row) => ({ ...row, error: { code: 1219, message: 'cooldown' } }));
    await world.server.script([{ ...onPost, apply: false, answer: { body: { error: { code: 0, message: '' }, urls } } }]);
    const interrupt = new AbortController();
    let interrupted = 0;
    const system = {
      ...world.system,
      sleep: async (milliseconds: number, signal?: AbortSignal) => {
        if (milliseconds < 10_000) setImmediate(() => interrupt.abort());
        interrupted ||= performance.now();
        await delay(Math.max(milliseconds, 10_000), undefined, signal ? { signal } : {});
      },
    };
    const { exit, statuses } = await world.shorten(rows, { environment: { system, interrupt: interrupt.signal } });
    expect(performance.now() - interrupted).toBeLessThan(2000);
    expect([exit, statuses]).toEqual(['signal', 'not_sent not_sent not_sent']);
    expect((await world.shorten(rows)).exit).toBe(0);
    expect(multiplicity(rows, await world.stored())).toEqual({ 1: 3 });
  });

  test('R-18: a call that does not end within the grace is class A, and is read back later', async ({ world }) => {
    const rows = rowsOf(10);
    const interrupt = new AbortController();
    await world.server.script([{ ...faults.silentAfter, ...onPost }]);
    const running = world.shorten(rows, { environment: { interrupt: interrupt.signal } });
    await until(async () => (await world.posts()).length > 0, 'a POST is sent');
    interrupt.abort();
    expect((await running).exit).toBe(10);
    const { exit, statuses } = await world.shorten(rows);
    expect(multiplicity(rows, await world.stored())).toEqual({ 1: 10 });
    // What nobody could look at then is looked at now.
    expect([exit, statuses]).toEqual([0, Array(10).fill('created').join(' ')]);
  });
});

test('J4: two processes with the same new file: one does it, the other says so, or shows what was done', async ({ world }) => {
  const rows = rowsOf(40);
  const both = await Promise.allSettled([world.shorten(rows, { batchSize: 10 }), world.shorten(rows, { batchSize: 10 })]);
  expect(both.map(({ status }) => status)).toContain('fulfilled');
  for (const one of both) if (one.status === 'rejected') expect([2, 9]).toContain(one.reason.exitCode);
  expect(multiplicity(rows, await world.stored())).toEqual({ 1: 40 });
});

test('a pipe: what came through it is kept with the run', async ({ world }) => {
  const rows = rowsOf(1);
  const copyTo = async (path: string): Promise<void> => writeFileSync(path, 'https://example.com/0\n');
  await world.shorten(rows, { input: { ...inputOf(rows, 'stdin'), copyTo } });
  const run = world.journal()[0];
  expect(run).toMatchObject({ type: 'begin', input: { name: 'stdin' } });
  expect(existsSync(join(world.state, 'runs', (run as { run: string }).run, 'input'))).toBe(true);
});

describe('a run that could not be begun leaves nothing of a pipe behind', () => {
  const rows = rowsOf(1);
  const begin = (world: BulkWorld, copyTo: (path: string) => Promise<void>) =>
    world.shorten(rows, { input: { ...inputOf(rows, 'stdin'), copyTo } });

  test('when the disk is full', async ({ world }) => {
    const begun = begin(world, async (path) => {
      writeFileSync(path, 'https://exam');
      throw new LocalError('no space left on the disk');
    });
    await expect(begun).rejects.toMatchObject({ exitCode: 9 });
    expect(readdirSync(join(world.state, 'runs'))).toEqual([]);
  });

  test('after kill -9, as soon as another run begins', async ({ world }) => {
    const mark = newMark(world.system);
    // No process has this number.
    const draftOf = (maker: string): string => join(world.state, 'runs', `.${maker}.draft`);
    const [dead, living] = [draftOf(mark.replace(/^\d+/, '4194305')), draftOf(mark)];
    for (const draft of [dead, living]) mkdirSync(draft, { recursive: true });
    await begin(world, async () => {});
    expect([dead, living].map((draft) => existsSync(draft))).toEqual([false, true]);
  });
});
