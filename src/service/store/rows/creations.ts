import { type HashSource, hashSource } from '../hash-source.ts';
import type { Creation, CreationRules, NewUrl } from '../store.ts';
import { type AccountRows, monthOfUrls, tallyCount, tallyUrls, urlCount } from './account-rows.ts';
import { type CreationFacts, type CreationPlan, creationsOf, labelsByFold, planCreations, shownIds } from './creation-plan.ts';
import { type Aggregated, aggregated, type Statement } from './queries.ts';
import { attachTags, makeTags, type TagFacts, tagFacts, type WantedTags, wantedTags } from './tag-rows.ts';
import { changedUrls, findUrls, longUrlKey, readUrls, valueColumns } from './url-rows.ts';

/** Runs in the caller's transaction: one statement reads and one writes, regardless of the number of items. */
export async function createUrls(rows: AccountRows, items: readonly NewUrl[], rules: CreationRules): Promise<Creation[]> {
  const now = rows.now();
  const source = hashSource(rules.domain, rows.random);
  // Random hashes are generated before reading, so that one statement also finds out which of them are in use.
  const generated = items.filter(({ customHash }) => customHash === undefined);
  const tried = rules.domain.hashGeneration === 'random' ? generated.map(source.next) : [];
  const stored = await readFacts(rows, { items, rules, now, tried });
  const facts = creationFacts(stored, now);
  const plan = planCreations(items, rules, facts);
  const urls = await readUrls(rows, shownIds(plan));
  source.sequence = stored.sequence ?? 0;
  await giveHashes(rows, { plan, items, rules, source, tried, facts });
  const tags = wantedTags(stored, [...labelsByFold(plan.records.flatMap(({ item }) => item.tags)).values()]);
  if (plan.records.length > 0) {
    await rows.queries.together(insertions(rows, { plan, rules, now, sequence: source.sequence, tags }));
  }
  return creationsOf(plan, rules, { urls, labelOf: (folded) => tags.byFold.get(folded)?.label ?? folded });
}

/** The stored data that a batch depends on, with lists as JSON. */
interface StoredFacts extends TagFacts {
  readonly last_id: number;
  readonly urls: number;
  readonly month: number;
  readonly sequence: number | null;
  /** Those in use. */
  readonly hashes: Aggregated<[id: number, hash: string, longUrl: string]>;
  /** `[long URL, ids]`, the oldest first. */
  readonly long_urls: Aggregated<[longUrl: string, ids: Aggregated<number>]>;
}

interface Question {
  readonly items: readonly NewUrl[];
  readonly rules: CreationRules;
  readonly now: number;
  readonly tried: readonly string[];
}

async function readFacts(rows: AccountRows, { items, rules, now, tried }: Question): Promise<StoredFacts> {
  const { queries, accountId } = rows;
  const { jsonAggregate, jsonList, idScope, urlsAmong } = queries.dialect;
  const longUrls = storedLongUrls(rows, items, rules);
  const tags = tagFacts(
    rows,
    items.flatMap((item) => item.tags),
  );
  const facts = await queries.first<StoredFacts>(
    `SELECT (SELECT coalesce(max(id), 0) FROM urls WHERE ${idScope}) AS last_id, (${urlCount}) AS urls, (${tallyCount}) AS month,
       (SELECT sequence FROM domains WHERE account_id = ? AND id = ?) AS sequence,
       (SELECT ${jsonAggregate}(${jsonList}(u.id, u.hash, u.long_url)) ${urlsAmong('hash')} AND u.domain_id = ?) AS hashes,
       (${longUrls.sql}) AS long_urls, ${tags.sql}`,
    ...[accountId, accountId, accountId, ...monthOfUrls(now), accountId, rules.domain.id],
    ...[[...items.flatMap(({ customHash }) => customHash ?? []), ...tried], accountId, rules.domain.id],
    ...[...longUrls.values, ...tags.values],
  );
  if (!facts) throw new Error('the database has not answered');
  return facts;
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

function creationFacts(facts: StoredFacts, now: number): CreationFacts {
  return {
    now,
    lastId: facts.last_id,
    urls: facts.urls,
    urlsThisMonth: facts.month,
    byHash: new Map(aggregated(facts.hashes).map(([id, hash, longUrl]) => [hash, { id, longUrl }])),
    byLongUrl: new Map(aggregated(facts.long_urls).map(([longUrl, ids]) => [longUrl, aggregated(ids)])),
  };
}

interface Naming extends Omit<Question, 'now'>, Pick<Batch, 'plan'> {
  readonly source: HashSource;
  readonly facts: CreationFacts;
}

/**
 * Generates hashes for records without a custom one, and uses as many free ones as needed, so that an incremental domain skips none. All
 * custom hashes of the batch count as used, because a later item may need one.
 */
async function giveHashes(rows: AccountRows, { items, rules, plan, source, tried, facts }: Naming): Promise<void> {
  const used = new Set(items.flatMap((item) => item.customHash ?? []));
  const [known, first] = [new Set(tried), tried.values()];
  const unused = (): string => {
    for (;;) {
      const hash = first.next().value ?? source.next();
      if (used.size < used.add(hash).size) return hash;
    }
  };
  let open = plan.records.filter(({ hash }) => hash === '');
  while (open.length > 0) {
    const candidates = open.map(unused);
    const isKnown = candidates.every((hash) => known.has(hash));
    const taken = isKnown ? facts.byHash : new Set((await findUrls(rows, rules.domain, candidates)).map(({ hash }) => hash));
    const free = candidates.filter((hash) => !taken.has(hash)).values();
    open = open.filter((record) => {
      record.hash = free.next().value ?? '';
      return record.hash === '';
    });
  }
}

interface Batch {
  readonly plan: CreationPlan;
  readonly rules: CreationRules;
  readonly now: number;
  readonly sequence: number;
  readonly tags: WantedTags;
}

function insertions(rows: AccountRows, { plan: { records }, rules: { domain }, now, sequence, tags }: Batch): Statement[] {
  const { queries, accountId } = rows;
  const links = records.flatMap(({ id, item }) => item.tags.map((label) => ({ urlId: id, label })));
  const made = changedUrls(
    queries.dialect,
    records.map(({ id, hash, item }) => ({ ...item, id, hash })),
  );
  const counted = 'UPDATE domains SET urls = urls + ?, sequence = ? WHERE account_id = ? AND id = ?';
  return [
    ...makeTags(rows, tags),
    ...attachTags(rows, tags, links),
    { sql: counted, values: [records.length, sequence, accountId, domain.id] },
    tallyUrls(rows, now, records.length),
    {
      sql: `INSERT INTO urls (account_id, domain_id, modified, ${valueColumns})
        SELECT CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), e.* FROM ${made.sql}`,
      values: [accountId, domain.id, now, ...made.values],
    },
  ];
}
