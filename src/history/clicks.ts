/** Includes `since`, excludes `until`; in milliseconds since 1970. */
export interface Span {
  readonly since: number;
  readonly until: number;
}

export interface Period extends Span {
  /** The start of the command. The current day is not over and is counted so far. */
  readonly now: number;
}

/**
 * Allows a difference of a tenth, because readings are never made at exactly the same time of day. Figures of periods that differ more are
 * not comparable.
 */
export function isComparable(time: Span, compared: Span): boolean {
  const [one, other] = [time.until - time.since, compared.until - compared.since];
  return Math.abs(one - other) <= other / 10;
}

/**
 * Events between the first and the last reading. `new`: in a reading for the first time. `reset`, `deleted` and `renamed`: done by this
 * tool. `fell`: the counter fell, so somebody else reset it. `gone`: somebody else deleted the link.
 */
export type LinkEvent = 'new' | 'reset' | 'fell' | 'deleted' | 'gone' | 'renamed';

/** Under its wire names, as of the last reading of the period. */
export type ReadLink = {
  readonly hash: string;
  /** Without the protocol; the hash if the server sends none. Unique in an account. */
  readonly short_url: string;
  readonly long_url: string;
  readonly tags: readonly string[];
};

/** Of a period and the previous one. */
export interface ComparedClicks {
  readonly clicks: number;
  /** Clicks of the current day if there are only whole days to compare it with: it is not over, so it is not compared. */
  readonly today?: number | undefined;
  /** In the previous period; undefined if `Clicks.before` is. */
  readonly before: number | undefined;
}

/** The clicks to compare with `before`. */
export function comparable({ clicks, today = 0 }: ComparedClicks): number {
  return clicks - today;
}

export interface LinkClicks extends ComparedClicks {
  readonly link: ReadLink;
  /** Never add these up over links, because one person may click several. Undefined if unknown. */
  readonly unique: number | undefined;
  readonly events: readonly LinkEvent[];
}

/** Of all links together. */
export interface DayClicks {
  /** `YYYY-MM-DD`, UTC. */
  readonly date: string;
  /** Undefined if there is no reading within 12 hours of each end of the day. `Clicks.total` includes its clicks nevertheless. */
  readonly clicks: number | undefined;
  /** The day is not over. */
  readonly soFar?: true;
}

/** The clicks of a period and the previous period of the same length. All counted, nothing extrapolated. */
export interface Clicks {
  readonly asked: Period;
  /** From the reading nearest to the start of the requested period to the one nearest to its end. */
  readonly counted: Span;
  /** The start of the previous period, which ends at `counted.since`; undefined if no reading makes it as long as `counted`. */
  readonly before: number | undefined;
  readonly total: ComparedClicks;
  /** Links with clicks in either period or with an event, by descending clicks. */
  readonly links: readonly LinkClicks[];
  /** All days of `counted`; the first and the last may be incomplete. */
  readonly days: readonly DayClicks[];
  /** Readings of the local history, or the `daily_clicks` of the server. */
  readonly source: 'readings' | 'daily_clicks';
}

/** Sorts the links and adds them up. `before` of each link is dropped unless the periods are compared. */
export function clicksOf(figures: Omit<Clicks, 'total'>): Clicks {
  const isCompared = figures.before !== undefined;
  const links = figures.links
    .map((link) => (isCompared ? link : { ...link, before: undefined }))
    .sort((one, other) => other.clicks - one.clicks || (other.before ?? 0) - (one.before ?? 0));
  const sum = (figure: 'clicks' | 'today' | 'before'): number => links.reduce((total, link) => total + (link[figure] ?? 0), 0);
  const today = links.some((link) => link.today !== undefined) ? { today: sum('today') } : {};
  return { ...figures, links, total: { clicks: sum('clicks'), ...today, before: isCompared ? sum('before') : undefined } };
}

export interface ClickGroup extends ComparedClicks {
  /** A tag or a host; empty for links without tags or without a host. */
  readonly name: string;
  /** Counts links of `Clicks.links`. */
  readonly links: number;
}

/** A link counts in each of its groups. Sorted by descending clicks. */
export function groupClicks(
  { links, before }: Pick<Clicks, 'links' | 'before'>,
  namesOf: (link: ReadLink) => readonly string[],
): ClickGroup[] {
  const groups = new Map<string, { name: string; links: number; clicks: number; today: number; before: number }>();
  for (const { link, clicks, today = 0, before: earlier = 0 } of links) {
    const names = namesOf(link);
    for (const name of names.length === 0 ? [''] : new Set(names)) {
      const group = groups.get(name) ?? { name, links: 0, clicks: 0, today: 0, before: 0 };
      groups.set(name, group);
      group.links += 1;
      group.clicks += clicks;
      group.today += today;
      group.before += earlier;
    }
  }
  return [...groups.values()]
    .sort((one, other) => other.clicks - one.clicks || other.before - one.before || (one.name < other.name ? -1 : 1))
    .map((group) => ({ ...group, before: before === undefined ? undefined : group.before }));
}
