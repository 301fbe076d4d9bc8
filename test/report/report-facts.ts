import type { Clicks, DayClicks, LinkClicks } from '../../src/history/clicks.ts';
import type { ReportFacts } from '../../src/report/facts.ts';

/** Monday, 23 November 2026, 06:00 UTC. */
export const madeAt = Date.UTC(2026, 10, 23, 6);
const day = 86_400_000;

/** Texts that are markup, should anything take them for it. */
export const hostile = [
  '<img src=x onerror="document.title=1">',
  '"><script>document.title=2</script>',
  "' onmouseover='document.title=3' x='",
  '</style></title></textarea><script src=https://evil.example/x.js></script>',
  '<svg/onload=document.title=4>&lt;b&gt;&amp;',
  '<a href="javascript:document.title=5">click</a>',
  '{{document.title=6}}<!--',
  'esc\u001b[2J \u202eevil\u2028 \u0000 \ud800',
] as const;

/** None of these is a link. */
export const badDestinations = [
  'javascript:document.title=7',
  'JaVaScRiPt:document.title=8//https://ok.example/',
  ' javascript:document.title=9',
  'java\nscript:document.title=10',
  'data:text/html,<script>document.title=11</script>',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  'blob:https://a.example/1',
  '//evil.example/',
  'not a url',
] as const;

export function linkClicks(name: string, clicks: number, other: Partial<LinkClicks & { long_url: string }> = {}): LinkClicks {
  const { long_url = `https://www.example.com/${name}`, ...rest } = other;
  const link = { hash: name, short_url: `links.example/${name}`, long_url, tags: ['print'] };
  return { link, clicks, before: Math.round(clicks / 2), unique: undefined, events: [], ...rest };
}

export function clicksOf(links: readonly LinkClicks[], days: readonly (number | undefined)[], isCompared = true): Clicks {
  const sum = (values: readonly (number | undefined)[]): number => values.reduce<number>((total, value = 0) => total + value, 0);
  return {
    asked: { since: madeAt - 30 * day, until: madeAt, now: madeAt },
    counted: { since: madeAt - 30 * day - 3_000_000, until: madeAt - 10_000_000 },
    before: isCompared ? madeAt - 60 * day : undefined,
    total: {
      clicks: sum(links.map(({ clicks }) => clicks)),
      before: isCompared ? sum(links.map(({ before }) => before)) : undefined,
    },
    links: isCompared ? links : links.map((link) => ({ ...link, before: undefined })),
    days: days.map(
      (clicks, index): DayClicks => ({
        date: new Date(madeAt - (days.length - index) * day).toISOString().slice(0, 10),
        clicks,
      }),
    ),
    source: 'readings',
  };
}

/** A full page: every kind of event, a day that nobody knows, long names, and all that is hostile, wherever a server has a say. */
export function fullFacts(): ReportFacts {
  const events = ['new', 'reset', 'fell', 'deleted', 'gone', 'renamed'] as const;
  const ordinary = events.map((event, index) => linkClicks(event, 2400 - 300 * index, { events: [event] }));
  const long = linkClicks(`${'a-long-name-'.repeat(4)}end`, 590, { long_url: `https://www.example.com/${'path/'.repeat(300)}` });
  const bad = badDestinations.map((long_url, index) => linkClicks(`bad${index}`, 580 - index, { long_url, before: 900 }));
  const texts = hostile.map((text, index): LinkClicks => {
    const link = {
      hash: text,
      short_url: `links.example/${text}`,
      long_url: `https://h${index}.example/?q=${text}`,
      tags: [text],
    };
    return { link, clicks: 5000 + index, before: 10 * index, unique: undefined, events: [] };
  });
  const links = [...ordinary, long, ...bad, ...texts].sort((one, other) => other.clicks - one.clicks);
  return {
    account: `profile "work", ${hostile[0]}`,
    pasteable: (command) => command,
    madeAt,
    edition: 'a',
    uncounted: 0,
    links: 20_312,
    gone: 4,
    clicks: clicksOf(
      links,
      Array.from({ length: 30 }, (_, index) => (index === 7 ? undefined : (index * 37) % 400)),
    ),
    notes: new Map(links.map(({ link }, index) => [link.short_url, hostile[index % hostile.length] ?? ''])),
    expiring: [...hostile, ...badDestinations].map((text, index) => ({
      short_url: `links.example/e${index}`,
      long_url: text,
      expiration_date: `2026-12-${String(index + 1).padStart(2, '0')}`,
      total_clicks: 1234 * index,
    })),
    check: {
      checks: {
        number: 1,
        what: `check --by-tags '${hostile[1]}'`,
        first: madeAt - 30 * 3_600_000,
        last: madeAt - 30 * 3_600_000,
      },
      links: 20_298,
      counts: { ok: 19_900, moved: 12, skipped: 66, blocked: 290, loop: 0, unreachable: 2, broken: 18, wrong: 0 },
      changedSince: 2,
      failing: [...hostile, ...badDestinations].map((text, index) => ({
        short_url: `links.example/b${index}`,
        long_url: text,
        status: 'broken',
        reason: text,
      })),
    },
  };
}
