import { describe, expect } from 'vitest';
import type { Edition } from '../../src/contract/editions.ts';
import type { ShortenItem } from '../../src/contract/operations.ts';
import { faults, type Step } from '../support/faulty-steps.ts';
import type { Manners } from '../support/manners.ts';
import { createMoment } from '../support/moment.ts';
import { seed, store } from '../support/stored-links.ts';
import { type BulkWorld, multiplicity, openWorld, rowsOf, test } from './bulk-world.ts';
import { crashingFile } from './crashing-file.ts';

/** Waits of this world are 200 times shorter: 10 s before a listing is read back are 50 ms, a lag of 15 s is 75. */
const settle = 10_000;

async function inWorld(edition: Edition, links: number, manners: Manners, work: (world: BulkWorld) => Promise<void>) {
  const world = await openWorld({ edition });
  try {
    await seed(world.direct, links);
    await world.server.behave(manners);
    await work(world);
  } finally {
    await world.close();
  }
}

/** How many links each of the rows has; the account holds others too. */
async function linksOf({ stored }: BulkWorld, rows: readonly ShortenItem[]): Promise<Record<number, number>> {
  const urls = new Set(rows.map(({ long_url }) => long_url));
  const records = await stored();
  return multiplicity(
    rows,
    records.filter(({ long_url }) => urls.has(long_url)),
  );
}

/** Steps for one POST after the other. */
async function scriptPosts({ server }: BulkWorld, steps: readonly Step[]): Promise<void> {
  await server.script(steps.map((step) => ({ ...step, only: { method: 'POST' } })));
}

describe('D3, R 1.6, F04, F05, F06, F32: checked mode resolves every doubt on an account in use', () => {
  test.for<[Edition, number, Manners]>([
    ['a', 0, {}],
    ['b', 0, { totalCount: 'missing' }],
    ['a', 150, {}],
    ['b', 150, { pageCap: 30 }],
    ['a', 150, { totalCount: 'page length' }],
    ['a', 300, {}],
    ['b', 300, { pageCap: 30, totalCount: 'text' }],
    ['a', 300, { pageCap: 100, totalCount: 'page length' }],
    ['a', 300, { totalCount: 'missing' }],
    ['a', 300, { longUrls: 'stored normalised', notes: 'stored trimmed', hashes: 'shown in upper case' }],
    ['a', 1200, {}],
    ['b', 1200, { pageCap: 30 }],
    ['a', 1200, { pageCap: 100, totalCount: 'missing' }],
  ])('edition %s, %i links, %o', async ([edition, links, manners]) => {
    await inWorld(edition, links, manners, async (world) => {
      const rows = rowsOf(50, (index) => ({
        long_url: `HTTPS://Example.com/${index}`,
        ...(index % 3 === 0 && { note: `n${index}` }),
      }));
      const steps = [faults.dropBefore, faults.dropAfter, {}, faults.dropMiddle(4), faults.dropBefore, {}, faults.shorter];
      await scriptPosts(world, steps);
      const { exit, outcomes } = await world.shorten(rows, { batchSize: 10, settle });
      expect(exit).toBe(0);
      const stored = await world.stored();
      expect(stored).toHaveLength(links + 50);
      const paths = new Map(stored.map(({ hash, long_url }) => [hash.toLowerCase(), new URL(long_url).pathname]));
      expect(outcomes.map(({ record }) => paths.get(record?.hash.toLowerCase() ?? ''))).toEqual(
        rows.map((_, index) => `/${index}`),
      );
      expect(await world.posts()).toEqual([10, 10, 10, 10, 6, 6, 10, 10]);
    });
  });
});

