import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { moversOf, notedLinks, type ReportFacts } from '../../src/report/facts.ts';
import { html } from '../../src/report/html.ts';
import { reportPage } from '../../src/report/page.ts';
import { changeCell } from '../../src/report/tables.ts';
import { clicksOf, fullFacts, hostile, linkClicks, madeAt } from './report-facts.ts';

const links = [linkClicks('a', 100, { before: 20 }), linkClicks('b', 50, { before: 90 }), linkClicks('c', 0, { before: 7 })];
const facts = {
  account: 'profile "work"',
  pasteable: (command: string) => command,
  madeAt,
  edition: 'a' as const,
  uncounted: 0,
  links: 3,
  gone: 0,
  notes: new Map(),
  expiring: [],
};

test('H3: what is put into the page is text, whatever it holds', () => {
  expect(html`<b title="${`"'<&>\``}">${'<i>'}${[html`<u>${'&'}</u>`]}${7}</b>`.html).toBe(
    '<b title="&#34;&#39;&#60;&#38;&#62;&#96;">&#60;i&#62;<u>&#38;</u>7</b>',
  );
  const page = reportPage(fullFacts());
  for (const text of hostile.filter((one) => /[<>]/.test(one))) expect(page).not.toContain(text);
  expect(page).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202e\u2028]/);
});

test('H3: the policy of the page allows its own style and nothing else', () => {
  const page = reportPage(fullFacts());
  const style = /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  expect(page).toContain(`content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`);
  expect(page).not.toMatch(/ style=|@import|url\(|@font-face/);
});

test('H3: movers are those whose clicks changed the most, up and down', () => {
  const { up, down } = moversOf(clicksOf(links, [])) ?? { up: [], down: [] };
  expect([up.map(({ link }) => link.hash), down.map(({ link }) => link.hash)]).toEqual([['a'], ['b', 'c']]);
  expect(moversOf(clicksOf(links, [], false))).toBeUndefined();
  expect([...notedLinks(clicksOf(links, []))]).toEqual(['links.example/a', 'links.example/b', 'links.example/c']);
});

/** A page as it reads, without its markup. */
function textOf(page: string): string {
  return page
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ');
}

test('H8: what needs care comes first, then days, top links, tags, and what changed the most; each card leads to its section', () => {
  const page = reportPage(fullFacts());
  const sections = [...page.matchAll(/<section id="(\w+)"><h2>(.*?)<\/h2>/g)].map(([, id, title]) => [id, title]);
  expect(sections).toEqual([
    ['broken', 'Broken links'],
    ['expiring', 'Expiring soon'],
    ['days', 'Clicks per day'],
    ['links', 'Top links'],
    ['tags', 'Tags'],
    ['movers', 'What changed the most'],
  ]);
  expect([...page.matchAll(/<a href="#(\w+)"/g)].map(([, id]) => id)).toEqual(['days', 'links', 'expiring', 'broken']);
});

test('H8: the title is that of the line, else the period; it never names the profile or the host', () => {
  const usual = reportPage({ ...facts, account: 'profile "work" on localhost', clicks: clicksOf(links, [1, 2]) });
  expect(usual).toContain('<title>Clicks, 24 Oct 2026 to 23 Nov 2026</title>');
  expect(/<header>.*<\/header>/s.exec(usual)?.[0]).not.toMatch(/work|localhost/);
  const named = reportPage({ ...facts, title: 'Town <news>', byTags: 'print', clicks: clicksOf(links, [1, 2]) });
  expect(named).toContain('<title>Town &#60;news&#62;</title>');
  expect(textOf(named)).toContain('Town <news> 24 Oct 2026 to 23 Nov 2026 · 3 links · tags print');
});

test('H8: a link is known by its note, wherever it is shown, and a top link that is broken is marked', () => {
  const link = { short_url: 'links.example/a', long_url: 'https://www.example.com/a', note: 'Spring flyer' };
  const counts = { ok: 2, moved: 0, skipped: 0, blocked: 0, loop: 0, unreachable: 0, broken: 1, wrong: 0 };
  const checks = { number: 1, what: 'check', first: madeAt, last: madeAt };
  const text = textOf(
    reportPage({
      ...facts,
      clicks: clicksOf(links, [100, 50]),
      notes: new Map([[link.short_url, link.note]]),
      expiring: [{ ...link, expiration_date: '2026-12-01', total_clicks: 120 }],
      check: { checks, links: 3, counts, failing: [{ ...link, status: 'broken', reason: '404 not found' }], changedSince: 0 },
    }),
  );
  expect(text).toContain('broken Spring flyer links.example/a https://www.example.com/a 404 not found');
  expect(text).toContain('1 Dec 2026 120 Spring flyer links.example/a https://www.example.com/a');
  expect(text).toContain('100 +400 % Spring flyer links.example/a broken https://www.example.com/a');
});

test.each([
  [19, 3, '+16'],
  [3, 19, '−16'],
  [5, 5, '±0'],
  [5, 0, '+5'],
  [20, 10, '+100 %'],
  [0, 20, '−100 %'],
  [20, 0, 'from 0'],
])('H8: %i clicks after %i are %j: few clicks have no percentage', (clicks, before, text) => {
  expect(textOf(changeCell({ clicks, before }).html).trim()).toBe(text);
});

test.each([
  [31, 'day', ['24 Oct 2026 1', '22 Nov 2026 1', '23 Nov 2026 1 so far']],
  [32, 'week', ['19 Oct 2026 3', '16 Nov 2026 7', '23 Nov 2026 1 so far']],
  [183, 'month', ['Jun 2026 30', 'Nov 2026 23 so far']],
])('H8: %i days are a value for each %s, the last so far', (length, unit, shown) => {
  const days = Array.from({ length }, (_, index) => ({
    date: new Date(madeAt - (length - 1 - index) * 86_400_000).toISOString().slice(0, 10),
    clicks: 1,
    ...(index === length - 1 && { soFar: true as const }),
  }));
  const text = textOf(reportPage({ ...facts, clicks: { ...clicksOf(links, []), days } }));
  for (const part of [`Clicks per ${unit} `, ...shown]) expect(text).toContain(part);
});

describe('H3: what is not known is said, and is no zero', () => {
  test('nothing to compare with: no column for it', () => {
    const page = reportPage({ ...facts, clicks: clicksOf(links, [100, 50], false) });
    expect(page).toContain('no earlier reading to compare with');
    expect(page).not.toMatch(/>Before<|>Change<|%</);
  });

  test('no clicks in the time before: no percentage of nothing', () => {
    const fresh = [linkClicks('a', 100, { before: 0 })];
    const page = reportPage({ ...facts, clicks: clicksOf(fresh, [100, 50]) });
    expect(page).toContain('none before');
    expect(page).toContain('from 0');
    expect(page).not.toContain(' %<');
  });

  test('a day without readings', () => {
    const page = reportPage({ ...facts, clicks: clicksOf(links, [100, undefined, 50]) });
    expect(page.match(/not known/g)).toHaveLength(1);
    expect(page).toContain('No readings belong to some of these days');
    expect(reportPage({ ...facts, clicks: clicksOf(links, [100, 0, 50]) })).not.toMatch(/not known|No readings/);
  });

  test('H8: without links or clicks a sentence and the next command, and no empty section', () => {
    const none = reportPage({ ...facts, links: 0, clicks: clicksOf([], [0]) });
    expect(textOf(none)).toContain('There are no links yet. To create the first one: linkctl shorten https://example.com');
    expect(none).not.toContain('<section');
    const unclicked = reportPage({ ...facts, clicks: clicksOf([], [0]) });
    expect(textOf(unclicked)).toContain('No link was clicked in this period. For a longer one: linkctl report --since 3m');
    expect(unclicked.match(/<section/g)).toHaveLength(1);
    expect(none + unclicked).not.toMatch(/NaN|undefined|Infinity/);
  });

  test('every command acts on the account and the links of the page', () => {
    const typed = { ...facts, pasteable: (command: string) => command.replace('linkctl', 'linkctl -p work') };
    const [unclicked, none] = [{ clicks: clicksOf([], [0]) }, { links: 0, clicks: clicksOf([], [0]) }];
    const commands = (more: Partial<ReportFacts> & Pick<ReportFacts, 'clicks'>): string[] =>
      [...reportPage({ ...typed, ...more }).matchAll(/<code>(.*?)<\/code>/g)].map(([, command = '']) => textOf(command));
    expect(commands(none)).toEqual(['linkctl -p work shorten https://example.com']);
    expect(commands({ ...none, byTags: 'print' })).toEqual(['linkctl -p work tags']);
    expect(commands({ ...unclicked, byTags: 'print' })).toEqual([
      'linkctl -p work report --since 3m --by-tags print --html report.html',
    ]);
    expect(commands({ ...unclicked, domain: 's.ex', expiring: fullFacts().expiring.slice(0, 1) })).toEqual([
      'linkctl -p work check --domain s.ex',
      'linkctl -p work report --since 3m --domain s.ex --html report.html',
    ]);
    expect(commands({ clicks: clicksOf(links, [1]) })).toEqual(['linkctl -p work check --all-domains']);
  });

  test('what a check could not find out, did not reach, and what changed since', () => {
    const text = reportPage(fullFacts());
    for (const part of [
      '19,900 ok, 12 moved, 66 skipped, 290 blocked',
      '14 other links have not been checked since their destinations last changed.',
      'open them in a browser',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).toContain('2 links that failed have been changed or deleted since.');
    const counts = { ok: 3, moved: 0, skipped: 0, blocked: 0, loop: 0, unreachable: 0, broken: 0, wrong: 0 };
    const checks = { number: 1, what: 'check', first: madeAt, last: madeAt };
    const check = { checks, links: 3, counts, failing: [], changedSince: 0 };
    const well = reportPage({ ...facts, clicks: clicksOf(links, []), check });
    expect(well).toContain('Latest results for 3 links (linkctl check, 23 Nov 2026, 06:00 UTC): 3 ok.');
    expect(well).not.toMatch(/not been checked|browser|since\./);
  });

  test('a table that is not whole says so', () => {
    const many = Array.from({ length: 12 }, (_, index) => linkClicks(`l${index}`, 100 - index));
    const page = reportPage({ ...facts, clicks: clicksOf(many, [1, 2]) });
    expect(page).toContain(
      '10 of 12 links. For all of them: <code>linkctl stats --since 2026-10-24T06:00:00Z --until 2026-11-23T06:00:00Z -o csv</code>',
    );
  });
});

test('H3: the page says which readings its figures come from', () => {
  const page = reportPage({ ...facts, clicks: clicksOf(links, [1, 2]) });
  expect(page).toContain('from the reading of 24 Oct 2026, 05:10 UTC to that of 23 Nov 2026, 03:13 UTC');
  expect(page).toContain('The previous period begins with the reading of 24 Sep 2026, 06:00 UTC');
  expect(reportPage({ ...facts, clicks: { ...clicksOf(links, [1, 2]), source: 'daily_clicks' } })).toContain(
    'Clicks are the daily totals of the server',
  );
});
