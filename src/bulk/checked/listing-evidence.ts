import { grouped } from '../../base/group-by.ts';
import { foldedHash } from '../../contract/link.ts';
import type { KnownRecord } from '../../contract/records.ts';
import type { MachineTime } from '../../files/process-mark.ts';
import { urlPrint } from '../../link/prints.ts';
import { readJournal } from '../journal/line-reader.ts';
import { indexesOf, type JournalLine, type Watermark } from '../journal/lines.ts';
import { linksOf, recordedHashes } from '../journal/recorded-results.ts';

/** Journal data about the listing when the batch was sent; any process can read the batch back with it. */
export interface BatchEvidence {
  readonly watermark: Watermark;
  /** Hashes of the run's newest links up to this batch. A listing without them is stale. */
  readonly latest: readonly string[];
  /** Hashes of links that existed before `latest`. A listing with the newest first has them after `latest`. */
  readonly earlier: readonly string[];
  readonly latestBatch: number;
  /** When a process ended after it had sent the batch; undefined if none did. */
  readonly endedAt: MachineTime | undefined;
}

/** Undefined if the journal has no watermark for the batch. */
export async function evidenceOf(journal: string, batch: number): Promise<BatchEvidence | undefined> {
  let current: JournalLine<'intent'> | undefined;
  let found: Watermark | undefined;
  let given: Omit<BatchEvidence, 'watermark' | 'endedAt'> = { latest: [], earlier: [], latestBatch: 0 };
  let endedAt: MachineTime | undefined;
  for await (const { line } of readJournal(journal)) {
    if (line.type === 'intent' && (current?.batch ?? 0) < batch) current = line;
    if (line.type === 'intent' && line.batch === batch) found = line.mark;
    if (line.type === 'end' && found) endedAt ??= line.clock;
    if (line.type !== 'result' || line.batch > batch) continue;
    const hashes = recordedHashes(line);
    if (hashes.length === 0) continue;
    const earlier = current?.batch === line.batch ? (current.mark?.known ?? []) : [];
    const before = given.latestBatch === line.batch ? given.latest : [];
    given = { latest: [...before, ...hashes], earlier, latestBatch: line.batch };
  }
  return found && { watermark: found, ...given, endedAt };
}

/** Returns hashes of records that the journal has as links of the run. Case is ignored if the long URL is the same. */
export async function ownAmong(journal: string, records: Iterable<KnownRecord>): Promise<Set<string>> {
  const own = new Set<string>();
  const wanted = grouped(records, ({ hash }) => foldedHash(hash));
  if (wanted.size === 0) return own;
  for await (const { line } of readJournal(journal)) {
    if (line.type !== 'result') continue;
    for (const { hash, print } of linksOf(line)) {
      for (const record of wanted.get(foldedHash(hash)) ?? []) {
        if (record.hash === hash || print === urlPrint(record.long_url)) own.add(record.hash);
      }
    }
  }
  return own;
}

/** Rows that were sent again after a doubt. Their first request may arrive late and create a second link. */
export interface Resent extends Pick<BatchEvidence, 'watermark' | 'latest' | 'endedAt'> {
  readonly rows: ReadonlySet<number>;
}

export async function resentRows(journal: string): Promise<Resent | undefined> {
  const intents = new Map<number, JournalLine<'intent'>>();
  const answered = new Set<number>();
  const doubtful = new Set<number>();
  const rows = new Set<number>();
  let watermark: Watermark | undefined;
  let latest: readonly string[] = [];
  let endedAt: MachineTime | undefined;
  const doubt = (batch: number, indexes: Iterable<number>): void => {
    watermark ??= intents.get(batch)?.mark;
    for (const index of indexes) doubtful.add(index);
  };
  for await (const { line } of readJournal(journal)) {
    if (line.type === 'end') endedAt ??= line.clock;
    else if (line.type === 'intent') {
      endedAt = undefined;
      if (doubtful.size > 0) for (const index of indexesOf(line.rows)) if (doubtful.has(index)) rows.add(index);
      // Not earlier: if an answer omits rows, their `ambiguous` line follows the result of the others.
      for (const batch of answered) intents.delete(batch);
      answered.clear();
      intents.set(line.batch, line);
    } else if (line.type === 'ambiguous') {
      doubt(line.batch, indexesOf(line.rows));
    } else if (line.type === 'reconcile' && line.batch > 0) {
      // If a process was killed, the intent is the only sign of its doubt.
      doubt(line.batch, indexesOf(intents.get(line.batch)?.rows ?? []));
    } else if (line.type === 'result') {
      const hashes = recordedHashes(line);
      if (hashes.length > 0) latest = hashes;
      answered.add(line.batch);
    } else if (line.type === 'unknown') {
      for (const index of indexesOf(line.rows)) rows.delete(index);
    }
  }
  return rows.size > 0 && watermark ? { rows, watermark, latest, endedAt } : undefined;
}
