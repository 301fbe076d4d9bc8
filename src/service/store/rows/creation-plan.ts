import { idOfTime } from '../click-days.ts';
import type { Creation, CreationRules, NewUrl, StoredUrl } from '../store.ts';
import type { BatchTags } from './tag-rows.ts';

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
  readonly tags: BatchTags;
}

/** Its hash is empty until one is generated, unless it has a custom one. */
export type NewRecord = Omit<StoredUrl, 'hash'> & { hash: string };

type Decision = Exclude<Creation, { readonly kind: 'existing' }> | { readonly kind: 'existing'; readonly ids: readonly number[] };

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
    const { customHash, longUrl, note, emailStats, expirationDate, maxClicks } = item;
    const counts = { totalClicks: 0, uniqueClicks: 0, lastVisit: null };
    const values = { hash: customHash ?? '', longUrl, note, emailStats, expirationDate, maxClicks };
    const tags = facts.tags.after(item.tags.map((label) => ({ label, attach: true })));
    const record: NewRecord = { id: nextId++, domain: rules.domain, ...values, ...counts, tags };
    records.push(record);
    if (customHash !== undefined) facts.byHash.set(customHash, record);
    facts.byLongUrl.set(longUrl, [...(facts.byLongUrl.get(longUrl) ?? []), record.id]);
    return { kind: 'created', url: record };
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
