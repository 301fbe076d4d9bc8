import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test as program, sent } from '../support/linkctl.ts';
import { check, checkEdit, failure, test } from './fixtures.ts';

const url = 'https://www.example.com/';
const csv = (column: string): string => `long_url,${column}\n${url},x\n`;
const told = async (text: string, given: object = {}): Promise<string> => (await failure(check(text, given))).text;

describe('I4, D34: what counts what has happened is never taken for a bound', () => {
  test.each([
    'Clicks',
    'clicks',
    'Visits',
    'Hits',
    'total clicks',
    'Unique Clicks',
    'visit_count',
    'Views',
    'QR scans',
    'Click count',
    'tax_clicks',
  ])('%s', async (name) => {
    for (const edition of ['a', 'b'] as const) {
      const text = await told(csv(name), { edition });
      expect(text).toContain(
        `links.csv:1:2: column ${JSON.stringify(name)} cannot be set: to skip it, add --ignore-unknown-columns`,
      );
      expect(text).not.toMatch(/did you mean|max_clicks/);
    }
    const jsonl = JSON.stringify({ long_url: url, [name]: 7 });
    expect(await told(jsonl, { name: 'links.jsonl' })).not.toMatch(/did you mean|max_clicks/);
  });

  test.each(['Created', 'Created at', 'createdAt', 'timestamp', 'Updated at', 'ID', 'Link ID', 'archived', 'IP'])(
    'nor has %s a field of ours',
    async (name) => expect(await told(csv(name))).toContain('cannot be set'),
  );

  test('a bound is suggested to who wrote one', async () => {
    for (const name of ['max_click', 'Max Clicks', 'maxclicks']) {
      expect(await told(csv(name))).toContain(`unknown column "${name}", did you mean max_clicks?`);
    }
  });
});

const looksLike = [
  ['Slashtag', 'custom_hash'],
  ['short_id', 'custom_hash'],
  ['Custom back-half', 'custom_hash'],
  ['custom_hsh', 'custom_hash'],
  ['Short link', 'custom_hash'],
  ['Bitlink', 'custom_hash'],
  ['Labels', 'tags'],
  ['link_tags', 'tags'],
  ['tag', 'tags'],
  ['Expires At', 'expiration_date'],
  ['Destination URL', 'long_url'],
] as const;

describe('I2, I4, D35: what looks like a field is an error with the suggestion, and never skipped', () => {
  test.each(looksLike)('%s looks like %s', async (name, field) => {
    expect(await told(csv(name))).toContain(`unknown column "${name}", did you mean ${field}?`);
    expect(await told(csv(name), { ignoreUnknownColumns: true })).toContain(
      `links.csv:1:2: column "${name}" looks like ${field}: rename or remove it`,
    );
    const jsonl = { name: 'links.jsonl', ignoreUnknownColumns: true };
    expect(await told(JSON.stringify({ long_url: url, [name]: 'x' }), jsonl)).toContain(`"${name}" looks like ${field}`);
  });

  test('a title is an error with the suggestion, and can be done without', async () => {
    expect(await told(csv('Title'))).toContain('unknown column "Title", did you mean note?');
    expect((await check(csv('Title'), { ignoreUnknownColumns: true })).warnings).toEqual(['links.csv:1: ignored column "Title"']);
  });

  test('in an edit the short URL that is meant comes first', async () => {
    const edit = (name: string, edition: 'a' | 'b') => failure(checkEdit(`hash,${name},note\nabc,x,y\n`, { edition }));
    expect((await edit('slug', 'a')).text).toContain('did you mean hash?');
    expect((await edit('Short link', 'a')).text).toContain('did you mean short_url?');
    expect((await edit('Short link', 'b')).text).toContain('did you mean short_url?');
  });

  test('members of JSON objects that are skipped are named once, whatever the number of rows', async () => {
    const line = JSON.stringify({ long_url: url, clicks: 3, colour: 'red' });
    const given = { name: 'links.jsonl', ignoreUnknownColumns: true };
    expect((await check(`${line}\n${line}\n${line}\n`, given)).warnings).toEqual([
      'links.jsonl:1: ignored member "clicks"',
      'links.jsonl:1: ignored member "colour"',
    ]);
  });

  test.each([
    ['links.csv', `long_url,short_url\n${url},s.ex/abc\n`],
    ['links.jsonl', JSON.stringify({ long_url: url, short_url: 's.ex/abc' })],
  ])('short URLs without a hash beside them are skipped with a note: %s', async (name, text) => {
    const [warning] = (await check(text, { name })).warnings;
    expect(warning).toBe(`${name}:1: column short_url is ignored; without hash or custom_hash, the links get new hashes`);
  });

  test('a whole listing says nothing, and its records may hold what its server adds', async () => {
    const listed = JSON.stringify({ hash: 'abc', short_url: 's.ex/abc', long_url: url, archived: false, slug: 'x' });
    expect((await check(listed, { name: 'links.jsonl' })).warnings).toEqual([]);
    expect((await check(`hash,short_url,long_url\nabc,s.ex/abc,${url}\n`)).warnings).toEqual([]);
  });
});

program(
  'I4, D35: nothing is sent of a file whose back-halves would be lost; what is ignored is reported with -q, too',
  async ({ linkctl, folder, wire }) => {
    const file = join(folder, 'links.csv');
    const argv = ['shorten', '-f', file, '--ignore-unknown-columns', '-q'];
    writeFileSync(file, `long_url,Slashtag,Clicks\n${url},printed,1204\n`);
    expect(await linkctl(argv)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('looks like custom_hash') });
    expect(await wire.requests()).toEqual([]);
    writeFileSync(file, `long_url,custom_hash,Clicks\n${url},printed,1204\n`);
    expect(await linkctl(argv)).toEqual({
      code: 0,
      stdout: 'http://localhost/printed\n',
      stderr: `warning: ${file}:1: ignored column "Clicks"\n`,
    });
    // Sent twice on purpose: rows with hashes try whether that is harmless (R-X7).
    for (const { body } of (await sent(wire)).filter(({ call }) => call.startsWith('POST'))) {
      expect(body).toEqual({ urls: [{ long_url: url, custom_hash: 'printed' }] });
    }
  },
);
