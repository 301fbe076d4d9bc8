import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LinkKey } from '../../contract/link.ts';
import type { KnownRecord } from '../matching/verdict.ts';
import type { BulkOperation } from '../operations/operation.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import type { Images } from '../sending/execution.ts';
import { type OpenJournalFile, openJournal, readJournal } from './journal.ts';
import type { JournalLine } from './lines.ts';

/** What a link was before a run changed it, and what it was to get. */
export interface BeforeImage {
  /** From 0, in the order of the run's input. */
  readonly row: number;
  /** The link with the fields that were sent for it. */
  readonly payload: LinkKey;
  readonly record: KnownRecord | null;
}

/** Images are many times as large as the journal, which is read whole at every resume; so they have a file of their own. */
export const imagesName = 'before.log';

/** Images of a run that is begun or resumed; the file is made with the first of them. */
export interface OpenImages<Payload extends object> extends Images<Payload> {
  close(): Promise<void>;
}

/** `folder`: of the run. Throws `LocalError` where the file cannot be made, before anything is sent (U1). */
export async function openImages<Payload extends object>(
  folder: string,
  operation: Pick<BulkOperation<Payload>, 'asks'>,
  openFile?: OpenJournalFile,
): Promise<OpenImages<Payload>> {
  const path = join(folder, imagesName);
  const file = await openJournal(path, await soundSize(path), openFile);
  const kept = new Set<number>();
  return {
    has: (index) => kept.has(index),
    async keep(rows) {
      await file.write(lineOf(rows, operation));
      for (const { index } of rows) kept.add(index);
    },
    close: () => file.close(),
  };
}

function lineOf<Payload extends object>(
  rows: readonly BulkRow<Payload>[],
  { asks }: Pick<BulkOperation<Payload>, 'asks'>,
): JournalLine<'before'> {
  return {
    type: 'before',
    rows: rows.map(({ index }) => index),
    payloads: rows.map(({ payload }) => ({ ...linkOf(payload), ...asks?.(payload) })),
    records: rows.map(({ before }) => before ?? null),
  };
}

function linkOf({ hash = '', domain }: Partial<LinkKey>): LinkKey {
  return { hash, domain };
}

/** Bytes up to the last whole line; a torn one at the end belongs to a batch that was not sent. */
async function soundSize(path: string): Promise<number> {
  if (!existsSync(path) || statSync(path).size === 0) return 0;
  let size = 0;
  for await (const { offset, length } of readJournal(path)) size = offset + length;
  return size;
}

/**
 * The images of a run, some at a time: of a row that has several, the last. It was read again because nothing had been applied.
 */
export async function* readImages(folder: string, rows: number): AsyncGenerator<readonly BeforeImage[]> {
  const path = join(folder, imagesName);
  if (!existsSync(path)) return;
  const last = new Uint32Array(rows);
  let count = 0;
  for await (const line of imageLines(path)) {
    count += 1;
    for (const row of line.rows) last[row] = count;
  }
  let nth = 0;
  for await (const { rows: indexes, payloads, records } of imageLines(path)) {
    nth += 1;
    yield indexes.flatMap((row, position) => {
      const payload = payloads[position];
      return last[row] === nth && payload ? [{ row, payload, record: records[position] ?? null }] : [];
    });
  }
}

async function* imageLines(path: string): AsyncGenerator<JournalLine<'before'>> {
  for await (const { line } of readJournal(path)) if (line.type === 'before') yield line;
}
