import { pbkdf2 } from 'node:crypto';
import { fstatSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { foldJournal } from '../../../src/bulk/journal/fold.ts';
import { openJournal } from '../../../src/bulk/journal/journal.ts';
import { encodeLine, type JournalLine, type ResultLine } from '../../../src/bulk/journal/lines.ts';
import { recordedOutcomes } from '../../../src/bulk/journal/recorded-results.ts';
import { faults } from '../../support/faulty-steps.ts';
import { type BulkWorld, rowsOf, test } from '../bulk-world.ts';
import { crashingFile } from '../crashing-file.ts';

const begin: JournalLine = {
  type: 'begin',
  version: 1,
  run: 'r',
  operation: 'edit',
  server: 'http://127.0.0.1/api/3',
  account: 'ann',
  edition: 'a',
  input: { name: 'edits.csv', sha256: '', rows: 3 },
  options: {},
  outputs: [],
  at: '',
};
const usual = { type: 'result', batch: 1, rows: [[0, 2]], states: 'hff', hashes: ['a'], shortUrls: 'https://s.ex/' } as const;

function journalWith({ folder }: BulkWorld, line: object): string {
  const path = join(folder, 'journal.log');
  const result = { ...usual, ...line } as ResultLine;
  writeFileSync(path, Buffer.concat([begin, result].map(encodeLine)));
  return path;
}

async function recordedIn(path: string): Promise<object[]> {
  const recorded = recordedOutcomes(path, await foldJournal(path));
  const rows = [0, 1, 2].map((index) => ({ index, line: index + 2, item: {}, payload: {} }));
  const outcomes = await recorded.outcomesOf(rows);
  await recorded.close();
  return outcomes.map(({ record, error }) => ({ ...record, ...(error && { error }) }));
}

const places = { short_url: 's.ex/a', short_url_with_protocol: 'https://s.ex/a' };

describe('J5: what a journal keeps of single rows', () => {
  test('details apart from the message, and the link of a row that was not applied', async ({ world }) => {
    const errors = [
      [1215, 'no', 'it is taken'],
      [0, 'not applied: note', 'note: …', { hash: 'b', shortUrl: 's.ex/b', longUrl: 'https://b.example/' }],
    ];
    expect(await recordedIn(journalWith(world, { errors, destinations: ['https://a.example/'] }))).toEqual([
      { hash: 'a', long_url: 'https://a.example/', ...places },
      { error: { code: 1215, message: 'no', details: 'it is taken' } },
      {
        hash: 'b',
        long_url: 'https://b.example/',
        short_url: 's.ex/b',
        error: { code: 0, message: 'not applied: note', details: 'note: …' },
      },
    ]);
  });

  test('a journal from before these were kept is read as it always was', async ({ world }) => {
    const errors = [
      [1215, 'no: it is taken'],
      [0, 'not applied: note: note: …'],
    ];
    expect(await recordedIn(journalWith(world, { errors }))).toEqual([
      { hash: 'a', long_url: undefined, ...places },
      { error: { code: 1215, message: 'no: it is taken' } },
      { error: { code: 0, message: 'not applied: note: note: …' } },
    ]);
  });

  const fine = [1306, 'gone'];
  const verdict = { status: 'ok', httpStatus: 200, milliseconds: 1, reason: '' };
  test.for<[string, object]>([
    ['a state too few', { errors: [fine, fine], states: 'cf' }],
    ['a letter that is none', { errors: [fine, fine], states: 'xff' }],
    ['a hash too few', { errors: [fine, fine], hashes: [] }],
    ['a row that the run has not', { errors: [fine, fine], rows: [[1, 3]] }],
    ['rows that are no list', { errors: [fine, fine], rows: 3 }],
    ['rows without an end', { errors: [fine, fine], rows: [[0]] }],
    ['rows that go backwards', { errors: [fine, fine], rows: [[2, 0]] }],
    ['released rows that the run has not', { errors: [fine, fine], released: [[0, 30_000_000]] }],
    ['a type that is none', { type: 'other' }],
    ['an error too few', { errors: [fine] }],
    ['failed rows without a reason', {}],
    ['errors that are null', { errors: null }],
    ['destinations that are null', { errors: [fine, fine], destinations: null }],
    ['errors that are no list', { errors: { 0: fine } }],
    ['a print too many', { errors: [fine, fine], values: { note: 'a b' } }],
    ['a print that is no text', { errors: [fine, fine], values: { note: 1 } }],
    ['a destination too many', { errors: [fine, fine], destinations: ['', ''] }],
    ['destinations that are a text', { errors: [fine, fine], destinations: 'h' }],
    ['a finding that is none', { type: 'checked', verdict: { ...verdict, status: 'dead' } }],
    ['a finding that is null', { type: 'checked', verdict: null }],
    ['a finding without a reason', { type: 'checked', verdict: { ...verdict, reason: undefined } }],
    ['a finding of a row that the run has not', { type: 'checked', verdict, rows: [[3, 3]] }],
  ])('J3, F63: %s is reported as damage, exit 9, whatever the sum of the line', async ([, line], { world }) => {
    await expect(foldJournal(journalWith(world, line))).rejects.toMatchObject({
      exitCode: 9,
      message: expect.stringMatching(/is damaged \(byte \d+\)$/),
    });
  });

  test('G5: a line of rows that all went well holds nothing but hashes and prints, of equal values one', async ({ world }) => {
    await world.shorten(rowsOf(3));
    const line = world.journal().find(({ type }) => type === 'result');
    expect(Object.keys(line ?? {})).toEqual([
      'type',
      'batch',
      'rows',
      'states',
      'hashes',
      'shortUrls',
      'longUrls',
      'values',
      'given',
    ]);
    expect(JSON.stringify(line?.type === 'result' && line.values)).not.toContain(' ');
  });
});

const onPost = { only: { method: 'POST' } };

test("R 1.6: a link that is otherwise than its row asked may be somebody else's: the batch is unknown, and no link is called a second one", async ({
  world,
}) => {
  const rows = ['n', ''].map((note) => ({ long_url: 'https://example.com/', note }));
  await world.server.script([
    { ...faults.dropAfter, ...onPost },
    { only: { method: 'GET', path: '/urls' }, times: 'all', alter: { each: { note: '' } } },
  ]);
  const { statuses, summary } = await world.shorten(rows);
  expect(statuses).toBe('unknown unknown');
  expect(summary.surplus).toEqual([]);
});

test('R 1.6: reading back after a restart knows the link of a row that was not applied', async ({ world }) => {
  const rows = rowsOf(2, (index) => (index === 0 ? { custom_hash: 'own', note: 'n' } : {}));
  const urls = [{ hash: 'own', short_url: 's.ex/own', long_url: 'https://example.com/0', note: 'other' }];
  await world.server.script([{ ...onPost, answer: { body: { error: { code: 0, message: '' }, urls } } }]);
  const { openJournalFile, released } = crashingFile({ crashAt: { line: 'ambiguous', step: 'after sync' } });
  await world.shorten(rows, { environment: { openJournalFile } });
  expect(released()).toBe(true);
  const again = await world.shorten(rows);
  expect(again).toMatchObject({ statuses: 'failed created', exit: 3 });
  expect(again.outcomes[0]?.record).toEqual({ hash: 'own', short_url: 's.ex/own' });
});

describe('D42: files of a journal', () => {
  const isSocket = (file: string): boolean => {
    try {
      return fstatSync(Number(file)).isSocket();
    } catch {
      return false;
    }
  };
  // Connections of earlier tests end at any time.
  const openFiles = (): number => readdirSync('/dev/fd').filter((file) => !isSocket(file)).length;
  const errors = [1, 2].map(() => [1215, 'no']);

  test('D42: what outcomes were read from is closed when it says so', async ({ world }) => {
    const before = openFiles();
    const path = journalWith(world, { errors });
    const recorded = recordedOutcomes(path, await foldJournal(path));
    await recorded.outcomesOf([{ index: 0, line: 2, item: {}, payload: {} }]);
    // Node's threads have other things to do first: whoever does not wait for them is found out.
    for (let thread = 0; thread < 8; thread += 1) pbkdf2('', '', 50_000, 64, 'sha512', () => {});
    await recorded.close();
    expect(openFiles()).toBe(before);
  });

  test('D42: one that cannot be opened any more is reported once, and nothing is left to close', async ({ world }) => {
    const path = journalWith(world, { errors });
    const recorded = recordedOutcomes(path, await foldJournal(path));
    rmSync(path);
    await expect(recorded.outcomesOf([{ index: 0, line: 2, item: {}, payload: {} }])).rejects.toThrow();
    await recorded.close();
  });

  test('D42: one that cannot be cut to what is good is closed again', async () => {
    const before = openFiles();
    await expect(openJournal('/dev/null', 1)).rejects.toMatchObject({ exitCode: 9 });
    expect(openFiles()).toBe(before);
  });

  // The number of a closed file is soon that of another.
  test('J1: a journal that is closed twice closes its file once, and takes no more lines', async ({ world }) => {
    let closed = 0;
    async function close(): Promise<void> {
      closed += 1;
    }
    const file = { append: async () => {}, sync: async () => {}, close };
    const journal = await openJournal(join(world.folder, 'closed.log'), 0, async () => file);
    await Promise.all([journal.close(), journal.close()]);
    await journal.close();
    expect(closed).toBe(1);
    await expect(journal.write({ type: 'end', reason: '', at: '' })).rejects.toMatchObject({ exitCode: 9 });
  });
});
