import { describe, expect, test } from 'vitest';
import type { PlannedLink, PlannedOutcome } from '../../src/change/decide/outcome.ts';
import { ChangePlan, type PlanVerb } from '../../src/change/plan/plan.ts';
import { planLines } from '../../src/change/plan/text.ts';
import type { UrlRecord } from '../../src/contract/records.ts';
import { Streams } from '../../src/output/streams.ts';
import { createTestSystem, type World } from '../support/test-system.ts';

const wide = { terminal: { stderr: true }, columns: 80, env: { LANG: 'C.UTF-8' } };

function record(hash: string, more: Partial<UrlRecord> = {}): UrlRecord {
  const links = { html: '', json: '', stats: '' } as unknown as UrlRecord['links'];
  const empty = { total_clicks: 0, unique_clicks: 0, note: '', email_stats: false, expiration_date: null, tags: [], links };
  return { ...empty, hash, short_url: `s.ex/${hash}`, long_url: `https://old.example/${hash}`, ...more };
}

function link(hash: string, outcome: PlannedOutcome, more: Partial<UrlRecord> = {}): PlannedLink {
  return { target: { hash }, record: outcome.kind === 'missing' ? undefined : record(hash, more), outcome };
}

const moved = (hash: string, to = `https://new.example/${hash}`): PlannedLink =>
  link(hash, { kind: 'change', fields: { long_url: to } });

function linesOf(
  links: Iterable<PlannedLink>,
  { of, verb = 'change' }: { readonly verb?: PlanVerb; readonly of?: number } = {},
  world: World = wide,
): readonly string[] {
  const streams = new Streams(createTestSystem(world));
  const shortUrl = (found: { readonly short_url?: unknown }): string => `https://${found.short_url}`;
  const plan = new ChangePlan(verb, { streams, shortUrl, edition: 'a' });
  plan.add([...links], of);
  return planLines(plan);
}