describe('D8: a listing that is behind', () => {
  // 100 and 300 ms are 5 and 15 s where 10 s are 200 ms.
  const slow = { settle: 40_000, batchSize: 10 };

  test.for([
    [100, 0, faults.dropAfter],
    [300, 0, faults.dropAfter],
    [300, 0, faults.dropBefore],
    [100, 300, faults.dropAfter],
    [300, 300, faults.dropMiddle(4)],
    [300, 300, faults.dropBefore],
  ] as const)('by %i ms, with %i links: each row has one link, and the run ends well', async ([lag, links, fault]) => {
    await inWorld('a', links, { lag }, async (world) => {
      const rows = rowsOf(30);
      await scriptPosts(world, [fault, {}, fault]);
      const { exit } = await world.shorten(rows, slow);
      expect(await linksOf(world, rows)).toEqual({ 1: 30 });
      expect(exit).toBe(0);
    });
  });

  test('by more than anybody waits: what cannot be known is unknown, and nothing is made twice', async () => {
    await inWorld('b', 300, { lag: 60_000 }, async (world) => {
      const rows = rowsOf(30);
      await scriptPosts(world, [{}, faults.dropAfter]);
      const { exit, summary, outcomes } = await world.shorten(rows, { batchSize: 10, settle });
      expect(exit).toBe(10);
      // The reason of the stop is about other rows.
      expect(outcomes.find(({ status }) => status === 'not_sent')?.error).toBeUndefined();
      expect(summary.tally.counts).toMatchObject({ created: 10, unknown: 10, not_sent: 10 });
      expect(summary.stop).toMatchObject({
        error: { hint: expect.stringMatching(/^check these rows with: linkctl list --search \S+ --all$/) },
      });
      expect(await linksOf(world, rows)).toEqual({ 0: 10, 1: 20 });
    });
  });
});

describe('D10: a listing that begins with the oldest link', () => {
  test.for([
    [150, 0, {}],
    [300, 0, {}],
    [300, 1, {}],
    [300, 1, { pageCap: 30, totalCount: 'missing' }],
  ] as const)(
    '%i links, batch %i in doubt, %o, while others are deleted: nothing is made twice',
    async ([links, before, manners]) => {
      await inWorld('a', links, { oldestFirst: true, ...manners }, async (world) => {
        const rows = rowsOf(20);
        await scriptPosts(world, [...Array.from({ length: before }, () => ({})), { ...faults.dropAfter, held: true }]);
        const running = world.shorten(rows, { batchSize: 10, settle });
        await world.server.held();
        const hashes = Array.from({ length: 10 }, (_, index) => `old${links - 50 + index}`).join();
        await world.direct.send('deleteUrls', { query: { hashes, tags: undefined } });
        await world.server.release();
        const { exit } = await running;
        expect(exit).toBe(10);
        expect(await linksOf(world, rows)).toMatchObject(before === 0 ? { 0: 10, 1: 10 } : { 1: 20 });
      });
    },
  );

  test('nothing is made twice if so many are deleted before its last page that this is empty', async () => {
    await inWorld('a', 300, { oldestFirst: true, pageCap: 100, totalCount: 'missing' }, async (world) => {
      const rows = rowsOf(2);
      await world.server.script([
        { ...faults.dropAfter, only: { method: 'POST' } },
        { times: 2, held: true, only: { path: 'offset=198' } },
      ]);
      const running = world.shorten(rows, { settle });
      for (const first of [10, 50]) {
        // One reading may be enough.
        await Promise.race([world.server.held(), running]);
        const hashes = Array.from({ length: 40 }, (_, index) => `old${first + index}`).join();
        await world.direct.send('deleteUrls', { query: { hashes, tags: undefined } });
        await world.server.release();
      }
      await running;
      expect(await linksOf(world, rows)).toEqual({ 1: 2 });
    });
  });

  test.for<Manners>([{}, { totalCount: 'missing' }, { totalCount: 'page length' }])(
    'what a watermark of all links did not know is new, wherever it is: %o',
    async (manners) => {
      await inWorld('b', 50, { oldestFirst: true, ...manners }, async (world) => {
        const rows = rowsOf(30);
        await scriptPosts(world, [faults.dropAfter, faults.dropMiddle(4), faults.dropBefore]);
        const { exit } = await world.shorten(rows, { batchSize: 10, settle });
        expect(exit).toBe(0);
        expect(await linksOf(world, rows)).toEqual({ 1: 30 });
      });
    },
  );

  test('what the whole listing does not hold was not made, whatever its order', async () => {
    await inWorld('a', 300, { oldestFirst: true }, async (world) => {
      const rows = rowsOf(30);
      await scriptPosts(world, [faults.dropBefore, {}, faults.dropBefore]);
      const { exit } = await world.shorten(rows, { batchSize: 10, settle });
      expect(exit).toBe(0);
      expect(await linksOf(world, rows)).toEqual({ 1: 30 });
    });
  });

  test.for([
    [false, {}],
    [true, {}],
    [false, { pageCap: 3 }],
  ] as const)(
    'R 1.6: where the number of links is as before, only its two ends are read; oldest first: %s, %o',
    async ([oldestFirst, manners]) => {
      await inWorld('a', 900, { oldestFirst, ...manners }, async (world) => {
        const rows = rowsOf(10);
        await scriptPosts(world, [faults.dropBefore]);
        const { exit } = await world.shorten(rows, { settle });
        expect(exit).toBe(0);
        const requests = await world.server.requests();
        const untilRepeat = requests.slice(
          0,
          requests.findLastIndex(({ method }) => method === 'POST'),
        );
        const offsets = untilRepeat.map(({ url }) => Number(new URL(url, world.server.baseUrl).searchParams.get('offset')));
        expect(offsets.filter((offset) => offset > 250 && offset < 890)).toEqual([]);
        expect(await linksOf(world, rows)).toEqual({ 1: 10 });
      });
    },
  );
});

