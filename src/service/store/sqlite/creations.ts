import { hashSource } from '../hash-source.ts';
import {
  assignHashes,
  type CreationFacts,
  type CreationPlan,
  creationsOf,
  labelsByFold,
  planCreations,
  shownIds,
} from '../rows/creation-plan.ts';
import { longUrlKey, storedValues } from '../rows/stored-urls.ts';
import type { Creation, CreationRules, NewUrl } from '../store.ts';
import { urlsOfMonth } from '../tallies.ts';
import { type AccountRows, addToTally, countUrls, readTally } from './account-rows.ts';
import { attachTag, type TagRow, tagsOf } from './tag-rows.ts';
import { findId, readUrls } from './url-rows.ts';

/** Runs in the caller's write transaction. */
export function createUrls(rows: AccountRows, items: readonly NewUrl[], rules: CreationRules): Creation[] {
  const now = rows.now();
  const plan = planCreations(items, rules, creationFacts(rows, rules, now));
  if (plan.records.length > 0) {
    const sequence = giveHashes(rows, items, plan, rules);
    rows.connection
      .sql('UPDATE domains SET urls = urls + ?, sequence = ? WHERE account_id = ? AND id = ?')
      .run(plan.records.length, sequence, rows.accountId, rules.domain.id);
    addToTally(rows, urlsOfMonth(now), plan.records.length, Number.MAX_SAFE_INTEGER);
  }
  const tags = insertUrls(rows, plan, rules, now);
  const labelOf = (folded: string) => tags.get(folded)?.label ?? folded;
  return creationsOf(plan, rules, { urls: readUrls(rows, shownIds(plan)), labelOf });
}

function creationFacts(rows: AccountRows, rules: CreationRules, now: number): CreationFacts {
  const { connection, accountId } = rows;
  const withHash = connection.sql('SELECT id, long_url AS longUrl FROM urls WHERE account_id = ? AND domain_id = ? AND hash = ?');
  const last = connection.sql('SELECT max(id) AS id FROM urls').get<{ id: number | null }>();
  return {
    now,
    lastId: last?.id ?? 0,
    urls: countUrls(rows),
    urlsThisMonth: readTally(rows, urlsOfMonth(now)),
    withHash: (hash) => withHash.get<{ id: number; longUrl: string }>(accountId, rules.domain.id, hash),
    withLongUrl: (longUrl) => findByLongUrl(rows, longUrl, rules),
  };
}

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

/** Returns the next sequence number of the domain. */
function giveHashes(rows: AccountRows, items: readonly NewUrl[], plan: CreationPlan, { domain }: CreationRules): number {
  const stored = rows.connection
    .sql('SELECT sequence FROM domains WHERE account_id = ? AND id = ?')
    .get<{ sequence: number }>(rows.accountId, domain.id);
  const source = hashSource(domain, stored?.sequence ?? 0, rows.random);
  const questions = assignHashes(items, plan, source);
  for (let question = questions.next(); !question.done; ) {
    const taken = question.value.filter((hash) => findId(rows, domain, hash) !== undefined);
    question = questions.next(new Set(taken));
  }
  return source.sequence;
}

/** Returns the tags of the new records by folded label. */
function insertUrls(
  rows: AccountRows,
  { records }: CreationPlan,
  { domain }: CreationRules,
  now: number,
): ReadonlyMap<string, TagRow> {
  const { connection, accountId } = rows;
  const tags = tagsOf(rows, labelsByFold(records.flatMap(({ item }) => item.tags)).values());
  const insert = connection.sql(
    `INSERT INTO urls (id, account_id, domain_id, hash, long_url, long_url_key, note, email_stats, expiration_date, max_clicks, modified)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const { id, hash, item } of records) {
    insert.run(id, accountId, domain.id, ...storedValues({ ...item, hash }), now);
    for (const folded of labelsByFold(item.tags).keys()) attachTag(rows, tags.get(folded)?.id ?? 0, id);
  }
  return tags;
}
