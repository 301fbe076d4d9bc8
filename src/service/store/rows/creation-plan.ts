import { foldLabel } from '../../../contract/tag-label.ts';
import { idOfTime } from '../click-days.ts';
import type { Creation, CreationRules, NewUrl, StoredUrl } from '../store.ts';

/** The stored data that a batch depends on. */
export interface CreationFacts {
  readonly now: number;
  /** The highest id of the account. */
  readonly lastId: number;
  /** Records of the account, and those created this month. */
  readonly urls: number;
  readonly urlsThisMonth: number;
  /** Records of the domain of the batch. */
  readonly byHash: Map<string, { readonly id: number; readonly longUrl: string }>;
  /** Records in the scope of duplicate control, the oldest first, at most `existingBound`. */
  readonly byLongUrl: Map<string, readonly number[]>;
}

/** Its hash is empty until one is generated, unless it has a custom one. */
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

/** Processes the items in order and adds their records to the facts, so that a later one sees the records of earlier ones. */
export function planCreations(items: readonly NewUrl[], rules: CreationRules, facts: CreationFacts): CreationPlan {
  const allowance = Math.min(rules.urlLimit - facts.urls, rules.monthLimit - facts.urlsThisMonth);
  const records: NewRecord[] = [];
  // Keeps the order even if the clock was set back.
  let nextId = Math.max(idOfTime(facts.now), facts.lastId + 1);
  const decide = (item: NewUrl): Decision => {
    const existing = findExisting(item, rules, facts);
    if (existing) return existing;
    if (records.length >= allowance) return { kind: 'over limit' };
    const record = { id: nextId++, item, hash: item.customHash ?? '' };
    records.push(record);
    if (item.customHash !== undefined) facts.byHash.set(item.customHash, { id: record.id, longUrl: item.longUrl });
    facts.byLongUrl.set(item.longUrl, [...(facts.byLongUrl.get(item.longUrl) ?? []), record.id]);
    return { kind: 'created', record };
  };
  return { decisions: items.map(decide), records };
}

/** An existing record prevents or replaces a new one (4.3.3, 4.3.4). */
function findExisting(item: NewUrl, rules: CreationRules, { byHash, byLongUrl }: CreationFacts): Decision | undefined {
  if (item.customHash !== undefined) {
    const found = byHash.get(item.customHash);
    if (!found) return undefined;
    const isSame = rules.duplicates !== 'allowed' && found.longUrl === item.longUrl;
    return isSame ? { kind: 'existing', ids: [found.id] } : { kind: 'taken' };
  }
  if (rules.duplicates === 'allowed') return undefined;
  const ids = byLongUrl.get(item.longUrl) ?? [];
  return ids.length === 0 ? undefined : { kind: 'existing', ids: ids.slice(0, rules.existingBound) };
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
