import { type HashSource, hashSource } from '../hash-source.ts';
import type { Creation, CreationRules, NewUrl } from '../store.ts';
import { type AccountRows, monthOfUrls, tallyCount, tallyUrls, urlCount } from './account-rows.ts';
import {
  assignHashes,
  type CreationFacts,
  type CreationPlan,
  creationsOf,
  labelsByFold,
  planCreations,
  shownIds,
} from './creation-plan.ts';
import { type Aggregated, aggregated, type Statement } from './queries.ts';
import { attachTags, makeTags, type TagFacts, tagFacts, type WantedTags, wantedTags } from './tag-rows.ts';
import { changedUrls, findIds, longUrlKey, readUrls, valueColumns } from './url-rows.ts';

/** Runs in the caller's transaction: one statement reads and one writes, regardless of the number of items. */
export async function createUrls(rows: AccountRows, items: readonly NewUrl[], rules: CreationRules): Promise<Creation[]> {
  const now = rows.now();
  const candidates = new Candidates(items, rules, rows.random);
  const stored = await readFacts(rows, { items, rules, now, tried: candidates.tried });
  const plan = planCreations(items, rules, creationFacts(stored, now));
  const urls = await readUrls(rows, shownIds(plan));
  const sequence = await candidates.give(rows, plan, stored);
  const tags = wantedTags(stored, [...labelsByFold(plan.records.flatMap(({ item }) => item.tags)).values()]);
  if (plan.records.length > 0) await rows.queries.together(insertions(rows, { plan, rules, now, sequence, tags }));
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
  const byHash = new Map(aggregated(facts.hashes).map(([id, hash, longUrl]) => [hash, { id, longUrl }]));
  const byLongUrl = new Map(aggregated(facts.long_urls).map(([longUrl, ids]) => [longUrl, aggregated(ids)]));
  return {
    now,
    lastId: facts.last_id,
    urls: facts.urls,
    urlsThisMonth: facts.month,
    withHash: (hash) => byHash.get(hash),
    withLongUrl: (longUrl) => byLongUrl.get(longUrl) ?? [],
  };
}

/** Generates random hashes before reading, so that one statement also finds out which of them are in use. */
class Candidates {
  readonly tried: readonly string[];
  readonly #items: readonly NewUrl[];
  readonly #rules: CreationRules;
  readonly #random: AccountRows['random'];

  constructor(items: readonly NewUrl[], rules: CreationRules, random: AccountRows['random']) {
    const source = hashSource(rules.domain, 0, random);
    const isRandom = rules.domain.hashGeneration === 'random';
    this.tried = isRandom ? items.flatMap(({ customHash }) => (customHash === undefined ? [source.next()] : [])) : [];
    [this.#items, this.#rules, this.#random] = [items, rules, random];
  }

  /** Assigns hashes to the records of a plan. Returns the next sequence number of the domain. */
  async give(rows: AccountRows, plan: CreationPlan, facts: StoredFacts): Promise<number> {
    const source = after(this.tried, hashSource(this.#rules.domain, facts.sequence ?? 0, this.#random));
    const tried = new Set(this.tried);
    const inUse = aggregated(facts.hashes).map(([, hash]) => hash);
    const questions = assignHashes(this.#items, plan, source);
    for (let question = questions.next(); !question.done; ) {
      const isKnown = question.value.every((hash) => tried.has(hash));
      const taken = isKnown ? inUse : (await findIds(rows, this.#rules.domain, question.value)).keys();
      question = questions.next(new Set(taken));
    }
    return source.sequence;
  }
}

/** Returns the given hashes first, then those of the source. */
function after(first: readonly string[], source: HashSource): HashSource {
  const left = first.values();
  return {
    next: () => left.next().value ?? source.next(),
    get sequence() {
      return source.sequence;
    },
  };
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
