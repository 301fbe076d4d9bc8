import { foldLabel } from '../../../contract/tag-label.ts';
import { type HashSource, hashSource } from '../hash-source.ts';
import type { Creation, CreationRules, NewUrl, StoredUrl } from '../store.ts';
import { type AccountRows, addToTally, countUrls, readTally, urlsOfMonth } from './account-rows.ts';
import { idOfTime } from './schema.ts';
import { attachTag, type TagRow, tagLookup } from './tag-rows.ts';
import { findId, longUrlKey, readUrls, storedValues } from './url-rows.ts';

/** What the items of one batch share while they are stored one after the other. */
interface Batch {
  readonly rules: CreationRules;
  readonly source: HashSource;
  /** Custom hashes of the whole batch: a generated one must not take what a later item asks for. */
  readonly reserved: ReadonlySet<string>;
  readonly tagOf: (label: string) => TagRow;
  readonly now: number;
  nextId: number;
  created: number;
  /** Records that may still be made (1220). */
  readonly allowance: number;
}

/** A record without what is counted or attached later. */
type Uncounted = Omit<StoredUrl, 'totalClicks' | 'uniqueClicks' | 'lastVisit' | 'tags'>;

/** Stores a batch inside the caller's write transaction. */
export function createUrls(rows: AccountRows, items: readonly NewUrl[], rules: CreationRules): Creation[] {
  const batch = startBatch(rows, items, rules);
  const outcomes = items.map((item) => createUrl(rows, item, batch));
  finishBatch(rows, batch);
  return outcomes;
}

function startBatch(rows: AccountRows, items: readonly NewUrl[], rules: CreationRules): Batch {
  const { connection, accountId } = rows;
  const now = rows.now();
  const last = connection.sql('SELECT max(id) AS id FROM urls').get<{ id: number | null }>();
  const domain = connection
    .sql('SELECT sequence FROM domains WHERE account_id = ? AND id = ?')
    .get<{ sequence: number }>(accountId, rules.domain.id);
  return {
    rules,
    source: hashSource(rules.domain, domain?.sequence ?? 0, rows.random),
    reserved: new Set(items.flatMap((item) => item.customHash ?? [])),
    tagOf: tagLookup(rows),
    now,
    // Also ordered when the clock was set back.
    nextId: Math.max(idOfTime(now), (last?.id ?? 0) + 1),
    created: 0,
    allowance: Math.min(rules.urlLimit - countUrls(rows), rules.monthLimit - readTally(rows, urlsOfMonth(now))),
  };
}

function finishBatch(rows: AccountRows, batch: Batch): void {
  if (batch.created === 0) return;
  rows.connection
    .sql('UPDATE domains SET urls = urls + ?, sequence = ? WHERE account_id = ? AND id = ?')
    .run(batch.created, batch.source.sequence, rows.accountId, batch.rules.domain.id);
  addToTally(rows, urlsOfMonth(batch.now), batch.created, Number.MAX_SAFE_INTEGER);
}

function createUrl(rows: AccountRows, item: NewUrl, batch: Batch): Creation {
  const existing = findExisting(rows, item, batch.rules);
  if (existing) return existing;
  if (batch.created >= batch.allowance) return { kind: 'over limit' };
  const id = batch.nextId++;
  const hash = item.customHash ?? freeHash(rows, batch);
  const { longUrl, note, emailStats, expirationDate, maxClicks } = item;
  const url = { id, domain: batch.rules.domain, hash, longUrl, note, emailStats, expirationDate, maxClicks };
  insertUrl(rows, url, batch.now);
  const tags = attachTags(rows, item.tags, batch, id);
  batch.created++;
  return { kind: 'created', url: { ...url, totalClicks: 0, uniqueClicks: 0, lastVisit: null, tags } };
}

/** 4.3.3 and 4.3.4: what prevents a new record, or replaces it. */
function findExisting(rows: AccountRows, item: NewUrl, rules: CreationRules): Creation | undefined {
  if (item.customHash !== undefined) {
    const id = findId(rows, rules.domain, item.customHash);
    if (id === undefined) return undefined;
    const urls = rules.duplicates === 'allowed' ? [] : readUrls(rows, [id]);
    return urls[0]?.longUrl === item.longUrl ? { kind: 'existing', urls } : { kind: 'taken' };
  }
  if (rules.duplicates === 'allowed') return undefined;
  const ids = findByLongUrl(rows, item.longUrl, rules);
  return ids.length === 0 ? undefined : { kind: 'existing', urls: readUrls(rows, ids) };
}

/** The oldest first. */
function findByLongUrl({ connection, accountId }: AccountRows, longUrl: string, rules: CreationRules): number[] {
  const found = connection
    .sql(
      `SELECT id FROM urls INDEXED BY urls_by_long_url
       WHERE account_id = ? AND long_url_key = ? AND long_url = ? AND (? OR domain_id = ?) ORDER BY id LIMIT ?`,
    )
    .all<{ id: number }>(
      accountId,
      longUrlKey(longUrl),
      longUrl,
      Number(rules.duplicates === 'none in account'),
      rules.domain.id,
      rules.existingBound,
    );
  return found.map(({ id }) => id);
}

function freeHash(rows: AccountRows, batch: Batch): string {
  for (;;) {
    const hash = batch.source.next();
    if (!batch.reserved.has(hash) && findId(rows, batch.rules.domain, hash) === undefined) return hash;
  }
}

function insertUrl({ connection, accountId }: AccountRows, url: Uncounted, now: number): void {
  connection
    .sql(
      `INSERT INTO urls (id, account_id, domain_id, hash, long_url, long_url_key, note, email_stats, expiration_date, max_clicks, modified)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(url.id, accountId, url.domain.id, ...storedValues(url), now);
}

function attachTags(rows: AccountRows, labels: readonly string[], batch: Batch, urlId: number): string[] {
  if (labels.length === 0) return [];
  const tags = new Map(labels.map((label) => [foldLabel(label), batch.tagOf(label)]));
  for (const tag of tags.values()) attachTag(rows, tag.id, urlId);
  return [...tags].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tag]) => tag.label);
}
