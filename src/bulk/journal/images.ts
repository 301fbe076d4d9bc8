import { existsSync } from 'node:fs';
import type { LinkKey } from '../../contract/link.ts';
import type { EditFields } from '../../contract/operations.ts';
import type { KnownRecord } from '../../contract/records.ts';
import { fileError } from '../../files/file-error.ts';
import { syncFolder } from '../../files/folders.ts';
import { fieldsSince } from '../../link/same.ts';
import type { BulkOperation } from '../operations/operation.ts';
import type { RunRecord } from '../past-runs/run-names.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import type { RunEnvironment, RunPlan } from '../run-plan.ts';
import { openJournal } from './journal.ts';
import { damaged, type LineLocation, linesBackwards, parsedLines, readJournal } from './line-reader.ts';
import type { JournalLine } from './lines.ts';
import type { BegunRun } from './new-run.ts';

export interface BeforeImage {
  /** Index in the run's input, from 0. */
  readonly row: number;
  readonly payload: LinkKey;
  readonly record: KnownRecord | null;
  /** What was seen of the link whenever the row was in doubt, the oldest first. */
  readonly seen?: readonly SeenInDoubt[] | undefined;
}

export interface SeenInDoubt {
  /** The values that had changed since the image before, to others than the requested ones. */
  readonly values: Partial<KnownRecord>;
  /** Tag instructions that were sent again. */
  readonly tags: readonly string[];
}

export type Images = NonNullable<Awaited<ReturnType<typeof imagesOf>>>;

/**
 * Records the before-images of a new or resumed run; undefined if it keeps none. A run is undone as a whole, so a resumed run keeps its first
 * setting. A one-off records the links that it read under its hashes.
 */
export async function imagesOf(
  { resumed, name, record, journal, state: { begin } }: BegunRun,
  { undo = false, isOneOff, input, payload: payloadOf }: RunPlan,
  { warn, system, openJournalFile }: RunEnvironment,
  operation: BulkOperation,
) {
  const began = begin.undo ?? false;
  if (resumed && began !== undo) warn(`run ${name} was started ${began ? 'without' : 'with'} --no-undo, and continues so`);
  const isRead = isOneOff === true && input.readAt !== undefined;
  if (!(resumed ? began : undo || isRead)) return undefined;
  const { isSmall, path: folder, images: path } = record;
  const isNew = !existsSync(path);
  const earlier = resumed ? await keptImages(record, input.rows) : undefined;
  // A torn line at the end belongs to a batch that was not sent.
  const file = isSmall ? journal : await openJournal(path, earlier?.size ?? 0, openJournalFile);
  try {
    // A file is durable only if its name is.
    if (isNew && !isSmall) syncFolder(folder, system);
  } catch (error) {
    await file.close();
    throw fileError('write', folder, error);
  }
  const kept = new Uint8Array(input.rows);
  const images = {
    /** Returns true if this process has recorded the image of the row. */
    has: (index: number): boolean => kept[index] === 1,
    /** `inDoubt`: an earlier attempt may have set what differs from the image before. */
    async keep(rows: readonly BulkRow[], inDoubt?: true): Promise<void> {
      await file.write({ ...lineOf(rows, operation), inDoubt });
      for (const { index } of rows) kept[index] = 1;
    },
    /** What earlier processes have recorded. */
    earlier,
    async close(): Promise<void> {
      await earlier?.close();
      if (!isSmall) await file.close();
    },
  };
  if (isRead) {
    for await (const rows of input.open())
      await images.keep(rows.map((row, index) => ({ ...row, index, payload: payloadOf(row.item) })));
  }
  return images;
}

function lineOf(rows: readonly BulkRow[], { requestedFields }: BulkOperation): JournalLine<'before'> {
  const payloads = rows.map(({ payload }) => {
    const { hash = '', domain }: Partial<LinkKey> = payload;
    return { hash, domain, ...requestedFields?.(payload) };
  });
  const records = rows.map(({ before }) => before ?? null);
  return { type: 'before', rows: rows.map(({ index }) => index), payloads, records };
}

export type KeptImages = Awaited<ReturnType<typeof keptImages>>;

/**
 * Finds the images of a run. If a row has several, the last one counts: its link was read again right before it was sent. If it was in doubt
 * then, the one before counts, too, because the attempt may have changed the link.
 */
export async function keptImages({ images: path, isSmall }: RunRecord, rows: number) {
  const locations: LineLocation[] = [];
  const last = new Uint32Array(rows);
  /** By row in doubt: its last image from before. */
  const first = new Map<number, number>();
  let size = 0;
  for await (const { line, offset, length } of existsSync(path) ? readJournal(path) : []) {
    size = offset + length;
    if (line.type !== 'before' && isSmall) continue;
    if (line.type !== 'before') throw damaged(path, `byte ${offset}`);
    locations.push({ offset, length });
    for (const row of line.rows) {
      const earlier = last[row] ?? 0;
      if (!line.inDoubt || earlier === 0) first.delete(row);
      else if (!first.has(row)) first.set(row, earlier);
      last[row] = locations.length;
    }
  }
  const lines = parsedLines(path, 'before', (line) => new Map(imagesIn(line).map((image) => [image.row, image])));
  return {
    /** Bytes up to the end of the last whole line. */
    size,
    has: (row: number): boolean => (last[row] ?? 0) > 0,
    /** Returns true if the last image of the row was seen in doubt. */
    wasInDoubt: (row: number): boolean => first.has(row),
    async of(row: number): Promise<BeforeImage | undefined> {
      const location = locations[(last[row] ?? 0) - 1];
      return location && (await lines.at(location)).get(row);
    },
    close: lines.close,
    /** Yields groups of images, last first, because changes are undone in reverse order. */
    async *backwards(): AsyncGenerator<readonly BeforeImage[]> {
      let nth = locations.length;
      /** By row: its images in doubt, the oldest first. */
      const doubts = new Map<number, readonly BeforeImage[]>();
      for await (const line of linesBackwards(path, 'before', locations)) {
        const images = imagesIn(line);
        for (const image of images) {
          const { row } = image;
          if (nth > (first.get(row) ?? nth)) doubts.set(row, [image, ...(doubts.get(row) ?? [])]);
        }
        yield images
          .filter(({ row }) => nth === (first.get(row) ?? last[row]))
          .map((image) => ({
            ...image,
            seen: doubts.get(image.row)?.map((doubt, step, all) => seenIn(doubt, all[step - 1] ?? image)),
          }));
        nth -= 1;
      }
    },
  };
}

function seenIn({ payload, record }: BeforeImage, { record: earlier }: BeforeImage): SeenInDoubt {
  const { hash: _, domain: __, ...asked } = payload;
  const { tags = [] }: EditFields = asked;
  const changed = record && earlier ? fieldsSince(earlier, record) : [];
  return { values: Object.fromEntries(changed.map((field) => [field, record?.[field]])), tags };
}

function imagesIn({ rows, payloads, records }: JournalLine<'before'>): BeforeImage[] {
  return rows
    .flatMap((row, position) => {
      const payload = payloads[position];
      return payload ? [{ row, payload, record: records[position] ?? null }] : [];
    })
    .reverse();
}
