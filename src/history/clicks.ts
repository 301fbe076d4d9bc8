/** From `since` on and before `until`, in milliseconds since 1970. */
export interface Span {
  readonly since: number;
  readonly until: number;
}

/** What was asked for. */
export interface Period extends Span {
  /** When the command began. The day on which that is is not over: it counts so far. */
  readonly now: number;
}

/**
 * Whether a time is as long as the one that it is compared with, give or take a tenth: readings are never made at the very same time of the day, and
 * the present day is shorter than others. Figures of times that are not would say nothing.
 */
export function isAsLong(time: Span, compared: Span): boolean {
  const [one, other] = [time.until - time.since, compared.until - compared.since];
  return Math.abs(one - other) <= other / 10;
}

/**
 * What happened to a link between the first and the last reading. `new`: it was read for the first time. `reset`, `deleted` and `renamed`
 * are what this tool did; `fell`: its counter fell, so somebody else has reset it; `gone`: somebody else has deleted it.
 */
export type LinkEvent = 'new' | 'reset' | 'fell' | 'deleted' | 'gone' | 'renamed';

/** A link under its wire names, as the last reading of the time had it. */
export type ReadLink = {
  readonly hash: string;
  /** As listed, without protocol; the hash where the server sends none. Equal for no two links of an account. */
  readonly short_url: string;
  readonly long_url: string;
  readonly tags: readonly string[];
};

/** The clicks of one link. */
export interface LinkClicks {
  readonly link: ReadLink;
  readonly clicks: number;
  /** In the time before; undefined where `Clicks.before` is. */
  readonly before: number | undefined;
  /** Unique clicks, of this link alone: never to be added up over links, as one person clicks several. Undefined where not known. */
  readonly unique: number | undefined;
  readonly events: readonly LinkEvent[];
}

/** The clicks of one day of all links. */
export interface DayClicks {
  /** `YYYY-MM-DD`, UTC. */
  readonly date: string;
  /** Undefined where no readings lie within 12 hours of both of its ends: its clicks are part of `Clicks.total` all the same. */
  readonly clicks: number | undefined;
  /** Present where the day is not over. */
  readonly soFar?: true;
}

/** The clicks in a time against those in as long a time before it. All counted, nothing extrapolated. */
export interface Clicks {
  readonly asked: Period;
  /** The readings that were used: those nearest to both ends. Clicks are counted from one to the other. */
  readonly counted: Span;
  /** The reading with which the time before begins, which ends with `counted.since`; undefined where none makes it as long as `counted`. */
  readonly before: number | undefined;
  readonly total: { readonly clicks: number; readonly before: number | undefined };
  /** The links with clicks in either time, or with an event; those with the most clicks first. */
  readonly links: readonly LinkClicks[];
  /** Every day in `counted`; the first and the last may be parts of days. */
  readonly days: readonly DayClicks[];
  /** Where the figures come from: readings of the local history, or what the server sends as `daily_clicks`. */
  readonly source: 'readings' | 'daily_clicks';
}

/** Clicks of links that have something in common. */
export interface ClickGroup {
  /** A tag or a host; empty for links without tags, or whose destination has no host. */
  readonly name: string;
  /** Links that are in `Clicks.links`. */
  readonly links: number;
  readonly clicks: number;
  readonly before: number | undefined;
}

/** Groups by what `namesOf` says of a link, which is counted in each of them; those with the most clicks first. */
export function groupClicks(
  { links, before }: Pick<Clicks, 'links' | 'before'>,
  namesOf: (link: ReadLink) => readonly string[],
): ClickGroup[] {
  const groups = new Map<string, { name: string; links: number; clicks: number; before: number }>();
  for (const { link, clicks, before: earlier = 0 } of links) {
    const names = namesOf(link);
    for (const name of names.length === 0 ? [''] : new Set(names)) {
      const group = groups.get(name) ?? { name, links: 0, clicks: 0, before: 0 };
      groups.set(name, group);
      group.links += 1;
      group.clicks += clicks;
      group.before += earlier;
    }
  }
  return [...groups.values()]
    .sort((one, other) => other.clicks - one.clicks || other.before - one.before || (one.name < other.name ? -1 : 1))
    .map((group) => ({ ...group, before: before === undefined ? undefined : group.before }));
}
