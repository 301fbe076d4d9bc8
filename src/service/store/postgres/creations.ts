import {
  assignHashes,
  type CreationFacts,
  type CreationPlan,
  creationsOf,
  labelsByFold,
  planCreations,
  shownIds,
} from '../creation-plan.ts';
import { hashSource } from '../hash-source.ts';
import { longUrlKey } from '../records.ts';
import type { Creation, CreationRules, NewUrl } from '../store.ts';
import { urlsOfMonth } from '../tallies.ts';
import { type AccountRows, addToTally, countUrls, readTally } from './account-rows.ts';
import { attachTags, type TagRow, tagsOf } from './tag-rows.ts';
import { findIds, readUrls, unnestedUrls, unnestedValues } from './url-rows.ts';

/** Stores a batch inside the caller's transaction: a number of statements that does not grow with it. */
export async function createUrls(rows: AccountRows, items: readonly NewUrl[], rules: CreationRules): Promise<Creation[]> {
  const now = rows.now();
  const plan = planCreations(items, rules, await creationFacts(rows, items, rules, now));
  const urls = await readUrls(rows, shownIds(plan));
  if (plan.records.length === 0) return creationsOf(plan, rules, { urls, labelOf: (folded) => folded });
  const sequence = await giveHashes(rows, items, plan, rules);
  const tags = await tagsOf(rows, [...labelsByFold(plan.records.flatMap(({ item }) => item.tags)).values()]);
  await Promise.all([
    insertUrls(rows, plan, rules, now),
    attachTags(rows, tagLinks(plan, tags)),
    rows.queries.run(
      'UPDATE domains SET urls = urls + ?, sequence = ? WHERE account_id = ? AND id = ?',
      plan.records.length,
      sequence,
      rows.accountId,
      rules.domain.id,
    ),
    addToTally(rows, urlsOfMonth(now), plan.records.length, Number.MAX_SAFE_INTEGER),
  ]);
  return creationsOf(plan, rules, { urls, labelOf: (folded) => tags.get(folded)?.label ?? folded });
}

async function creationFacts(
  rows: AccountRows,
  items: readonly NewUrl[],
  rules: CreationRules,
  now: number,
): Promise<CreationFacts> {
  const { queries, accountId } = rows;
  const [last, urls, urlsThisMonth, byHash, byLongUrl] = await Promise.all([
    queries.first<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM urls WHERE account_id = ?', accountId),
    countUrls(rows),
    readTally(rows, urlsOfMonth(now)),
    findCustomHashes(rows, items, rules),
    findLongUrls(rows, items, rules),
  ]);
  return {
    now,
    lastId: last?.id ?? 0,
    urls,
    urlsThisMonth,
    withHash: (hash) => byHash.get(hash),
    withLongUrl: (longUrl) => byLongUrl.get(longUrl) ?? [],
  };
}

async function findCustomHashes({ queries, accountId }: AccountRows, items: readonly NewUrl[], { domain }: CreationRules) {
  const found = await queries.all<{ id: number; hash: string; longUrl: string }>(
    `SELECT id, hash, long_url AS "longUrl" FROM urls
     WHERE account_id = ? AND domain_id = ? AND hash = ANY(CAST(? AS TEXT[]))`,
    accountId,
    domain.id,
    items.flatMap(({ customHash }) => customHash ?? []),
  );
  return new Map(found.map((url) => [url.hash, url]));
}

/** Ids by long URL, where equal ones count. */
async function findLongUrls({ queries, accountId }: AccountRows, items: readonly NewUrl[], rules: CreationRules) {
  const ids = new Map<string, number[]>();
  if (rules.duplicates === 'allowed') return ids;
  const wanted = [...new Set(items.filter(({ customHash }) => customHash === undefined).map(({ longUrl }) => longUrl))];
  const found = await queries.all<{ long_url: string; id: number }>(
    `SELECT wanted.long_url, found.id FROM unnest(CAST(? AS BIGINT[]), CAST(? AS TEXT[])) AS wanted (key, long_url)
     CROSS JOIN LATERAL (
       SELECT id FROM urls WHERE account_id = ? AND long_url_key = wanted.key AND urls.long_url = wanted.long_url
       AND (CAST(? AS BIGINT) = 1 OR domain_id = ?) ORDER BY id LIMIT ?
     ) AS found ORDER BY found.id`,
    wanted.map(longUrlKey),
    wanted,
    accountId,
    Number(rules.duplicates === 'none in account'),
    rules.domain.id,
    rules.existingBound,
  );
  for (const { long_url, id } of found) ids.set(long_url, [...(ids.get(long_url) ?? []), id]);
  return ids;
}

/** The domain's place in its sequence afterwards. */
async function giveHashes(
  rows: AccountRows,
  items: readonly NewUrl[],
  plan: CreationPlan,
  { domain }: CreationRules,
): Promise<number> {
  const stored = await rows.queries.first<{ sequence: number }>(
    'SELECT sequence FROM domains WHERE account_id = ? AND id = ?',
    rows.accountId,
    domain.id,
  );
  const source = hashSource(domain, stored?.sequence ?? 0, rows.random);
  const questions = assignHashes(items, plan, source);
  for (let question = questions.next(); !question.done; ) {
    const taken = await findIds(rows, domain, question.value);
    question = questions.next(new Set(taken.keys()));
  }
  return source.sequence;
}

async function insertUrls(
  { queries, accountId }: AccountRows,
  { records }: CreationPlan,
  { domain }: CreationRules,
  now: number,
): Promise<void> {
  await queries.run(
    `INSERT INTO urls (account_id, domain_id, modified, id, hash, long_url, long_url_key, note, email_stats, expiration_date, max_clicks)
     SELECT CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), made.* FROM ${unnestedUrls} AS made`,
    accountId,
    domain.id,
    now,
    ...unnestedValues(records.map(({ id, hash, item }) => ({ ...item, id, hash }))),
  );
}

function tagLinks({ records }: CreationPlan, tags: ReadonlyMap<string, TagRow>) {
  return records.flatMap(({ id, item }) =>
    [...labelsByFold(item.tags).keys()].flatMap((folded) => {
      const tag = tags.get(folded);
      return tag ? [{ tagId: tag.id, urlId: id }] : [];
    }),
  );
}
