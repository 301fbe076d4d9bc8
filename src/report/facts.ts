import type { CheckStatus } from '../check/verdict.ts';
import type { Edition } from '../contract/editions.ts';
import type { Clicks, LinkClicks } from '../history/clicks.ts';

/** All that the page says. Times are milliseconds since 1970. */
export interface ReportFacts {
  /** Whose links they are: `profile "work", links.example`. */
  readonly account: string;
  readonly madeAt: number;
  readonly edition: Edition;
  /** The one that the report is of; undefined for all. */
  readonly domain?: string | undefined;
  readonly clicks: Clicks;
  /** Links that linkctl deleted or reset in the time, whose clicks the server's days lack. */
  readonly uncounted: number;
  /** Links of the account, now. */
  readonly links: number;
  /** Links with clicks that it does not have any more. */
  readonly gone: number;
  /** Notes of links, by short URL without protocol: what people call them. */
  readonly notes: ReadonlyMap<string, string>;
  /** Those that expire first at the beginning. */
  readonly expiring: readonly ExpiringLink[];
  /** Absent where no link was ever checked. */
  readonly check?: CheckFacts | undefined;
}

/** A link as the page names it. */
export interface NamedLink {
  /** Without protocol. */
  readonly short_url: string;
  readonly long_url: string;
}

export interface ExpiringLink extends NamedLink {
  /** The last day on which it works, `YYYY-MM-DD`. */
  readonly expiration_date: string;
  readonly total_clicks: number;
}

/** What checks found of the links, whose newest verdicts count. */
export interface CheckFacts {
  /** The checks that these are from. */
  readonly checks: {
    readonly number: number;
    /** The newest as people typed it: `check --by-tags promo`. */
    readonly what: string;
    readonly first: number;
    readonly last: number;
  };
  /** Links with a verdict on where they lead now. */
  readonly links: number;
  /** These by the verdict on their destination, or on their short URL where that one fails. */
  readonly counts: Readonly<Record<CheckStatus, number>>;
  /** Links that fail a check, and still lead where they led then. */
  readonly broken: readonly BrokenLink[];
  /** Of those that failed it, how many have another destination since, or are gone. */
  readonly changedSince: number;
}

export interface BrokenLink extends NamedLink {
  readonly status: CheckStatus;
  /** `404 not found`. */
  readonly reason: string;
}

/** Days ahead in which a link expires soon. */
export const soon = 30;

/** Links of one table. */
export const rowsShown = 10;

/** Links that rose, or fell, the most. */
const moversShown = 5;

export interface Movers {
  readonly up: readonly LinkClicks[];
  readonly down: readonly LinkClicks[];
}

/** Those whose clicks changed the most against the time before; undefined where there is nothing to compare with. */
export function moversOf({ links, before }: Clicks): Movers | undefined {
  if (before === undefined) return undefined;
  const moved = links.map((link) => ({ link, by: link.clicks - (link.before ?? 0) }));
  const up = moved.filter(({ by }) => by > 0).sort((one, other) => other.by - one.by);
  const down = moved.filter(({ by }) => by < 0).sort((one, other) => one.by - other.by);
  return {
    up: up.slice(0, moversShown).map(({ link }) => link),
    down: down.slice(0, moversShown).map(({ link }) => link),
  };
}

/** The links whose notes the page shows. */
export function notedLinks(clicks: Clicks): Set<string> {
  const { up, down } = moversOf(clicks) ?? { up: [], down: [] };
  return new Set([...topLinks(clicks), ...up, ...down].map(({ link }) => link.short_url));
}

/** The names of all that were clicked. */
export function clickedLinks({ links }: Clicks): Set<string> {
  return new Set(links.filter(({ clicks }) => clicks > 0).map(({ link }) => link.short_url));
}

export function topLinks({ links }: Clicks): readonly LinkClicks[] {
  return links.filter(({ clicks }) => clicks > 0).slice(0, rowsShown);
}
