import { flagText, shellWord } from '../base/quoted.ts';
import { isoTime, relativeDay, utcDay } from '../base/times.ts';
import { type CheckStatus, failingStatuses } from '../check/verdict.ts';
import type { Edition } from '../contract/editions.ts';
import { type Clicks, comparable, type LinkClicks } from '../history/clicks.ts';

/** All facts of the page. Times are milliseconds since 1970. */
export interface ReportFacts {
  /** For the end of the page: `profile "work", links.example`. */
  readonly account: string;
  /** Completes a command, so that it is about this account wherever it is pasted. */
  readonly pasteable: (command: string) => string;
  /** In place of the usual heading. */
  readonly title?: string | undefined;
  /** The tag expression that selects the links; undefined for all. */
  readonly byTags?: string | undefined;
  readonly madeAt: number;
  readonly edition: Edition;
  /** Undefined for all domains. */
  readonly domain?: string | undefined;
  readonly clicks: Clicks;
  /** Links that linkctl deleted or reset in the period, whose clicks the daily totals of the server lack. */
  readonly uncounted: number;
  /** The current number of links. */
  readonly links: number;
  /** Links with clicks that do not exist any more. */
  readonly gone: number;
  /** Notes of links with clicks, by short URL without the protocol: people recognize links by them. */
  readonly notes: ReadonlyMap<string, string>;
  /** In order of expiry. */
  readonly expiring: readonly ExpiringLink[];
  /** Absent if no link was ever checked. */
  readonly check?: CheckFacts | undefined;
}

export interface NamedLink {
  /** Without the protocol. */
  readonly short_url: string;
  readonly long_url: string;
  readonly note?: string | undefined;
}

export interface ExpiringLink extends NamedLink {
  /** The last day of the link, `YYYY-MM-DD`. */
  readonly expiration_date: string;
  readonly total_clicks: number;
}

/** The latest result of each link counts. */
export interface CheckFacts {
  /** The checks that found these results. */
  readonly checks: {
    readonly number: number;
    /** The command line of the newest check: `check --by-tags promo`. */
    readonly what: string;
    readonly first: number;
    readonly last: number;
  };
  /** Links whose current destination has been checked. */
  readonly links: number;
  /** These links by the status of their destination, or of their short URL if that one fails. */
  readonly counts: Readonly<Record<CheckStatus, number>>;
  /** Links that failed and have the same destination since. */
  readonly failing: readonly FailingLink[];
  /** Links that failed and have another destination since, or are gone. */
  readonly changedSince: number;
}

export interface FailingLink extends NamedLink {
  readonly status: CheckStatus;
  /** `404 not found`. */
  readonly reason: string;
}

/** In days. */
export const soon = 30;

/** The number of rows in a table. */
export const rowsShown = 10;

/** The number of links that rose or fell the most. */
const moversShown = 5;

export interface Movers {
  readonly up: readonly LinkClicks[];
  readonly down: readonly LinkClicks[];
}

/** Links whose clicks changed the most; undefined without a previous period. */
export function moversOf({ links, before }: Clicks): Movers | undefined {
  if (before === undefined) return undefined;
  const moved = links.map((link) => ({ link, by: comparable(link) - (link.before ?? 0) }));
  const up = moved.filter(({ by }) => by > 0).sort((one, other) => other.by - one.by);
  const down = moved.filter(({ by }) => by < 0).sort((one, other) => one.by - other.by);
  return {
    up: up.slice(0, moversShown).map(({ link }) => link),
    down: down.slice(0, moversShown).map(({ link }) => link),
  };
}

/** The links whose notes are shown. */
export function notedLinks(clicks: Clicks): Set<string> {
  const { up, down } = moversOf(clicks) ?? { up: [], down: [] };
  return new Set([...topLinks(clicks), ...up, ...down].map(({ link }) => link.short_url));
}

/** The short URLs of all links with clicks. */
export function clickedLinks({ links }: Clicks): Set<string> {
  return new Set(links.filter(({ clicks }) => clicks > 0).map(({ link }) => link.short_url));
}

export function topLinks({ links }: Clicks): readonly LinkClicks[] {
  return links.filter(({ clicks }) => clicks > 0).slice(0, rowsShown);
}

/** The commands that the page prints: for the complete lists, of which it shows the first rows, and for what to do next. */
export function commandsOf({ clicks: { asked }, madeAt, domain, byTags, edition, pasteable }: ReportFacts) {
  const selected = byTags === undefined ? '' : ` ${flagText('--by-tags', byTags)}`;
  const named = selected || (domain === undefined ? '' : ` --domain ${shellWord(domain)}`);
  const listed = named || (edition === 'a' ? ' --all-domains' : '');
  const clicks = `linkctl stats --since ${timeFlag(asked.since)} --until ${timeFlag(asked.until)}${named}`;
  const days = [`>=${utcDay(madeAt)}`, `<=${relativeDay(`+${soon}d`, madeAt)}`];
  const filters = days.map((bound) => ` --filter ${shellWord(`expiration_date${bound}`)}`).join('');
  return {
    links: pasteable(`${clicks} -o csv`),
    tags: pasteable(`${clicks} --by tag -o csv`),
    expiring: pasteable(`linkctl list${listed}${filters} -o csv`),
    failing: pasteable(`linkctl check${listed} --only ${failingStatuses.join(',')} -o csv`),
    check: pasteable(`linkctl check${listed}`),
    longer: pasteable(`linkctl report --since 3m${named} --html report.html`),
    allTags: pasteable('linkctl tags'),
    shorten: pasteable('linkctl shorten https://example.com'),
  };
}

function timeFlag(time: number): string {
  return isoTime(time).replace('.000', '');
}
