import { describe, expect, test } from 'vitest';
import { aliases } from '../../src/input/fields/aliases.ts';
import { check, checkEdit, failure, rows } from './fixtures.ts';

const name = 'links.jsonl';
const url = 'https://example.com/';
const lines = (...records: unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

test('B91: one object on each line, with the types of the API; blank lines are skipped', async () => {
  const full = {
    long_url: url,
    custom_hash: 'abc',
    note: '',
    tags: ['a,b', 'c'],
    expiration_date: null,
    email_stats: false,
    max_clicks: 0,
  };
  expect(
    await rows(`${lines(full)}\r\n\n${lines({ long_url: url, note: null, custom_hash: null, tags: null })}`, { name }),
  ).toEqual([
    { line: 1, item: full, listed: false },
    { line: 4, item: { long_url: url }, listed: false },
  ]);
});

test('B91: a record of a listing feeds shorten as it is, whatever its server adds to it', async () => {
  const record = {
    hash: 'abc',
    long_url: url,
    short_url: 's.ex/abc',
    total_clicks: 1,
    links: { qr_small: 'x' },
    error: { code: 0, message: '' },
    domain: 's.ex',
    archived: false,
    daily_clicks: {},
  };
  expect(await rows(lines(record), { name })).toEqual([{ line: 1, item: { long_url: url, custom_hash: 'abc' }, listed: true }]);
});

describe('B91, I13: a member that a listing of linkctl does not have', () => {
  const listed = (hash: string) => ({ hash, long_url: url, short_url: `s.ex/${hash}`, total_clicks: 1, note: 'n', tags: ['a'] });
  const record = listed('abc');
  const uses = ['shorten', 'edit', 'apply'] as const;

  test.each(uses)('sets nothing, and is named once, in whatever row it is, beside those that are not used (%s)', async (use) => {
    const given = lines({ ...record, notes: 'x' }, listed('def'), { ...listed('ghi'), colour: 1, visits: 2, notes: 'y' });
    const plain = lines(record, listed('def'), listed('ghi'));
    expect(await rows(given, { name, use })).toEqual(await rows(plain, { name, use }));
    expect((await check(plain, { name, use })).columns).toBeUndefined();
    const { columns, hasLosses } = await check(given, { name, use });
    expect(hasLosses).toBe(true);
    expect(columns).toMatch(/^columns: hash -> .*; not used: total_clicks, visits; unknown: notes, colour$/);
  });

  test.each(uses)(
    'sets nothing under the names that other services have for a field, or one that resembles ours (%s)',
    async (use) => {
      const alone = await rows(lines(record), { name, use });
      for (const other of [
        ...aliases.map(([alias]) => alias),
        'nots',
        'expiration_dat',
        'Long URL',
        'NOTE',
        '__proto__',
        'meta',
      ]) {
        if (Object.hasOwn(record, other)) continue;
        const text = lines(record).replace('{', `{${JSON.stringify(other)}:"2031-01-31",`);
        expect(await rows(text, { name, use }), other).toEqual(alone);
        expect((await check(text, { name, use })).columns, other).toMatch(new RegExp(`; unknown: ${other}$`));
      }
    },
  );

  test.each(uses)(
    'is refused with --strict-columns, where a value that services maintain themselves is not (%s)',
    async (use) => {
      const strict = { name, use, strictColumns: true };
      const text = lines({ ...record, created: 'x', archived: false }, { ...listed('def'), notes: 'x', nots: 'y' });
      const { exitCode, lines: told } = await failure(check(text, strict));
      expect(exitCode).toBe(2);
      expect(told).toContain('links.jsonl:2: unknown member "notes": remove it, or leave out --strict-columns');
      expect(told).toContainEqual(expect.stringContaining('links.jsonl:2: unknown member "nots", did you mean note?'));
      expect(told[0]).toBe('links.jsonl: 2 problems, nothing was sent');
      expect(await check(lines({ ...record, created: 'x', archived: false }), strict)).toMatchObject({
        rows: 1,
        columns: undefined,
      });
    },
  );

  test('is said as in a csv where new links are on another domain or lose a feature, also without short URLs', async () => {
    const served = { ping: true, no_stats: false, favorite: true, domain: 's2.example' };
    const given = lines({ ...record, short_url: null, ...served, geo: 'de' });
    const { columns, hosts } = await check(given, { name, strictColumns: true });
    expect(columns).toBe('columns: not carried over: geo (1 row)');
    expect([...hosts.keys()]).toEqual(['s2.example']);
    expect(await check(given, { name, use: 'edit', strictColumns: true })).toMatchObject({ columns: undefined });
  });

  test('is named with 200 others, however many there are', async () => {
    const given = Array.from({ length: 3000 }, (_, index) => ({ ...listed(`h${index}`), [`own${index}`]: 1 }));
    const { columns = '' } = await check(lines(...given), { name, use: 'edit' });
    expect(columns.replace(/.*unknown: /, '').split(', ')).toHaveLength(200);
  });
});

test('C05: names that stand in several objects or in texts are no members twice', async () => {
  const note = 'long_url":"note":{"note": "a"}, \\"note\\":';
  const record = {
    hash: 'a',
    long_url: url,
    short_url: 's.ex/a',
    note,
    links: { hash: 'x', note: ':' },
    error: { error: [{ a: 1 }, { a: 2 }] },
  };
  const plain = { long_url: url, note: ':note', tags: [':tags', 'note:'] };
  const item = { long_url: url, custom_hash: 'a', note };
  expect((await rows(lines(record, plain), { name })).map((row) => row.item)).toEqual([item, plain]);
});

test('B12, P1: in an edit "" clears a note, a date or a limit, and null an expiration date; an empty list of tags changes none', async () => {
  const edits = lines(
    { hash: 'abc', note: '' },
    { hash: 'def', expiration_date: null },
    { hash: 'dfe', expiration_date: '', max_clicks: '' },
    { hash: 'ghi', tags: ['+a,b', '-c', 'd'] },
  );
  expect((await rows(edits, { name, use: 'edit' })).map(({ item }) => item)).toEqual([
    { hash: 'abc', note: '' },
    { hash: 'def', expiration_date: null },
    { hash: 'dfe', expiration_date: null, max_clicks: 0 },
    { hash: 'ghi', tags: ['+a,b', '-c', '+d'] },
  ]);
});

describe('what is refused, exit 2', () => {
  test.each<[string, string, string]>([
    ['text that is not JSON', `{"long_url":"${url}",}\n`, 'links.jsonl:1:36: not valid JSON'],
    ['half an object', `{"long_url":`, 'links.jsonl:1'],
    ['half a word', `{"long_url":tru}`, 'links.jsonl:1:16: not valid JSON'],
    ['an empty array', '[]\n', 'links.jsonl: no rows'],
    ['an array of texts', '["x"]\n', 'links.jsonl:1: expected a JSON object on each line'],
    ['a number after an object', `[{"long_url":"${url}"},3]\n`, 'links.jsonl:1: item 2 of the list is not an object'],
    [
      'a text between',
      `[{"long_url":"${url}"},\n"x",\n{"long_url":"${url}"}]`,
      'links.jsonl:3: item 2 of the list is not an object',
    ],
    ['an array after an object', `[{"long_url":"${url}"},[{"long_url":"${url}"}]]`, 'item 2 of the list is not an object'],
    [
      'a number among numbered members',
      `{"urls":{"u1":{"long_url":"${url}"},"u2":{"long_url":"${url}"},"u3":3}}`,
      'item 3 of the list is not an object',
    ],
    ['a stray comma after an object', `[{"long_url":"${url}"},]`, 'not valid JSON after the last object'],
    ['no comma between', `[{"long_url":"${url}"}{"long_url":"${url}"}]`, 'not valid JSON between two objects'],
    ['a string', '"https://example.com"\n', 'links.jsonl:1: expected a JSON object'],
    ['null', 'null\n', 'links.jsonl:1: expected a JSON object'],
    ['an unknown member', lines({ long_url: url, nots: 'a' }), 'links.jsonl:1: unknown member "nots", did you mean note?'],
    ['a wrong type', lines({ long_url: url, email_stats: 'yes' }), 'links.jsonl:1: email_stats must be a boolean'],
    [
      'hash and custom_hash',
      lines({ long_url: url, hash: 'a', custom_hash: 'b' }),
      'links.jsonl:1: custom_hash: both hash and custom_hash are given',
    ],
    ['C05: a member twice', `{"long_url":"${url}1","long_url":"${url}2"}`, 'links.jsonl:1: duplicate column long_url'],
    [
      'C05: a member twice, with blanks, in a document',
      `[{"long_url": "${url}1", "note" : "a"},\n {"long_url" : "${url}1", "note" : "a", "note" : ":b"}]`,
      'links.jsonl:2: duplicate column note',
    ],
    [
      'C05: a member twice, once with an escape',
      `{"long_url":"${url}1","long\\u005furl":"${url}2"}`,
      'links.jsonl:1: duplicate column long_url',
    ],
    [
      'C05: a member twice whose colons are balanced by a note',
      `{"long_url":"${url}1","note":"\\u003a","note":"\\":"}`,
      'links.jsonl:1: duplicate column note',
    ],
    [
      'C05, I4: a member of another service twice',
      `{"url":"${url}","expires":"2031-01-31","expires":"2032-01-31"}`,
      'links.jsonl:1: duplicate column expires',
    ],
    [
      'C05: a member of a nested object twice',
      `{"url":"${url}","tags":[{"name":"a"},{"name":"b"}],"meta":{"title":"a","title":"b"}}`,
      'links.jsonl:1: duplicate column meta.title',
    ],
    ['a destination that is empty', lines({ long_url: '' }), 'links.jsonl:1: long_url: "" is not an http or https URL'],
    ['no URL', lines({ note: 'a' }), 'links.jsonl:1: long_url is missing'],
    ['C09: half a character in an escape', '{"long_url":"https://example.com/","note":"\\ud800"}', 'links.jsonl:1: note: '],
    [
      'C16: a hash twice',
      lines({ long_url: url, custom_hash: 'a' }, { long_url: url, custom_hash: 'a' }),
      'links.jsonl:2: custom_hash: "a" is already on line 1',
    ],
    [
      'C16: a listing’s hash and a custom one',
      lines({ long_url: url, hash: 'A' }, { long_url: url, custom_hash: 'a' }),
      'links.jsonl:2: custom_hash: "a" differs only in case from the one on line 1',
    ],
    ['C10: nothing', '\n\n', 'links.jsonl: no rows'],
    [
      'I4: a hash of another service whose last digits a JSON number loses',
      '{"url":"https://example.com/","hash":1234567890123456789}\n',
      'links.jsonl:1: hash must be a string: a number of so many digits is not exact',
    ],
    ['I4: true as a hash', lines({ url, hash: true }), 'links.jsonl:1: hash must be a string'],
    ['I4: true as a note', lines({ url, title: true }), 'links.jsonl:1: title must be a string'],
    ['I4: false as a destination', lines({ url: false }), 'links.jsonl:1: long_url is missing'],
    ['nesting without end', '['.repeat(100_000), 'links.jsonl:1'],
  ])('%s', async (_, text, expected) => {
    const told = await failure(check(text, { name }));
    expect(told.exitCode).toBe(2);
    expect(told.text).toContain(expected);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  test('a problem of a document on one line names the object', async () => {
    const records = [{ long_url: url }, { long_url: 'nope' }, { long_url: url, email_stats: 'yes' }];
    const { text } = await failure(check(JSON.stringify({ urls: records }), { name }));
    expect(text).toContain('links.jsonl:1: object 2 of the line: long_url: "nope" is not');
    expect(text).toContain('links.jsonl:1: object 3 of the line: email_stats must be a boolean');
    const alone = await failure(check(JSON.stringify(records.slice(1), undefined, 1), { name }));
    expect(alone.text).toContain('links.jsonl:2: long_url: "nope" is not');
    expect(alone.text).toContain('links.jsonl:5: email_stats must be a boolean');
  });

  test('C16: a hash that an object of the same line has is told with the numbers of both objects', async () => {
    const records = ['x', 'a', 'a', 'A'].map((custom_hash) => ({ long_url: url, custom_hash }));
    const { text } = await failure(check(JSON.stringify(records), { name }));
    expect(text).toContain('links.jsonl:1: object 3 of the line: custom_hash: "a" is already in object 2');
    expect(text).toContain('links.jsonl:1: object 4 of the line: custom_hash: "A" differs only in case from the one in object 2');
  });

  test('an edit that changes nothing', async () => {
    expect((await failure(checkEdit(lines({ hash: 'abc' }), { name: 'edits.jsonl' }))).text).toContain(
      'edits.jsonl:1: nothing to change',
    );
    const empty = lines({ hash: 'abc', note: null });
    expect(await checkEdit(empty, { name: 'edits.jsonl' })).toMatchObject({ rows: 1, skipped: 1 });
  });

  test('what is not JSON is not shown: it may hold a secret', async () => {
    expect((await failure(check('{"long_url": hunter2}', { name }))).text).not.toContain('hunter2');
  });
});

test('I4: false of another service is no value, but of a truth value; numbers that are exact are texts', async () => {
  const given = lines(
    { url, hash: false, title: false, tags: false, expires: false, max_clicks: false, email_stats: false },
    { url, hash: 2024, title: 1.5, tags: 7, expires: 1_924_905_600, max_clicks: 3, email_stats: true },
  );
  expect((await rows(given, { name })).map(({ item }) => item)).toEqual([
    { long_url: url, email_stats: false },
    {
      long_url: url,
      custom_hash: '2024',
      note: '1.5',
      tags: ['7'],
      expiration_date: '2030-12-31',
      max_clicks: 3,
      email_stats: true,
    },
  ]);
});

test('I12: of several destinations or hashes the first is taken, and those that are left out are said', async () => {
  const given = lines({ url: [url, 'https://other.example/'], hash: ['x1', 'x2'] }, { url: [url], hash: [null] });
  expect((await rows(given, { name })).map(({ item }) => item)).toEqual([
    { long_url: url, custom_hash: 'x1' },
    { long_url: url },
  ]);
  expect((await check(given, { name })).columns).toBe(
    'columns: url -> long_url, hash -> custom_hash; not carried over: further values of url (1 row), further values of hash (1 row)',
  );
});

test('C15, I13: __proto__ is a member that nobody knows', async () => {
  const text = '{"long_url":"https://example.com/","__proto__":{"x":1}}';
  expect(await rows(text, { name })).toEqual([{ line: 1, item: { long_url: url }, listed: false }]);
  expect((await check(text, { name })).columns).toBe('columns: long_url -> long_url; unknown: __proto__');
  expect(({} as { x?: number }).x).toBeUndefined();
});

test('B91: a field of edition A is accepted on B when it is null or its default', async () => {
  const given = { name, edition: 'b' } as const;
  expect(
    (await rows(lines({ long_url: url, max_clicks: 0 }, { long_url: url, max_clicks: null }), given)).map(({ item }) => item),
  ).toEqual([{ long_url: url }, { long_url: url }]);
  const lost = await check(lines({ long_url: url, max_clicks: 1 }), given);
  expect(lost.columns).toBe('columns: not carried over: max_clicks (1 row)');
});
