import { describe, expect } from 'vitest';
import type { OpenJournalFile } from '../../src/bulk/journal/journal.ts';
import { chooseMode, type DedupeScope } from '../../src/bulk/operations/modes.ts';
import { shortenOperation } from '../../src/bulk/operations/shortening.ts';
import type { ShortenItem } from '../../src/contract/operations.ts';
import { faults } from '../support/faulty-steps.ts';
import type { Manners } from '../support/manners.ts';
import { seed, store } from '../support/stored-links.ts';
import { type BulkWorld, exitOf, rowsOf, test } from './bulk-world.ts';
import { oneOff } from './change-runs.ts';
import { crashingFile } from './crashing-file.ts';

const onPost = { only: { method: 'POST' } };

async function shortenFew(
  world: BulkWorld,
  items: readonly ShortenItem[],
  dedupe: DedupeScope = 'off',
  settle?: number,
  openJournalFile?: OpenJournalFile,
) {
  const { client } = world;
  const keyedRows = items.filter(({ custom_hash }) => custom_hash).length;
  const mode = chooseMode({ edition: client.edition, rows: items.length, keyedRows, dedupe, generateHashes: false });
  const { outcomes, end } = await oneOff(world, shortenOperation({ client, mode }), items, { mode, settle }, openJournalFile);
  return {
    statuses: outcomes.map(({ status }) => status).join(' '),
    exit: exitOf(end),
    error: end.kind === 'error' ? end.error : undefined,
  };
}

