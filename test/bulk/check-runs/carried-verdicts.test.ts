import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyVerdicts } from '../../../src/bulk/check-runs/recorded-verdicts.ts';
import { foldJournal } from '../../../src/bulk/journal/fold.ts';
import { openJournal } from '../../../src/bulk/journal/journal.ts';
import { readJournal } from '../../../src/bulk/journal/line-reader.ts';
import { encodeLine, type JournalLine } from '../../../src/bulk/journal/lines.ts';
import { largeRecord, runFolders } from '../../../src/bulk/past-runs/run-names.ts';
import type { CheckedLink } from '../../../src/check/destinations.ts';
import { hasty, linkTo, listOf } from '../../check/asked.ts';

const begin = (rows: number): JournalLine => ({
  type: 'begin',
  version: 1,
  run: 'r',
  operation: 'check',
  server: 'http://127.0.0.1/api/3',
  account: 'ann',
  edition: 'a',
  input: { name: 'check', sha256: '', rows },
  options: {},
  outputs: [],
  at: '',
});

/** What a check of `links` takes over from one of `earlier` that had finished, as rows and reasons. */
async function carried(earlier: readonly CheckedLink[], links: readonly CheckedLink[], shortUrls: boolean): Promise<unknown[]> {
  const folder = mkdtempSync(join(tmpdir(), 'carried-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'journal.log');
  const found = earlier.map((_, row): JournalLine => {
    const verdict = { status: 'ok', milliseconds: 1, reason: `of ${row}`, ...(row === 2 && { deferredBy: 'a.test' }) } as const;
    return { type: 'checked', rows: [[row, row]], verdict };
  });
  writeFileSync(path, Buffer.concat([begin(earlier.length), ...found].map(encodeLine)));
  const next = join(folder, 'next.log');
  const journal = await openJournal(next, 0);
  await copyVerdicts(
    { record: { ...largeRecord('earlier', runFolders(folder)), journal: path }, state: await foldJournal(path) },
    { links: listOf(links), settings: hasty, shortUrls, readLinks: async () => listOf(earlier) },
    journal,
  );
  await journal.close();
  const lines: unknown[] = [];
  for await (const { line } of readJournal(next)) if (line.type === 'checked') lines.push([line.rows, line.verdict.reason]);
  return lines;
}

const three = ['one', 'two', 'three'].map((page, nth) => linkTo(`https://a.test/${page}`, nth));

test('R 1.4: a verdict belongs to all links that lead to its destination now; who was left alone has none', async () => {
  const now = [
    linkTo('https://a.test/two#part', 7),
    linkTo('https://a.test/new', 0),
    ...three.slice(1),
    linkTo('https://a.test/two', 8),
  ];
  expect(await carried(three, now, false)).toEqual([
    [
      [
        [0, 0],
        [2, 2],
        [4, 4],
      ],
      'of 1',
    ],
  ]);
});

test('K4: with --links a verdict is of the short URL and where it was to lead', async () => {
  const now = [linkTo('https://a.test/new', 0), linkTo('https://a.test/two', 1)];
  expect(await carried(three, now, true)).toEqual([[[[1, 1]], 'of 1']]);
});
