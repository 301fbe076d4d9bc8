import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { System } from '../../base/system.ts';
import type { LinkKey } from '../../contract/link.ts';
import { fileError } from '../../files/file-error.ts';
import { syncFolder } from '../../files/folders.ts';
import type { KnownRecord } from '../matching/verdict.ts';
import type { BulkOperation } from '../operations/operation.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import type { Images } from '../sending/execution.ts';
import { type Journal, type OpenJournalFile, openJournal, openToRead, type Place, readJournal, readLineAt } from './journal.ts';
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

interface ImagesOptions<Payload extends object> {
  /** The run's. */
  readonly folder: string;
  /** Of its input. */
  readonly rows: number;
  readonly operation: Pick<BulkOperation<Payload>, 'asks'>;
  readonly system: Pick<System, 'platform'>;
  readonly openFile?: OpenJournalFile | undefined;
}

/** Throws `LocalError` where the file cannot be made, before anything is sent (U1). */
export async function openImages<Payload extends object>({
  folder,
  rows: count,
  operation,
  system,
  openFile,
}: ImagesOptions<Payload>): Promise<OpenImages<Payload>> {
  const path = join(folder, imagesName);
  const isNew = !existsSync(path);
  const file = await openJournal(path, await soundSize(path), openFile);
  // What is written into a file is on the disk only if its name is.
  if (isNew) await syncOrClose(folder, file, system);
  const kept = new Uint8Array(count);
  return {
    has: (index) => kept[index] === 1,
    async keep(rows) {
      await file.write(lineOf(rows, operation));
      for (const { index } of rows) kept[index] = 1;
    },
    close: () => file.close(),
  };
}

async function syncOrClose(folder: string, file: Journal, system: Pick<System, 'platform'>): Promise<void> {
  try {
    syncFolder(folder, system);
  } catch (error) {
    await file.close();
    throw fileError('write', folder, error);
  }
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
 * The images of a run, some at a time, the last first: links that are made again in this order are listed as they were. Of a row that has
 * several the last counts: it was read again because nothing had been applied.
 */
export async function* readImages(folder: string, rows: number): AsyncGenerator<readonly BeforeImage[]> {
  const path = join(folder, imagesName);
  if (!existsSync(path)) return;
  const places: Place[] = [];
  for await (const { offset, length } of readJournal(path)) places.push({ offset, length });
  const seen = new Uint8Array(rows);
  const file = await openToRead(path);
  try {
    for (const place of places.reverse()) {
      const line = await readLineAt(file, place);
      if (line.type === 'before') yield imagesOf(line, seen);
    }
  } finally {
    await file.close();
  }
}

/** The rows of a line that no later line has, the last first. */
function imagesOf({ rows, payloads, records }: JournalLine<'before'>, seen: Uint8Array): BeforeImage[] {
  const images: BeforeImage[] = [];
  for (const [position, row] of [...rows.entries()].reverse()) {
    const payload = payloads[position];
    if (seen[row] === 1 || !payload) continue;
    seen[row] = 1;
    images.push({ row, payload, record: records[position] ?? null });
  }
  return images;
}
