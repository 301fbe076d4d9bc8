import { foldLabel } from '../../contract/tag-label.ts';
import type { HashSource } from './hash-source.ts';
import { idOfTime } from './ids.ts';
import type { Creation, CreationRules, NewUrl, StoredUrl } from './store.ts';

/** What is stored before a batch is. */
export interface CreationFacts {
  readonly now: number;
  /** The highest id of the account. */
  readonly lastId: number;
  /** Records of the account, and those of them made this month. */
  readonly urls: number;
  readonly urlsThisMonth: number;
  /** In the domain of the batch. */
  withHash(hash: string): { readonly id: number; readonly longUrl: string } | undefined;
  /** Where equal long URLs count, the oldest first, at most `existingBound`. */
  withLongUrl(longUrl: string): readonly number[];
}

/** A record to be made. Without a custom hash it gets one from `assignHashes`. */
export interface NewRecord {
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
  /** One for each item. */
  readonly decisions: readonly Decision[];
  readonly records: readonly NewRecord[];
}

/** Decides about the items of a batch in their order: a later one sees what an earlier one makes. */
export function planCreations(items: readonly NewUrl[], rules: CreationRules, facts: CreationFacts): CreationPlan {
  const allowance = Math.min(rules.urlLimit - facts.urls, rules.monthLimit - facts.urlsThisMonth);
  const records: NewRecord[] = [];
  const made = new Made();
  // Also ordered when the clock was set back.
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

/** The records of the batch so far. */
class Made {
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

/** 4.3.3 and 4.3.4: what prevents a new record, or replaces it. */
function findExisting(item: NewUrl, rules: CreationRules, facts: CreationFacts, made: Made): Decision | undefined {
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
 * Gives records without a custom hash one that is free. Asks which of some candidates are in use, and takes as many of them as it needs, so
 * that an incremental domain leaves none out. Custom hashes of the whole batch are in use: one may be asked for by a later item.
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

/** The labels of an item by what makes them equal, in their order. */
export function labelsByFold(labels: readonly string[]): ReadonlyMap<string, string> {
  const folded = new Map<string, string>();
  // As first written.
  for (const label of labels) if (!folded.has(foldLabel(label))) folded.set(foldLabel(label), label);
  return new Map([...folded].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The outcomes of a plan that is stored. */
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

/** Ids of stored records that the answer shows. */
export function shownIds({ decisions, records }: CreationPlan): number[] {
  const made = new Set(records.map(({ id }) => id));
  const shown = decisions.flatMap((decision) => (decision.kind === 'existing' ? decision.ids : []));
  return [...new Set(shown)].filter((id) => !made.has(id));
}