describe('a few URLs that were typed', () => {
  test('one POST, and nothing else', async ({ world }) => {
    expect(await shortenFew(world, rowsOf(2))).toMatchObject({ exit: 0, statuses: 'created created' });
    expect((await world.server.requests()).map(({ method }) => method)).toEqual(['POST']);
  });

  test('F01: no connection: nothing is in doubt, 8', async ({ world }) => {
    await world.server.script([{ ...faults.refusedAfterAccept, times: 'all' }]);
    await world.server.close();
    expect(await shortenFew(world, rowsOf(1))).toMatchObject({ exit: 8, statuses: 'not_sent' });
  });

  test.for([
    ['F04', faults.dropBefore, 0],
    ['F05', faults.dropAfter, 1],
    ['F06', faults.dropMiddle(1), 1],
    ['F20', faults.htmlAfter, 2],
    ['F30', faults.badGatewayBefore, 0],
    ['F32', faults.shorter, 1],
  ] as const)(
    'D1, %s: no certain answer: nothing is sent again, 10, and links that lead there are named',
    async ([fault, step, named], { world }) => {
      await world.server.script([{ ...step, ...onPost }]);
      const { exit, error, statuses } = await shortenFew(world, rowsOf(fault === 'F05' ? 1 : 2));
      expect(exit).toBe(10);
      expect(statuses).toContain('unknown');
      expect(await world.posts()).toHaveLength(1);
      const records = await world.stored();
      const told = records.filter(({ hash }) =>
        world
          .plain(error?.details ?? [])
          .join('\n')
          .includes(`s.ex/${hash}`),
      );
      expect(told).toHaveLength(fault === 'F32' ? 0 : named);
      expect(world.warnings[0]).toMatch(/^no reliable response: .* 12 s$/);
    },
  );

  test.for<[string, Manners, string]>([
    ['a listing that is 5 s behind', { lag: 100 }, 'https://example.com/a'],
    ['a page cap', { pageCap: 30 }, 'https://example.com/a'],
    ['a host that is written otherwise', { longUrls: 'stored normalised' }, 'https://MÜNCHEN.example/a b?ü'],
    ['a listing that begins with the oldest', { oldestFirst: true }, 'https://example.com/a'],
  ])('D1: on an account in use, with %s: one link, one POST, 10', async ([, manners, long_url], { world }) => {
    await seed(world.direct, 150);
    await world.server.behave(manners);
    await world.server.script([{ ...faults.dropAfter, ...onPost }]);
    const { exit, error } = await shortenFew(world, [{ long_url }], 'off', 40_000);
    expect(exit).toBe(10);
    expect(await world.posts()).toEqual([1]);
    const record = (await world.stored())[150];
    expect(world.plain(error?.details ?? []).join('\n')).toContain(`s.ex/${record?.hash}`);
  });

  test('D1: that no link leads there is said, and is no reason to send again', async ({ world }) => {
    await seed(world.direct, 150);
    await world.server.script([{ ...faults.dropBefore, ...onPost }]);
    expect(await shortenFew(world, rowsOf(1))).toMatchObject({ exit: 10, statuses: 'unknown' });
    expect(world.warnings.at(-1)).toBe('none of the newest 150 links leads to https://example.com/0');
    expect(await world.posts()).toEqual([1]);
  });

  test('D1: an answer that comes after the time-out, and links of the same URL before: each is named, none is made', async ({
    world,
  }) => {
    await store(world.direct, [{ long_url: 'https://example.com/0', custom_hash: 'older' }]);
    await world.server.script([{ ...faults.late(20), ...onPost }]);
    const { exit, error } = await shortenFew(world, rowsOf(1), 'off', 40_000);
    expect(exit).toBe(10);
    expect((await world.stored()).map(({ hash }) => error?.details.join('\n').includes(hash))).toEqual([true, true]);
  });

  test.for([
    ['keyed', [{ long_url: 'https://example.com/', custom_hash: 'k' }], 'off'],
    ['dedupe', [{ long_url: 'https://example.com/' }], 'account'],
  ] as const)('%s: no answer: the same again', async ([, items, dedupe], { world }) => {
    await world.server.script([{ ...faults.dropAfter, ...onPost, times: 2 }]);
    expect(await shortenFew(world, items, dedupe)).toMatchObject({ exit: 0 });
    expect(await world.stored()).toHaveLength(1);
    expect(await world.posts()).toEqual([1, 1, 1]);
  });

  test('4.3.1: a refused URL fails alone', async ({ world }) => {
    const items = [{ long_url: 'https://example.com/' }, { long_url: 'ftp://example.com/' }];
    expect(await shortenFew(world, items)).toMatchObject({ exit: 3, statuses: 'created failed' });
  });

  test('F25: a wrong key: 4, and nothing is said about the rows', async ({ world }) => {
    await world.server.script([{ ...faults.refuse(1300), ...onPost }]);
    expect(await shortenFew(world, rowsOf(2))).toMatchObject({ exit: 4, statuses: 'not_sent not_sent' });
  });

  test('F23: a code that nobody knows fails the rows with it, 1', async ({ world }) => {
    await world.server.script([{ ...faults.refuse(9999), ...onPost }]);
    expect(await shortenFew(world, rowsOf(2))).toMatchObject({ exit: 1, statuses: 'failed failed' });
  });

  test.for<[string, DedupeScope, ShortenItem, string]>([
    ['checked', 'off', { long_url: 'https://example.com/' }, 'the same command creates the links again'],
    ['keyed', 'off', { long_url: 'https://example.com/', custom_hash: 'k' }, 'run the same command again'],
    ['dedupe', 'account', { long_url: 'https://example.com/' }, 'run the same command again'],
  ])(
    'J7, %s: a result that cannot be written: 9, and the hint leads to no second link',
    async ([, dedupe, item, hint], { world }) => {
      const { openJournalFile } = crashingFile({ failAt: { line: 'result', code: 'ENOSPC' } });
      const { exit, error } = await shortenFew(world, [item], dedupe, undefined, openJournalFile);
      expect(exit).toBe(9);
      expect(world.plain(error?.details)).toEqual([expect.stringMatching(/^line 2: created .*s\.ex\/\w+$/)]);
      expect(error?.hint).toContain(hint);
    },
  );

  test('J7: only the end of the run cannot be written: 9, every row is created, and there is nothing to repeat', async ({
    world,
  }) => {
    const { openJournalFile } = crashingFile({ failAt: { line: 'end', code: 'ENOSPC' } });
    const { exit, error, statuses } = await shortenFew(world, rowsOf(2), 'off', undefined, openJournalFile);
    expect({ exit, statuses }).toEqual({ exit: 9, statuses: 'created created' });
    expect(error?.hint).toContain('every row is done');
  });
});
