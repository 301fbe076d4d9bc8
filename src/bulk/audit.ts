import type { Client } from '../client/client.ts';
import type { ShortenItem } from '../contract/operations.ts';
import { readItem } from './answer-items.ts';
import { readJournal } from './journal.ts';
import { hashesOf, type Mark } from './journal-lines.ts';
import { foldedKey, keyFields } from './row-keys.ts';
import { shortUrlOf } from './short-url.ts';
import type { KnownRecord } from './verdict.ts';

/** A batch of checked mode that was in doubt. */
export interface DoubtfulPast {
  readonly mark: Mark;
  readonly items: readonly ShortenItem[];
}

export interface AuditSettings {
  readonly client: Pick<Client, 'send'>;
  readonly domain?: string | undefined;
  readonly journal: string;
  /** Rows of the run: no more records are looked through than it may have made, and some. */
  readonly rows: number;
  readonly signal: AbortSignal;
}

const pageSize = 500;
const enoughKnown = 50;

/**
 * Links that look as if a batch in doubt had made them after all, late, and that no row has (1.2, F07). Nothing is deleted: they
 * may be somebody else's.
 */
export async function findSurplus(past: readonly DoubtfulPast[], settings: AuditSettings): Promise<string[]> {
  const [first] = past;
  if (!first) return [];
  const all = new Set(keyFields);
  const wanted = new Set(past.flatMap(({ items }) => items.map((item) => foldedKey(item, all))));
  const candidates = await scan(first.mark, (record) => wanted.has(foldedKey(record, all)), settings);
  if (candidates.size === 0) return [];
  for await (const { line } of readJournal(settings.journal)) {
    if (line.type === 'result') for (const hash of hashesOf(line)) candidates.delete(hash);
  }
  return [...candidates.values()].map(shortUrlOf);
}

async function scan(
  mark: Mark,
  isWanted: (record: KnownRecord) => boolean,
  { client, domain, rows, signal }: AuditSettings,
): Promise<Map<string, KnownRecord>> {
  const known = new Set(mark.known);
  const seen = new Set<string>();
  const found = new Map<string, KnownRecord>();
  for (let offset = 0; offset < rows * 2 + 10 * pageSize; ) {
    const query = { offset, limit: pageSize, ...(domain !== undefined && { domain }) };
    const { urls } = await client.send('listUrls', { query }, { signal });
    for (const entry of urls) {
      const item = readItem({ ...entry, error: undefined });
      if (item?.kind !== 'record') continue;
      if (known.has(item.record.hash)) seen.add(item.record.hash);
      else if (isWanted(item.record)) found.set(item.record.hash, item.record);
    }
    offset += urls.length;
    if (urls.length === 0 || (known.size > 0 && seen.size >= Math.min(enoughKnown, known.size))) break;
  }
  return found;
}