describe('W2: what a plan says', () => {
  test('how many of how many, alike changes folded, examples with what differs marked', () => {
    const notes = ['x', 'y'].map((hash) => link(hash, { kind: 'change', fields: { note: 'n', tags: ['+a', '-b'] } }));
    expect(linesOf([moved('a'), ...notes, moved('b'), moved('c'), link('d', { kind: 'unchanged' })], { of: 3300 })).toEqual([
      '5 of 3,300 links would be changed, 1 unchanged, 3,294 not matching',
      '  old.example -> new.example  3',
      '  note: "" -> "n"; tags: +a   2',
      '  https://s.ex/a',
      '    - https://old.example/a',
      '    + https://new.example/a',
      '              ~~~~~~~~~~~',
      '  https://s.ex/x: note: "" -> "n"; tags: +a',
      '  https://s.ex/b',
      '    - https://old.example/b',
      '    + https://new.example/b',
      '              ~~~~~~~~~~~',
      '  https://s.ex/y: note: "" -> "n"; tags: +a',
      '  https://s.ex/c',
      '    - https://old.example/c',
      '    + https://new.example/c',
      '              ~~~~~~~~~~~',
    ]);
  });

  test('B24, B58a: a narrow terminal shows the destination on a line of its own', () => {
    const long = { long_url: `https://old.example/${'x'.repeat(40)}` };
    const lines = linesOf([link('long-hash', { kind: 'delete' }, long)], { verb: 'delete' }, { ...wide, columns: 40 });
    expect(lines.slice(1, 3)).toEqual(['  https://s.ex/long-hash ->', `    https://old.example/xxxx… (0 clicks)`]);
  });

  test('B24, B58a: a narrow terminal shows the names of links that are left below the reason', () => {
    const reason = 'the short URL is used by another link now';
    const refused = Array.from({ length: 3 }, (_, nth) => link(`refused-link-${nth}`, { kind: 'refused', reason }));
    const lines = linesOf([moved('a'), ...refused], {}, { ...wide, columns: 40 });
    expect(lines.slice(-4)).toEqual([
      '  the short URL is used by another link',
      '  now (3):',
      '    https://s.ex/refused-link-0 … and 2',
      '    more',
    ]);
  });

  test('of many changes the largest, and how many others there are', () => {
    const links = Array.from({ length: 24 }, (_, nth) => moved(`h${nth}`, `https://new${nth % 12}.example/h${nth}`));
    const lines = linesOf([...links, moved('more', 'https://new0.example/more')]);
    expect(lines.slice(0, 3)).toEqual([
      '25 links would be changed',
      '  old.example -> new0.example  3',
      '  old.example -> new1.example  2',
    ]);
    expect(lines[11]).toBe('  … and 2 other changes        4');
    expect(lines.filter((line) => line.startsWith('    +'))).toHaveLength(5);
  });

  test('one change of each kind is an example only', () => {
    expect(linesOf([moved('a'), moved('b', 'https://other.example/b')])).not.toContainEqual(expect.stringContaining('->'));
  });

  test('what is refused and what is missing, by name and why', () => {
    const refused = Array.from({ length: 7 }, (_, nth) => link(`r${nth}`, { kind: 'refused', reason: 'too long' }));
    const lines = linesOf([moved('a'), ...refused, link('gone', { kind: 'missing' })]);
    expect(lines[0]).toBe('1 link would be changed, 1 not found, 7 refused');
    expect(lines.slice(-2)).toEqual([
      '  too long (7): https://s.ex/r0, https://s.ex/r1, https://s.ex/r2 … and 4 more',
      '  not found (1): gone',
    ]);
  });

  test('P2: a link that is deleted or made is an example, however many others are changed otherwise', () => {
    const notes = Array.from({ length: 1100 }, (_, nth) => link(`n${nth}`, { kind: 'change', fields: { note: `${nth}` } }));
    const made = link('new', { kind: 'create', fields: { long_url: 'https://example.com/', note: 'n', tags: ['a'] } });
    const lines = linesOf([...notes, { ...made, record: undefined }, link('gone', { kind: 'delete' })], { verb: 'apply' });
    expect(lines[0]).toBe('1,102 links: 1 to be created, 1,100 to be changed, 1 to be deleted');
    expect(lines).toContain('  + new -> https://example.com/; note: "n"; tags: ["a"]');
    expect(lines).toContain('  - https://s.ex/gone -> https://old.example/gone (0 clicks)');
    expect(lines.at(-1)).toBe('clicks and creation order of deleted links cannot be restored');
  });

  test('U3: what cannot come back', () => {
    const lines = linesOf([link('a', { kind: 'delete' }, { total_clicks: 1204 }), link('b', { kind: 'reset' })], {
      verb: 'delete',
    });
    expect(lines).toEqual([
      '2 links would be deleted',
      '  https://s.ex/a -> https://old.example/a (1,204 clicks)',
      '  https://s.ex/b -> https://old.example/b (0 clicks, 0 unique)',
      'clicks and creation order of deleted links cannot be restored',
      'counters cannot be restored after a reset',
    ]);
  });

  test('U3, W2: a plan of several kinds folds each, and says where a link that is made again leads', () => {
    const again = ['a', 'b'].map((hash): PlannedLink => {
      const fields = { long_url: `https://old.example/${hash}` };
      return { target: { hash, domain: 's.ex' }, record: undefined, outcome: { kind: 'create', fields } };
    });
    const made = ['c', 'd', 'e'].map((hash) => link(hash, { kind: 'delete' }));
    expect(linesOf([...again, ...made], { verb: 'restore' })).toEqual([
      '5 links would be restored',
      '  deleted        3',
      '  created again  2',
      '  https://s.ex/c -> https://old.example/c (0 clicks)',
      '  s.ex/a -> https://old.example/a (created again)',
      '  https://s.ex/d -> https://old.example/d (0 clicks)',
      '  s.ex/b -> https://old.example/b (created again)',
      '  https://s.ex/e -> https://old.example/e (0 clicks)',
      'clicks and creation order of deleted links cannot be restored',
      'links that are created again start with 0 clicks, as the newest',
    ]);
  });

  test('B29, B25: server text is safe, and lines are as long as the terminal is wide', () => {
    const long = `https://old.example/${'語'.repeat(60)}\u001b[2J/end`;
    const noted = (hash: string): PlannedLink =>
      link(hash, { kind: 'change', fields: { note: `${'new '.repeat(30)}` } }, { note: 'old\u202e '.repeat(30) });
    const lines = linesOf([
      link('a', { kind: 'change', fields: { long_url: long.replace('/end', '/other') } }, { long_url: long }),
      noted('b'),
      noted('d'),
      link('c', { kind: 'delete' }, { long_url: long }),
    ]);
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u202e]/);
    expect(lines.find((line) => line.endsWith('/other'))).toMatch(/^ {4}\+ …語+\\x1b\[2J\/other$/);
    for (const line of lines) expect(line.replaceAll('語', 'xx').length).toBeLessThanOrEqual(80);
  });

  test('B96: in a locale without Unicode there is none', () => {
    const lines = linesOf([moved('a', `https://new.example/${'x/'.repeat(50)}`)], {}, { ...wide, env: { LANG: 'C' } });
    expect(lines.join('')).toMatch(/^[\x20-\x7e]+\.\.\.[ ~]+$/);
  });

  test('memory does not grow with changes that are all different', () => {
    const many = function* (): Generator<PlannedLink> {
      for (let nth = 0; nth < 5000; nth += 1) yield moved('a', `https://new${nth}.example/a`);
      yield moved('b', 'https://new1.example/b');
    };
    const lines = linesOf(many());
    expect(lines.slice(1, 3)).toEqual(['  old.example -> new1.example      2', '  … and other changes          4,999']);
  });
});
