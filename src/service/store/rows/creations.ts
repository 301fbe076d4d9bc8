import { foldLabel } from '../../../contract/tag-label.ts';
import { type HashSource, hashSource } from '../hash-source.ts';
import type { Creation, CreationRules, NewUrl } from '../store.ts';
import { urlsOfMonth } from '../tallies.ts';
import type { AccountRows } from './account-rows.ts';
import {
  assignHashes,
  type CreationFacts,
  type CreationPlan,
  creationsOf,
  labelsByFold,
  planCreations,
  shownIds,
} from './creation-plan.ts';
import type { PostgresValue } from './queries.ts';
import { longUrlKey } from './stored-urls.ts';
import {
  attachTags,
  linkValues,
  makeTags,
  makeTagsValues,
  type TagFacts,
  tagFacts,
  type WantedTags,
  wantedTags,
} from './tag-rows.ts';
import { findIds, readUrls, unnestedUrls, unnestedValues } from './url-rows.ts';

/** Runs in the caller's transaction: one statement reads and one writes, regardless of the number of items. */
export async function createUrls(rows: AccountRows, items: readonly NewUrl[], rules: CreationRules): Promise<Creation[]> {
  const now = rows.now();
  const candidates = new Candidates(items, rules, rows.random);
  const stored = await readFacts(rows, { items, rules, now, tried: candidates.tried });
  const plan = planCreations(items, rules, creationFacts(stored, now));
  const urls = await readUrls(rows, shownIds(plan));
  const sequence = await candidates.give(rows, plan, stored);
  const tags = wantedTags(stored, [...labelsByFold(plan.records.flatMap(({ item }) => item.tags)).values()]);
  if (plan.records.length > 0) await write(rows, { plan, rules, now, sequence, tags });
  return creationsOf(plan, rules, { urls, labelOf: (folded) => tags.byFold.get(folded)?.label ?? folded });
}

/** The stored data that a batch depends on, with lists as JSON. */
interface StoredFacts extends TagFacts {
  readonly last_id: number;
  readonly urls: number;
  readonly month: number;
  readonly sequence: number | null;
  /** `[id, hash, long URL]` of hashes in use. */
  readonly hashes: string | null;
  /** `[long URL, id]`, the oldest first. */
  readonly long_urls: string | null;
}

interface Question {
  readonly items: readonly NewUrl[];
  readonly rules: CreationRules;
  readonly now: number;
  readonly tried: readonly string[];
}

async function readFacts({ queries, accountId }: AccountRows, { items, rules, now, tried }: Question): Promise<StoredFacts> {
  const { name, period } = urlsOfMonth(now);
  const labels = [...new Set(items.flatMap((item) => item.tags.map(foldLabel)))];
  const hashes = [...items.flatMap(({ customHash }) => customHash ?? []), ...tried];
  const facts = await queries.first<StoredFacts>(
    `SELECT (SELECT coalesce(max(id), 0) FROM urls WHERE account_id = ?) AS last_id,
       (SELECT coalesce(sum(urls), 0) FROM domains WHERE account_id = ?) AS urls,
       (SELECT coalesce(sum(count), 0) FROM tallies WHERE account_id = ? AND name = ? AND period = ?) AS month,
       (SELECT sequence FROM domains WHERE account_id = ? AND id = ?) AS sequence,
       (SELECT json_agg(json_build_array(id, hash, long_url)) FROM urls WHERE account_id = ? AND domain_id = ? AND hash = ANY(CAST(? AS TEXT[]))) AS hashes,
       (SELECT json_agg(json_build_array(wanted.long_url, found.id) ORDER BY found.id)
        FROM unnest(CAST(? AS BIGINT[]), CAST(? AS TEXT[])) AS wanted (key, long_url)
        CROSS JOIN LATERAL (
          SELECT id FROM urls WHERE account_id = ? AND long_url_key = wanted.key AND urls.long_url = wanted.long_url
          AND (CAST(? AS BIGINT) = 1 OR domain_id = ?) ORDER BY id LIMIT ?
        ) AS found) AS long_urls, ${tagFacts}`,
    ...[accountId, accountId, accountId, name, period, accountId, rules.domain.id],
    ...[accountId, rules.domain.id, hashes],
    ...longUrlValues(accountId, items, rules),
    ...[accountId, accountId, labels],
  );
  if (!facts) throw new Error('the database has not answered');
  return facts;
}

function longUrlValues(accountId: number, items: readonly NewUrl[], rules: CreationRules): PostgresValue[] {
  const counted = rules.duplicates === 'allowed' ? [] : items.filter(({ customHash }) => customHash === undefined);
  const wanted = [...new Set(counted.map(({ longUrl }) => longUrl))];
  const isInAccount = Number(rules.duplicates === 'none in account');
  return [wanted.map(longUrlKey), wanted, accountId, isInAccount, rules.domain.id, rules.existingBound];
}

function creationFacts(facts: StoredFacts, now: number): CreationFacts {
  const byHash = new Map(hashRows(facts).map(([id, hash, longUrl]) => [hash, { id, longUrl }]));
  const byLongUrl = new Map<string, number[]>();
  const pairs: [longUrl: string, id: number][] = JSON.parse(facts.long_urls ?? '[]');
  for (const [longUrl, id] of pairs) byLongUrl.set(longUrl, [...(byLongUrl.get(longUrl) ?? []), id]);
  return {
    now,
    lastId: facts.last_id,
    urls: facts.urls,
    urlsThisMonth: facts.month,
    withHash: (hash) => byHash.get(hash),
    withLongUrl: (longUrl) => byLongUrl.get(longUrl) ?? [],
  };
}

function hashRows({ hashes }: StoredFacts): [id: number, hash: string, longUrl: string][] {
  return JSON.parse(hashes ?? '[]');
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
    const inUse = hashRows(facts).map(([, hash]) => hash);
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

async function write(rows: AccountRows, { plan: { records }, rules: { domain }, now, sequence, tags }: Batch): Promise<void> {
  const { queries, accountId } = rows;
  const { name, period } = urlsOfMonth(now);
  const links = records.flatMap(({ id, item }) =>
    [...labelsByFold(item.tags).keys()].map((folded) => ({ tagId: tags.byFold.get(folded)?.id ?? 0, urlId: id })),
  );
  await queries.run(
    `WITH made_tags AS (${makeTags}), attached AS (${attachTags}),
       counted AS (UPDATE domains SET urls = urls + ?, sequence = ? WHERE account_id = ? AND id = ?),
       tallied AS (INSERT INTO tallies AS t (account_id, name, period, count) VALUES (?, ?, ?, ?)
         ON CONFLICT (account_id, name, period) DO UPDATE SET count = t.count + excluded.count)
     INSERT INTO urls (account_id, domain_id, modified, id, hash, long_url, long_url_key, note, email_stats, expiration_date, max_clicks)
     SELECT CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), made.* FROM ${unnestedUrls} AS made`,
    ...makeTagsValues(rows, tags.made),
    ...linkValues(rows, links),
    ...[records.length, sequence, accountId, domain.id],
    ...[accountId, name, period, records.length],
    ...[accountId, domain.id, now],
    ...unnestedValues(records.map(({ id, hash, item }) => ({ ...item, id, hash }))),
  );
}