describe('R 1.6: somebody else writes too', () => {
  test('links of long ago that lead where rows lead are not taken for new ones', async () => {
    await inWorld('a', 300, {}, async (world) => {
      const rows = Array.from({ length: 8 }, (_, index) => ({
        long_url: `https://was.old.example/${20 + index}`,
        note: 'again',
      }));
      await scriptPosts(world, [faults.dropBefore]);
      const { exit } = await world.shorten(rows, { settle });
      expect(exit).toBe(0);
      expect(await linksOf(world, rows)).toEqual({ 2: 8 });
    });
  });

  test('links that others delete are missed by nobody, page caps or not', async () => {
    await inWorld('b', 300, { pageCap: 30, totalCount: 'missing' }, async (world) => {
      const rows = rowsOf(20);
      await scriptPosts(world, [{ ...faults.dropAfter, held: true }]);
      const running = world.shorten(rows, { batchSize: 10, settle });
      await world.server.held();
      const hashes = Array.from({ length: 25 }, (_, index) => `old${270 + index}`).join();
      await world.direct.send('deleteUrls', { query: { hashes, tags: undefined } });
      await world.server.release();
      const { exit } = await running;
      expect(exit).toBe(0);
      expect(await linksOf(world, rows)).toEqual({ 1: 20 });
    });
  });

  test('a link of a row with another note is not taken for its own', async () => {
    await inWorld('a', 100, {}, async (world) => {
      const rows = rowsOf(10, (index) => ({ note: `n${index}` }));
      await scriptPosts(world, [{ ...faults.dropMiddle(9), held: true }]);
      const running = world.shorten(rows, { settle });
      await world.server.held();
      await store(world.direct, [{ long_url: 'https://example.com/9', note: 'foreign' }]);
      await world.server.release();
      const { exit, summary } = await running;
      expect(exit).toBe(10);
      expect(summary.tally.counts).toMatchObject({ unknown: 10 });
      expect(await world.posts()).toEqual([10]);
    });
  });

  test('what may be the link of a row that is unknown is named, also by a later process that sends the rest', async () => {
    await inWorld('a', 300, {}, async (world) => {
      const rows = rowsOf(4);
      const plan = { settle, batchSize: 2 };
      await scriptPosts(world, [{ ...faults.dropAfter, held: true }]);
      const running = world.shorten(rows, plan);
      await world.server.held();
      await store(world.direct, [{ long_url: 'https://foreign.example/' }]);
      await world.server.release();
      const { outcomes } = await running;
      const unknown = (await world.stored()).slice(300, 302).map(({ hash }) => ({
        status: 'unknown',
        error: { details: `possibly created: http://s.ex/${hash}` },
      }));
      expect(outcomes.slice(0, 2).map(world.plain)).toMatchObject(unknown);
      const resumed = await world.shorten(rows, plan);
      expect(resumed).toMatchObject({ exit: 10, summary: { tally: { counts: { created: 2, unknown: 2 } } } });
      expect(resumed.outcomes.slice(0, 2).map(world.plain)).toMatchObject(unknown);
    });
  });
});

