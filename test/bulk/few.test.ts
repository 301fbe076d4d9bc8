import { describe, expect } from 'vitest';
import { runFew } from '../../src/bulk/few.ts';
import { chooseMode, type DedupeScope } from '../../src/bulk/modes.ts';
import { exitCodeOf, runEnd } from '../../src/bulk/row-outcome.ts';
import { shortenFewOperation } from '../../src/bulk/shorten.ts';
import type { ShortenItem } from '../../src/contract/operations.ts';
import { faults } from '../support/faulty-steps.ts';
import { type BulkWorld, rowsOf, test } from './bulk-world.ts';

const onPost = { only: { method: 'POST' } };

async function shortenFew({ client, system }: BulkWorld, items: readonly ShortenItem[], dedupe: DedupeScope = 'off') {
  const keyedRows = items.filter(({ custom_hash }) => custom_hash).length;
  const mode = chooseMode({ edition: client.edition, rows: items.length, keyedRows, dedupe, generateHashes: false });
  const { outcomes, tally, stop } = await runFew(shortenFewOperation({ client, mode }), items, {
    system,
    batchSize: 1000,
    signal: new AbortController().signal,
  });
  const end = runEnd(tally, stop);
  return {
    statuses: outcomes.map(({ status }) => status).join(' '),
    exit: end.kind === 'signal' ? end.kind : exitCodeOf(end),
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

  test('F04: no answer, and the long URL is nowhere: it is sent once more', async ({ world }) => {
    await world.server.script([{ ...faults.dropBefore, ...onPost }]);
    expect(await shortenFew(world, rowsOf(2))).toMatchObject({ exit: 0 });
    expect(await world.posts()).toEqual([2, 2]);
    expect(await world.stored()).toHaveLength(2);
  });

  test('F04 twice: it is sent no third time, 10', async ({ world }) => {
    await world.server.script([{ ...faults.dropBefore, ...onPost, times: 'all' }]);
    expect(await shortenFew(world, rowsOf(1))).toMatchObject({ exit: 10, statuses: 'unknown' });
    expect(await world.posts()).toEqual([1, 1]);
  });

  test('F05: no answer, but the long URL is there: 10, and the short URL is named', async ({ world }) => {
    await world.server.script([{ ...faults.dropAfter, ...onPost }]);
    const { exit, error } = await shortenFew(world, rowsOf(1));
    expect(exit).toBe(10);
    const [record] = await world.stored();
    expect(error?.details.join('\n')).toContain(`s.ex/${record?.hash}`);
    expect(await world.posts()).toEqual([1]);
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
});
