import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { scaleTop } from '../../src/report/days-chart.ts';
import { moversOf, notedLinks } from '../../src/report/facts.ts';
import { html } from '../../src/report/html.ts';
import { reportPage } from '../../src/report/page.ts';
import { clicksOf, fullFacts, hostile, linkClicks, madeAt } from './report-facts.ts';

const links = [linkClicks('a', 100, { before: 20 }), linkClicks('b', 50, { before: 90 }), linkClicks('c', 0, { before: 7 })];
const facts = {
  account: 'profile "work"',
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

test.each([
  [0, 4],
  [3, 4],
  [7, 8],
  [10, 10],
  [11, 20],
  [399, 400],
  [401, 500],
  [723, 800],
  [123_456, 200_000],
])('H3: the scale of the days for %d ends at %d', (most, top) => expect(scaleTop(most)).toBe(top));

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
    expect(page.match(/class="unknown"/g)).toHaveLength(1);
    expect(page).toContain('not known');
    expect(reportPage({ ...facts, clicks: clicksOf(links, [100, 0, 50]) })).not.toContain('class="unknown"');
  });

  test('no links, no check, no clicks, one day', () => {
    const page = reportPage({ ...facts, links: 0, clicks: clicksOf([], []) });
    for (const text of ['No link was clicked.', 'not checked yet', 'No link expires', 'lies within one day']) {
      expect(page).toContain(text);
    }
    expect(page).not.toMatch(/NaN|undefined|Infinity/);
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
    const check = { checks, links: 3, counts, broken: [], changedSince: 0 };
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
