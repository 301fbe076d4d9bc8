import { appendFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { foldJournal } from '../../../src/bulk/journal/fold.ts';
import { encodeLine, type JournalLine } from '../../../src/bulk/journal/lines.ts';
import { faults, type Step } from '../../support/faulty-steps.ts';
import { type BulkWorld, multiplicity, rowsOf, type ShortenRun, test } from '../bulk-world.ts';

const onPost = { only: { method: 'POST' } };
const onListing = { only: { method: 'GET', path: '/urls' } };
const keyed = (count: number) => rowsOf(count, (index) => ({ custom_hash: `k${index}` }));
const count = (status: string, times: number): string => Array(times).fill(status).join(' ');

/** An account in use, whose server is proven: nothing but the rows is sent. */
async function inUse(world: BulkWorld): Promise<void> {
  const urls = Array.from({ length: 300 }, (_, index) => ({ long_url: `https://old.example/${index}` }));
  await world.direct.send('shortenUrls', { query: {}, body: { urls } });
  await world.shorten(
    rowsOf(1, () => ({ custom_hash: 'proof', long_url: 'https://p.example' })),
    { name: 'proof.csv' },
  );
}

function runsOf({ state }: BulkWorld): string[] {
  const runs = join(state, 'runs');
  return existsSync(runs) ? readdirSync(runs).filter((name) => !name.startsWith('.')) : [];
}

const modes = {
  keyed: { rows: keyed, flags: {} },
  dedupe: { rows: rowsOf, flags: { dedupe: 'account' } },
} as const;

/** What was asked, as `GET /urls`. */
async function sent(world: BulkWorld): Promise<string[]> {
  return (await world.server.requests()).map(({ method, url }) => `${method} ${new URL(url, 'http://x').pathname.slice(6)}`);
}

for (const edition of ['a', 'b'] as const) {
  describe(`edition ${edition}: D2: a repetition that is refused says nothing of the first attempt`, () => {
    test.override({ options: { edition } });

    const stops: [string, Step, number][] = [
      ['1303', faults.refuse(1303), 7],
      ['1300', faults.refuse(1300), 4],
      ['1217', faults.refuse(1217), 4],
      ['1301', faults.refuse(1301), 9],
      ['429', faults.tooMany('3600'), 7],
    ];
    test.for(
      (['keyed', 'dedupe'] as const).flatMap((mode) => stops.map(([what, step, exit]) => [mode, what, step, exit] as const)),
    )(
      '%s, %s: the rows are unknown and the run is not untouched; the same command settles it',
      async ([mode, , step, exit], { world }) => {
        await inUse(world);
        const { rows, flags } = modes[mode];
        const settings: ShortenRun = { ...flags, batchSize: 5, concurrency: 1 };
        await world.server.script([
          { ...faults.dropAfter, ...onPost },
          { ...step, ...onPost },
        ]);
        const before = (await world.posts()).length;
        const first = await world.shorten(rows(10), settings);
        expect([first.exit, first.statuses]).toEqual([exit, `${count('unknown', 5)} ${count('not_sent', 5)}`]);
        expect((await sent(world)).at(-1)).toBe('POST /urls');
        expect((await world.posts()).slice(before)).toEqual([5, 5]);
        await expect(world.shorten(rows(11), settings)).rejects.toMatchObject({ exitCode: 9 });
        await expect(world.shorten(rows(10), { ...settings, options: { note: 'n' } })).rejects.toMatchObject({ exitCode: 9 });
        const { exit: last, statuses } = await world.shorten(rows(10), settings);
        expect([last, statuses.includes('unknown')]).toEqual([0, false]);
        expect(multiplicity(rows(10), await world.stored())).toMatchObject({ 1: 311 });
      },
    );

    test('checked, 1303 in the reading back: unknown, 10, no further call; the next command reads back', async ({ world }) => {
      await world.server.script([
        { ...onListing },
        { ...faults.dropAfter, ...onPost },
        { ...faults.refuse(1303), ...onListing, times: 'all' },
      ]);
      const rows = rowsOf(10);
      const first = await world.shorten(rows, { batchSize: 5 });
      expect([first.exit, first.statuses]).toEqual([10, `${count('unknown', 5)} ${count('not_sent', 5)}`]);
      expect((await sent(world)).slice(-2)).toEqual(['POST /urls', 'GET /urls']);
      await world.server.script([]);
      await expect(world.shorten(rowsOf(11), { batchSize: 5 })).rejects.toMatchObject({ exitCode: 9 });
      expect((await world.shorten(rows, { batchSize: 5 })).exit).toBe(0);
      expect(multiplicity(rows, await world.stored())).toEqual({ 1: 10 });
    });

    test('--budget that ends while rows are in doubt: they are unknown, and the next command settles them', async ({ world }) => {
      await inUse(world);
      const settings: ShortenRun = { dedupe: 'account', batchSize: 5, concurrency: 1 };
      await world.server.script([{ ...faults.shorter, ...onPost }]);
      // The domain, the quota, the newest links, and one batch; edition B has one domain.
      const first = await world.shorten(rowsOf(10), { ...settings, budget: edition === 'a' ? 4 : 3 });
      expect([first.exit, first.statuses]).toEqual([7, `${count('existing', 4)} unknown ${count('not_sent', 5)}`]);
      expect((await world.shorten(rowsOf(10), settings)).exit).toBe(0);
      expect(multiplicity(rowsOf(10), await world.stored())).toMatchObject({ 1: 311 });
    });

    test('D2, R-13: halves of a batch in doubt are in doubt', async ({ world }) => {
      await inUse(world);
      await world.server.script(
        [faults.dropAfter, faults.refuse(1221), {}, faults.refuse(1303)].map((step) => ({ ...step, ...onPost })),
      );
      const first = await world.shorten(keyed(10));
      expect([first.exit, first.statuses]).toEqual([7, `${count('created', 5)} ${count('unknown', 5)}`]);
      expect((await world.shorten(keyed(10))).exit).toBe(0);
      expect(multiplicity(keyed(10), await world.stored())).toMatchObject({ 1: 311 });
    });

    test('D32: nobody is there for longer than five attempts: 8, and the same command resumes', async ({ world }) => {
      await inUse(world);
      await world.server.script([{ ...faults.dropAfter, ...onPost, down: 3_600_000 }]);
      const first = await world.shorten(keyed(10), { batchSize: 5, concurrency: 1 });
      expect([first.exit, first.statuses]).toEqual([8, `${count('unknown', 5)} ${count('not_sent', 5)}`]);
      await world.server.script([]);
      expect((await world.shorten(keyed(10), { batchSize: 5 })).exit).toBe(0);
      expect(multiplicity(keyed(10), await world.stored())).toMatchObject({ 1: 311 });
    });

    test.for([9999, 1305, 1310])(
      'D4: %i on the repetition speaks of no hash: unknown, until it is known',
      async (code, { world }) => {
        await inUse(world);
        await world.server.script([faults.dropAfter, faults.refuse(code)].map((step) => ({ ...step, ...onPost })));
        const rows = rowsOf(1);
        expect(await world.shorten(rows, { dedupe: 'account' })).toMatchObject({ exit: 10, statuses: 'unknown' });
        expect(await world.shorten(rows, { dedupe: 'account' })).toMatchObject({ exit: 0, statuses: 'existing' });
        await world.server.script([faults.dropBefore, faults.refuse(code)].map((step) => ({ ...step, ...onPost })));
        expect(await world.shorten(keyed(1))).toMatchObject({ exit: 10, statuses: 'unknown' });
        expect((await world.shorten(keyed(1))).exit).toBe(0);
      },
    );

    describe('D4: 1215 on the repetition', () => {
      const refusal = (rows: readonly object[]): Step => ({
        ...onPost,
        apply: false,
        answer: {
          body: {
            error: { code: 0, message: '' },
            urls: rows.map((row) => ({ ...row, error: { code: 1215, message: 'Short URL is not correct or existed' } })),
          },
        },
      });
      const rows = ['https://EXAMPLE.com', 'https://example.com/%7Eu'].map((long_url, nth) => ({
        long_url,
        custom_hash: `own${nth}`,
      }));

      test('of rows that are ours in another spelling: existing', async ({ world }) => {
        await inUse(world);
        await world.server.behave({ longUrls: 'stored normalised' });
        await world.server.script([{ ...faults.dropAfter, ...onPost }, refusal(rows)]);
        const { exit, statuses } = await world.shorten(rows);
        expect([exit, statuses]).toEqual([0, 'existing existing']);
      });

      test("of rows whose hash is somebody else's, or not accepted: refused", async ({ world }) => {
        await inUse(world);
        await world.direct.send('shortenUrls', {
          query: {},
          body: { urls: [{ long_url: 'https://foreign.example/', custom_hash: 'own0' }] },
        });
        await world.server.script([{ ...faults.dropBefore, ...onPost }, refusal(rows)]);
        const { exit, outcomes } = await world.shorten(rows);
        expect([exit, outcomes.map(({ error }) => error?.code)]).toEqual([6, [1215, 1215]]);
      });

      test('of a row that was in doubt before a kill: existing', async ({ world }) => {
        await inUse(world);
        await world.server.behave({ longUrls: 'stored normalised' });
        await world.server.script([
          { ...faults.dropAfter, ...onPost },
          { ...faults.refuse(1303), ...onPost },
        ]);
        expect((await world.shorten(rows)).exit).toBe(7);
        await world.server.script([refusal(rows)]);
        expect(await world.shorten(rows)).toMatchObject({ exit: 0, statuses: 'existing existing' });
      });
    });
  });
}

describe('D2: rows that an earlier process left', () => {
  const ranges = [[0, 4]] as const;
  const intent = (batch: number): JournalLine => ({ type: 'intent', batch, rows: ranges, payload: '' });
  const ambiguous: JournalLine = { type: 'ambiguous', batch: 7, rows: [[1, 2]], reason: '' };
  const released: JournalLine = { type: 'result', batch: 7, rows: [], states: '', released: ranges };
  test.for<[string, JournalLine[], string]>([
    ['in a batch', [intent(7)], 'open open open open open'],
    ['released', [intent(7), released], 'free free free free free'],
    [
      'a part in doubt, the others released',
      [intent(7), ambiguous, { ...released, released: [[3, 4]] }],
      'open open open free free',
    ],
    ['in doubt, then not found by a conclusive reading', [intent(7), ambiguous, released], 'free free free free free'],
    [
      'unknown, then sent again',
      [intent(7), { type: 'unknown', batch: 7, rows: [[1, 1]] }, { ...released, released: [[2, 4]] }, intent(8)],
      'open open open open open',
    ],
    [
      'in doubt, then done',
      [intent(7), ambiguous, intent(8), { type: 'result', batch: 8, rows: [[1, 2]], states: 'cc' }],
      'open created created open open',
    ],
  ])('D2: %s', async ([, lines, states], { world }) => {
    await world.server.script([{ ...faults.refuse(1303), ...onPost }]);
    await world.shorten(rowsOf(5));
    const path = join(world.state, 'runs', runsOf(world)[0] ?? '', 'journal.log');
    appendFileSync(path, Buffer.concat(lines.map(encodeLine)));
    const { stateOf } = await foldJournal(path);
    expect([0, 1, 2, 3, 4].map(stateOf).join(' ')).toBe(states);
  });
});
