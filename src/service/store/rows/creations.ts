import { randomHashes } from '../../../contract/random-hashes.ts';
import type { Creation, CreationRules, NewUrl, StoredUrl } from '../store.ts';
import { type AccountRows, monthOfUrls, tallyCount, tallyUrls, urlCount } from './account-rows.ts';
import { type CreationFacts, type CreationPlan, type NewRecord, planCreations } from './creation-plan.ts';
import { type Aggregated, aggregated, only, type Statement } from './queries.ts';
import { BatchTags, changeTags, type TagFacts, tagFacts } from './tag-rows.ts';
import { changedUrls, findUrls, longUrlKey, readUrls, urlsNamed, valueColumns } from './url-rows.ts';

interface Batch {
  readonly items: readonly NewUrl[];
  readonly rules: CreationRules;
  readonly now: number;
  readonly newHash: () => string;
  /** Hashes, generated before reading, so that one statement also finds out which of them are in use. */
  readonly tried: readonly string[];
}

/** Excludes characters that are easily confused. */
const alphabet = '23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ';

/** 56^6 is about 30 billion hashes. */
const hashLength = 6;

/** Runs in the caller's transaction: one statement reads and one writes, regardless of the number of items. */
export async function createUrls(rows: AccountRows, items: readonly NewUrl[], rules: CreationRules): Promise<Creation[]> {
  const newHash = randomHashes(alphabet, hashLength, rows.random);
  const tried = items.filter(({ customHash }) => customHash === undefined).map(newHash);
  const batch = { items, rules, now: rows.now(), newHash, tried };
  const facts = await readFacts(rows, batch);
  const plan = planCreations(items, rules, facts);
  await giveHashes(rows, batch, facts.byHash, plan.records);
  if (plan.records.length > 0) await rows.queries.together(insertions(rows, batch, facts.tags, plan.records));
  return creationsOf(rows, plan);
}

/** Reads the existing records of the response. */
async function creationsOf(rows: AccountRows, { decisions, records }: CreationPlan): Promise<Creation[]> {
  const urls = new Map<number, StoredUrl>(records.map((url) => [url.id, url]));
  const existing = decisions.flatMap((decision) => (decision.kind === 'existing' ? decision.ids : []));
  const stored = new Set(existing.filter((id) => !urls.has(id)));
  for (const url of await readUrls(rows, [...stored])) urls.set(url.id, url);
  return decisions.map((decision) =>
    decision.kind === 'existing' ? { kind: 'existing', urls: decision.ids.flatMap((id) => urls.get(id) ?? []) } : decision,
  );
}

/** The answer of the database, with lists as JSON. */
interface FactsRow extends TagFacts {
  readonly last_id: number;
  readonly urls: number;
  readonly month: number;
  /** Those in use. */
  readonly hashes: Aggregated<[id: number, hash: string, longUrl: string]>;
  /** `[long URL, ids]`, the oldest first. */
  readonly long_urls: Aggregated<[longUrl: string, ids: Aggregated<number>]>;
}

async function readFacts(rows: AccountRows, { items, rules, now, tried }: Batch): Promise<CreationFacts> {
  const { queries, accountId } = rows;
  const { jsonAggregate, jsonList, idScope } = queries.dialect;
  const named = urlsNamed(rows, rules.domain, [...items.flatMap(({ customHash }) => customHash ?? []), ...tried]);
  const longUrls = storedLongUrls(rows, items, rules);
  const tags = tagFacts(
    rows,
    items.flatMap((item) => item.tags),
  );
  const facts = only(
    await queries.all<FactsRow>(
      `SELECT (SELECT coalesce(max(id), 0) FROM urls WHERE ${idScope}) AS last_id, (${urlCount}) AS urls, (${tallyCount}) AS month,
         (SELECT ${jsonAggregate}(${jsonList}(u.id, u.hash, u.long_url)) ${named.sql}) AS hashes,
         (${longUrls.sql}) AS long_urls, ${tags.sql}`,
      ...[accountId, accountId, accountId, ...monthOfUrls(now)],
      ...[...named.values, ...longUrls.values, ...tags.values],
    ),
  );
  return {
    now,
    lastId: facts.last_id,
    urls: facts.urls,
    urlsThisMonth: facts.month,
    byHash: new Map(aggregated(facts.hashes).map(([id, hash, longUrl]) => [hash, { id, longUrl }])),
    byLongUrl: new Map(aggregated(facts.long_urls).map(([longUrl, ids]) => [longUrl, aggregated(ids)])),
    tags: new BatchTags(facts),
  };
}

function storedLongUrls(
  { queries: { dialect }, accountId }: AccountRows,
  items: readonly NewUrl[],
  rules: CreationRules,
): Statement {
  const counted = rules.duplicates === 'allowed' ? [] : items.filter(({ customHash }) => customHash === undefined);
  const urls = [...new Set(counted.map(({ longUrl }) => longUrl))];
  const wanted = dialect.table(
    'wanted',
    { key: 'BIGINT', long_url: 'TEXT' },
    urls.map((longUrl) => ({ key: longUrlKey(longUrl), long_url: longUrl })),
  );
  const scope = rules.duplicates === 'none in account' ? '' : 'AND domain_id = ?';
  // SQLite prepares a statement again for each bound limit.
  const found = `SELECT id FROM urls ${dialect.byLongUrl} WHERE account_id = ? AND long_url_key = wanted.key AND urls.long_url = wanted.long_url
    ${scope} ORDER BY id LIMIT ${rules.existingBound}`;
  return {
    sql: `SELECT ${dialect.jsonAggregate}(${dialect.jsonList}(wanted.long_url,
      (SELECT ${dialect.jsonAggregate}(id) FROM (${found}) AS found))) FROM ${wanted.sql}`,
    values: [accountId, ...(scope === '' ? [] : [rules.domain.id]), ...wanted.values],
  };
}

/** Gives hashes to the records without a custom one. `byHash` has the custom ones of the batch, too. */
async function giveHashes(
  rows: AccountRows,
  { rules, newHash, tried }: Batch,
  byHash: CreationFacts['byHash'],
  records: readonly NewRecord[],
): Promise<void> {
  const used = new Set(byHash.keys());
  const isNew = (hash: string): boolean => used.size < used.add(hash).size;
  const free = tried.filter(isNew).values();
  for (const record of records) {
    if (record.hash === '') record.hash = free.next().value ?? '';
    while (record.hash === '') {
      const hash = newHash();
      if (isNew(hash) && (await findUrls(rows, rules.domain, [hash])).length === 0) record.hash = hash;
    }
  }
}

function insertions(
  rows: AccountRows,
  { rules: { domain }, now }: Batch,
  tags: BatchTags,
  records: readonly StoredUrl[],
): Statement[] {
  const { queries, accountId } = rows;
  const attached = records.flatMap(({ id, tags: labels }) => labels.map((label) => ({ urlId: id, label })));
  const made = changedUrls(queries.dialect, records);
  const counted = 'UPDATE domains SET urls = urls + ? WHERE account_id = ? AND id = ?';
  return [
    ...changeTags(rows, tags, attached),
    { sql: counted, values: [records.length, accountId, domain.id] },
    tallyUrls(rows, now, records.length),
    {
      sql: `INSERT INTO urls (account_id, domain_id, modified, ${valueColumns})
        SELECT CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), e.* FROM ${made.sql}`,
      values: [accountId, domain.id, now, ...made.values],
    },
  ];
}
