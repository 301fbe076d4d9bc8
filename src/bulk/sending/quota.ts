/** What a run will need of the account's allowances. */
export interface Demand {
  /** Records to be made; 0 where nothing is created. */
  readonly links: number;
  /** Calls to be made. */
  readonly calls: number;
}

export interface QuotaCheck {
  /** One sentence for each counter that will not last. */
  readonly shortages: readonly string[];
  /** Counters that are absent or make no sense; nothing is concluded from them. */
  readonly notes: readonly string[];
}

/** Compares what is left of the account's counters with what is needed. The counters are a stranger's (F47). */
export function checkQuota(counters: unknown, { links, calls }: Demand): QuotaCheck {
  const shortages: string[] = [];
  const notes: string[] = [];
  const compare = (name: string, needed: number, noun: string): void => {
    if (needed === 0) return;
    const left = remaining(counters, name);
    if (left === undefined) notes.push(`the account does not say how many ${noun} are left`);
    else if (left < needed) shortages.push(`${needed} ${noun} are needed, ${left} are left`);
  };
  compare('urls', links, 'URLs');
  compare('month_urls', links, 'URLs of this month');
  compare('today_api_calls', calls, 'API calls of today');
  return { shortages, notes };
}

/** Calls for so many batches: in checked mode each is preceded by a look at the listing; 2 % are kept for reading back. */
export function callsFor(batches: number, perBatch: number): number {
  return Math.ceil(batches * perBatch * 1.02);
}

function remaining(counters: unknown, name: string): number | undefined {
  if (typeof counters !== 'object' || counters === null || !Object.hasOwn(counters, name)) return undefined;
  const { count, limit } = (counters as Record<string, { count?: unknown; limit?: unknown } | null>)[name] ?? {};
  if (typeof count !== 'number' || typeof limit !== 'number') return undefined;
  const isSound = Number.isSafeInteger(count) && Number.isSafeInteger(limit) && count >= 0 && limit > 0 && count <= limit;
  return isSound ? limit - count : undefined;
}