describe('D7: the audit for links that late requests made', () => {
  const late = { settle: 0, batchSize: 10 };
  const rows = rowsOf(10);

  /** The first request is applied when its rows were sent again, and before the second time is answered. */
  async function duplicates(world: BulkWorld): Promise<void> {
    await scriptPosts(world, [faults.dropBefore, { held: true }]);
    world.server
      .held()
      .then(() => store(world.direct, rows))
      .then(() => world.server.release())
      .catch(() => undefined);
  }

  test.for(['after sync', 'before append'] as const)(
    'is made by the next process where this one was killed: crash %s',
    async (step) => {
      await inWorld('a', 300, {}, async (world) => {
        await duplicates(world);
        const line = step === 'after sync' ? 'result' : 'end';
        const nth = step === 'after sync' ? 2 : 1;
        const { openJournalFile, released } = crashingFile({ crashAt: { line, nth, step } });
        await world.shorten(rows, { ...late, environment: { openJournalFile } }).catch(() => undefined);
        expect(released()).toBe(true);
        expect(await linksOf(world, rows)).toEqual({ 2: 10 });
        const again = await world.shorten(rows, late);
        expect(again.summary.surplus).toHaveLength(10);
        expect(
          world.warnings.filter((warning) => warning.endsWith('may be a duplicate link of a row; nothing was deleted')),
        ).not.toEqual([]);
        expect(await world.posts()).toEqual([10, 10]);
        await expect(world.shorten(rows, late)).rejects.toMatchObject({ exitCode: 2 });
      });
    },
  );

  test('is made by the next process where a signal stopped this one', async () => {
    await inWorld('b', 300, {}, async (world) => {
      await duplicates(world);
      const interrupt = new AbortController();
      const onRow = (): void => interrupt.abort();
      const { summary } = await world.shorten(rows, { ...late, onRow, environment: { interrupt: interrupt.signal } });
      expect(summary).toMatchObject({ surplus: [], stop: { kind: 'signal' } });
      expect((await world.shorten(rows, late)).summary.surplus).toHaveLength(10);
    });
  });

  test('is made by the next process where a signal stopped this one in the middle of it', async () => {
    await inWorld('b', 300, {}, async (world) => {
      await duplicates(world);
      const interrupt = new AbortController();
      let isLast = false;
      const onRow = (): void => {
        if (isLast) return;
        isLast = true;
        void world.server.script([{ held: true, only: { method: 'GET' } }]);
        void world.server.held().then(() => interrupt.abort());
      };
      const stopped = await world.shorten(rows, { ...late, onRow, environment: { interrupt: interrupt.signal } });
      expect(stopped).toMatchObject({ exit: 'signal', summary: { surplus: [], stop: { kind: 'signal' } } });
      await world.server.release();
      expect((await world.shorten(rows, late)).summary.surplus).toHaveLength(10);
    });
  });

  test('cannot be made: the rows are done, the run is not complete, and the same command looks again', async () => {
    await inWorld('a', 300, {}, async (world) => {
      await scriptPosts(world, [faults.dropBefore, { held: true }]);
      const running = world.shorten(rows, late);
      await world.server.held();
      await store(world.direct, rows);
      const broken = { apply: false, answer: { status: 500, body: '' }, times: 20 } as const;
      await world.server.script([{ ...broken, only: { method: 'GET' } }]);
      await world.server.release();
      const { exit, statuses, summary } = await running;
      expect(statuses).toBe(rows.map(() => 'created').join(' '));
      expect(exit).toBe(8);
      expect(summary.stop).toMatchObject({
        error: { message: expect.stringMatching(/^could not check for duplicates by late requests/) },
      });
      await world.server.script([]);
      expect(await world.shorten(rows, late)).toMatchObject({
        exit: 0,
        summary: { surplus: expect.arrayContaining([expect.any(String)]) },
      });
    });
  });

  test('waits for a listing that is behind', async () => {
    await inWorld('a', 300, { lag: Number.POSITIVE_INFINITY }, async (world) => {
      await scriptPosts(world, [faults.late('release'), { held: true }]);
      const running = world.shorten(rows, { settle: 40_000 });
      await world.server.held();
      const wait = createMoment();
      world.prolong(1000, wait.stay);
      await world.server.release();
      await wait.reached;
      await world.server.catchUp();
      wait.leave();
      const { summary } = await running;
      expect(await linksOf(world, rows)).toEqual({ 2: 10 });
      expect(summary.surplus).toHaveLength(10);
    });
  });

  test('names no link where nothing was sent again, and asks for none', async () => {
    await inWorld('a', 300, {}, async (world) => {
      await scriptPosts(world, [faults.dropAfter]);
      const { exit, summary } = await world.shorten(rows, { settle });
      expect({ exit, surplus: summary.surplus }).toEqual({ exit: 0, surplus: [] });
      expect((await world.server.requests()).at(-1)?.url).toContain('limit=200');
    });
  });
});
