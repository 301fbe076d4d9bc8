import { foldLabel } from '../../../contract/tag-label.ts';
import { idOfTime } from '../click-days.ts';
import type { HashSource } from '../hash-source.ts';
import type { Creation, CreationRules, NewUrl, StoredUrl } from '../store.ts';

/** The stored data that a batch depends on. */
export interface CreationFacts {
  readonly now: number;
  /** The highest id of the account. */
  readonly lastId: number;
  /** Records of the account, and those created this month. */
  readonly urls: number;
  readonly urlsThisMonth: number;
  /** Searches the domain of the batch. */
  withHash(hash: string): { readonly id: number; readonly longUrl: string } | undefined;
  /** Searches the scope of duplicate control, the oldest first, at most `existingBound`. */
  withLongUrl(longUrl: string): readonly number[];
}

/** `assignHashes` generates a hash if there is no custom one. */
interface NewRecord {
  readonly id: number;
  readonly item: NewUrl;
  hash: string;
}

type Decision =
  | { readonly kind: 'created'; readonly record: NewRecord }
  | { readonly kind: 'existing'; readonly ids: readonly number[] }
  | { readonly kind: 'taken' }
  | { readonly kind: 'over limit' };

export interface CreationPlan {
  /** One per item. */
  readonly decisions: readonly Decision[];
  readonly records: readonly NewRecord[];
}

/** Processes the items in order: a later one sees the records of earlier ones. */
export function planCreations(items: readonly NewUrl[], rules: CreationRules, facts: CreationFacts): CreationPlan {
  const allowance = Math.min(rules.urlLimit - facts.urls, rules.monthLimit - facts.urlsThisMonth);
  const records: NewRecord[] = [];
  const made = new PlannedRecords();
  // Keeps the order even if the clock was set back.
  let nextId = Math.max(idOfTime(facts.now), facts.lastId + 1);
  const decide = (item: NewUrl): Decision => {
    const existing = findExisting(item, rules, facts, made);
    if (existing) return existing;
    if (records.length >= allowance) return { kind: 'over limit' };
    const record = { id: nextId++, item, hash: item.customHash ?? '' };
    records.push(record);
    made.add(record);
    return { kind: 'created', record };
  };
  return { decisions: items.map(decide), records };
}

/** The planned records of the batch so far. */
class PlannedRecords {
  readonly #byHash = new Map<string, { id: number; longUrl: string }>();
  readonly #byLongUrl = new Map<string, number[]>();

  add({ id, item: { customHash, longUrl } }: NewRecord): void {
    if (customHash !== undefined) this.#byHash.set(customHash, { id, longUrl });
    this.#byLongUrl.set(longUrl, [...this.withLongUrl(longUrl), id]);
  }

  withHash(hash: string): { id: number; longUrl: string } | undefined {
    return this.#byHash.get(hash);
  }

  withLongUrl(longUrl: string): readonly number[] {
    return this.#byLongUrl.get(longUrl) ?? [];
  }
}

/** An existing record prevents or replaces a new one (4.3.3, 4.3.4). */
function findExisting(item: NewUrl, rules: CreationRules, facts: CreationFacts, made: PlannedRecords): Decision | undefined {
  if (item.customHash !== undefined) {
    const found = facts.withHash(item.customHash) ?? made.withHash(item.customHash);
    if (!found) return undefined;
    const isSame = rules.duplicates !== 'allowed' && found.longUrl === item.longUrl;
    return isSame ? { kind: 'existing', ids: [found.id] } : { kind: 'taken' };
  }
  if (rules.duplicates === 'allowed') return undefined;
  const ids = [...facts.withLongUrl(item.longUrl), ...made.withLongUrl(item.longUrl)].slice(0, rules.existingBound);
  return ids.length === 0 ? undefined : { kind: 'existing', ids };
}

/**
 * Generates hashes for records without a custom one. Yields candidates, expects those in use, and assigns as many of the others as needed,
 * so that an incremental domain skips none. All custom hashes of the batch count as used, because a later item may need one.
 */
export function* assignHashes(
  items: readonly NewUrl[],
  { records }: CreationPlan,
  source: HashSource,
): Generator<readonly string[], void, ReadonlySet<string>> {
  const used = new Set(items.flatMap((item) => item.customHash ?? []));
  let open = records.filter(({ hash }) => hash === '');
  while (open.length > 0) {
    const candidates = open.map(() => nextUnused(source, used));
    const taken = yield candidates;
    const free = candidates.filter((hash) => !taken.has(hash)).values();
    open = open.filter((record) => {
      record.hash = free.next().value ?? '';
      return record.hash === '';
    });
  }
}

function nextUnused(source: HashSource, used: Set<string>): string {
  for (;;) {
    const hash = source.next();
    if (used.has(hash)) continue;
    used.add(hash);
    return hash;
  }
}

/** Maps folded labels to labels in order. */
export function labelsByFold(labels: readonly string[]): ReadonlyMap<string, string> {
  const folded = new Map<string, string>();
  // The first spelling is kept.
  for (const label of labels) if (!folded.has(foldLabel(label))) folded.set(foldLabel(label), label);
  return new Map([...folded].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function creationsOf(
  { decisions, records }: CreationPlan,
  { domain }: CreationRules,
  stored: { readonly urls: readonly StoredUrl[]; readonly labelOf: (folded: string) => string },
): Creation[] {
  const created = (record: NewRecord): StoredUrl => {
    const { longUrl, note, emailStats, expirationDate, maxClicks } = record.item;
    const tags = [...labelsByFold(record.item.tags).keys()].map(stored.labelOf);
    const counted = { totalClicks: 0, uniqueClicks: 0, lastVisit: null };
    return { id: record.id, domain, hash: record.hash, longUrl, note, emailStats, expirationDate, maxClicks, ...counted, tags };
  };
  const urls = new Map([...stored.urls, ...records.map(created)].map((url) => [url.id, url]));
  return decisions.map((decision): Creation => {
    if (decision.kind === 'existing') return { kind: 'existing', urls: decision.ids.flatMap((id) => urls.get(id) ?? []) };
    return decision.kind === 'created' ? { kind: 'created', url: created(decision.record) } : decision;
  });
}

/** The ids of existing records in the response. */
export function shownIds({ decisions, records }: CreationPlan): number[] {
  const made = new Set(records.map(({ id }) => id));
  const shown = decisions.flatMap((decision) => (decision.kind === 'existing' ? decision.ids : []));
  return [...new Set(shown)].filter((id) => !made.has(id));
}
