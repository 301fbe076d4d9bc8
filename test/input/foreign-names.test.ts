import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { aliases } from '../../src/input/fields/aliases.ts';
import { readNamedColumns } from '../../src/input/format.ts';
import { test as program, sent } from '../support/linkctl.ts';
import { check, failure, rows, test } from './fixtures.ts';
import { csvLine, joinedList } from './writer.ts';

const url = 'https://www.example.com/';
const csv = (column: string): string => `long_url,${column}\n${url},7\n`;
const message = async (text: string, given: object = {}): Promise<string> => (await failure(check(text, given))).text;

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
      expect((await check(csv(name), { edition })).columns).toBe(`columns: long_url -> long_url; not used: ${name}`);
      expect((await rows(csv(name), { edition }))[0]?.item).toEqual({ long_url: url });
    }
    const jsonl = JSON.stringify({ long_url: url, [name]: 7 });
    expect((await rows(jsonl, { name: 'links.jsonl' }))[0]?.item).toEqual({ long_url: url });
  });

  test.each(['Created', 'Created at', 'createdAt', 'timestamp', 'Updated at', 'ID', 'Link ID', 'comments', 'IP'])(
    'nor has %s a field of ours',
    async (name) => expect((await check(csv(name))).columns).toContain(`not used: ${name}`),
  );

  test('a bound in other spelling is one; a near miss is suggested', async () => {
    for (const name of ['Max Clicks', 'maxclicks'])
      expect((await rows(csv(name)))[0]?.item).toEqual({ long_url: url, max_clicks: 7 });
    expect(await message(csv('max_click'))).toContain('unknown column "max_click", did you mean max_clicks?');
  });
});

describe('I4, D35: code is a hash in the files of other services, and a code of an error in the results of a run', () => {
  const results = `row,status,hash,short_url,long_url,code,message\n1,created,h1,s.ex/h1,${url},0,\n2,created,h2,s.ex/h2,${url},0,\n`;
  const hashes = async (text: string, given: Parameters<typeof rows>[1]) =>
    (await rows(text, given)).map(({ item }) => ('hash' in item ? item.hash : item.custom_hash));

  test.each(['edit', 'apply'] as const)('in a file for %s', async (use) => {
    expect(await hashes(results, { use })).toEqual(['h1', 'h2']);
  });

  test.each([
    ['csv', results, {}],
    [
      'JSON lines',
      `{"row":1,"status":"failed","hash":"","short_url":"","long_url":"${url}","code":1,"message":""}\n`,
      { name: 'r.jsonl' },
    ],
  ])('shorten refuses the results of a run, in which failed rows have no hash: %s', async (_, text, given) => {
    expect(await message(text, given)).toContain(
      'these are the results of a run, not its rows: --failed writes the rows to send again',
    );
  });

  test('in another file with both columns the hash is in doubt', async () => {
    expect(await message(`hash,code,long_url\n,newcode,${url}\n`)).toContain('columns "hash" and "code" may each be custom_hash');
  });

  test('without a hash, or if --columns says so, it is the hash', async () => {
    expect(await hashes(`url,code\n${url},7\n`, {})).toEqual(['7']);
    const columns = readNamedColumns('custom_hash=code', 'shorten', 'a');
    expect(await hashes(`url,hash,code\n${url},h,7\n`, { columns })).toEqual(['7']);
    expect(await message(`url,slug,code\n${url},h,7\n`)).toContain('columns "slug" and "code" may each be custom_hash');
  });
});

describe('I2, I4, D35: what looks like a field is an error with the suggestion, and never skipped', () => {
  test.each([
    ['custom_hsh', 'custom_hash'],
    ['tagss', 'tags'],
    ['Slashtagg', 'custom_hash'],
    ['Destinatoin URL', 'long_url'],
    ['utm_sorce', 'utm_source'],
    ['Tgas', 'tags'],
    ['Hsah', 'hash'],
    ['Nots', 'note'],
    ['Ntoe', 'note'],
    ['Expiers', 'expiration_date'],
    ['Expirse', 'expiration_date'],
    ['Slashatg', 'custom_hash'],
  ])('%s looks like %s', async (name, field) => {
    expect(await message(csv(name))).toContain(`unknown column "${name}", did you mean ${field}?`);
    expect(await message(JSON.stringify({ long_url: url, [name]: 'x' }), { name: 'links.jsonl' })).toContain(
      `unknown member "${name}", did you mean ${field}? rename or remove it, or add --columns '${field}=${name}'`,
    );
  });

  test.each([
    ["tag's", 'tags', `--columns 'tags=tag'\\''s'`],
    ['$(id), page', 'long_url', `--columns '"long_url=$(id), page"'`],
  ])('B45: in a suggestion the name %s is part of one word for a shell, which the flag reads', async (name, target, flag) => {
    const text = target === 'long_url' ? `"${name}",city\n${url},x\n` : csv(`"${name}"`);
    expect(await message(text)).toContain(`add ${flag}`);
    const typed = flag.slice("--columns '".length, -1).replace(`'\\''`, "'");
    expect([...readNamedColumns(typed, 'shorten', 'a').values()]).toEqual([{ header: name, target }]);
  });

  test('but not like a field that the edition does not have', async () => {
    for (const name of ['Max visit', 'max_click']) {
      expect(await message(csv(name)), name).toContain('did you mean max_clicks?');
      expect((await check(csv(name), { edition: 'b' })).columns).toBe(`columns: long_url -> long_url; unknown: ${name}`);
    }
  });

  test('another word for a note can be done without', async () => {
    expect((await check(csv('Titel'))).columns).toBe('columns: long_url -> long_url; unknown: Titel');
  });

  test.each([
    ...['Date', 'Type', 'Page', 'Rate', 'Cost', 'Host', 'Users', 'Market', 'State', 'Stage', 'Level', 'Size', 'Role', 'Year'],
    ...['Node', 'Vote', 'Cash', 'Dash', 'Tabs', 'Bags', 'Expired', 'Keywords', 'Targets', 'Address 1', 'Address 2', 'Stats'],
    ...['Team', 'Region', 'Version', 'Price', 'Format', 'Game', 'Line', 'Mode', 'Budget', 'Language', 'Campaign', 'Medium'],
  ])('%s is an everyday word: it can be skipped, whatever it is near', async (name) => {
    expect((await check(csv(name))).columns).toMatch(/^columns: long_url -> long_url; (unknown|not used|protection): /);
    expect((await rows(csv(name)))[0]?.item).toEqual({ long_url: url });
  });

  test('I14: members of JSON objects may have the names of other services', async () => {
    const line = (name: string) => JSON.stringify({ long_url: url, [name]: 'x' });
    expect((await rows(line('slug'), { name: 'links.jsonl' }))[0]?.item).toEqual({ long_url: url, custom_hash: 'x' });
    const edit = JSON.stringify({ slug: 'abc', title: 'x' });
    expect((await rows(edit, { name: 'edits.jsonl', use: 'edit' }))[0]?.item).toEqual({ hash: 'abc', note: 'x' });
  });

  test('I13: members of JSON objects that nobody knows are named once, whatever the number of rows', async () => {
    const line = JSON.stringify({ long_url: url, clicks: 3, colour: 'red' });
    const found = await check(`${line}\n${line}\n${line}\n`, { name: 'links.jsonl' });
    expect(found).toMatchObject({ warnings: [], columns: 'columns: long_url -> long_url; not used: clicks; unknown: colour' });
  });

  test.each([
    ['links.csv', `long_url,short_url\n${url},s.ex/abc\n`],
    ['links.jsonl', JSON.stringify({ long_url: url, short_url: 'https://s.ex/abc' })],
  ])('I4: short URLs give the hash where no column does: %s', async (name, text) => {
    expect(await rows(text, { name })).toMatchObject([{ item: { long_url: url, custom_hash: 'abc' } }]);
    const { columns, hosts } = await check(text, { name });
    expect(columns).toBe('columns: long_url -> long_url, short_url -> custom_hash');
    expect([...hosts]).toEqual([['s.ex', name === 'links.csv' ? 2 : 1]]);
  });

  test('a whole listing is read without a warning, with its hosts, and its records may hold what its server adds', async () => {
    const listed = JSON.stringify({ hash: 'abc', short_url: 's.ex/abc', long_url: url, archived: false, created: 'x' });
    expect(await check(listed, { name: 'links.jsonl' })).toMatchObject({ warnings: [], columns: undefined });
    const csvListing = `hash,short_url,long_url\nabc,s.ex/abc,${url}\n`;
    expect(await check(csvListing)).toMatchObject({ warnings: [], columns: undefined, hosts: new Map([['s.ex', 2]]) });
  });
});

describe('I13, B21: a column that a user adds to a listing does not change how the others are read', () => {
  const label = '"x|y";z';
  const columns = {
    hash: 'abc',
    short_url: 's.ex/abc',
    long_url: url,
    total_clicks: '7',
    tags: joinedList([label]),
    expiration_date: '2031-12-31',
    note: ' n ',
    email_stats: 'true',
    max_clicks: '5',
  };
  const added = ['owner', 'status', 'campaign', 'active', 'Created', 'Clicks', 'Colour', 'password', 'geo'];
  const uses = ['shorten', 'edit', 'apply'] as const;
  const csvOf = (cells: Readonly<Record<string, string>>): string =>
    [Object.keys(cells), Object.values(cells)].map((line) => `${csvLine(line)}\n`).join('');
  const read = async (cells: Readonly<Record<string, string>>, use: (typeof uses)[number]) =>
    (await rows(csvOf(cells), { use }))[0]?.item;

  test('a listing has labels with any sign', async () => {
    expect(await read(columns, 'apply')).toMatchObject({ tags: [label], note: ' n ' });
  });

  test.each(uses)('by any name, with a value, in a file for %s', async (use) => {
    const { hash, short_url, note, tags } = columns;
    const { hash: _, total_clicks: __, ...writable } = columns;
    const listings: Readonly<Record<string, string>>[] = [columns, writable];
    if (use !== 'shorten') listings.push({ short_url, note, tags }, { hash, note, tags });
    for (const listing of listings) {
      const alone = await read(listing, use);
      for (const name of [...added, 'description', 'title', 'Title', 'name', 'notes']) {
        expect(await read({ ...listing, [name]: 'active' }, use), name).toEqual(alone);
        expect(await read({ [name]: 'active', ...listing }, use), name).toEqual(alone);
      }
    }
  });

  test.each(uses)('by the name that another service has for a field: it is read as before, or refused (%s)', async (use) => {
    const alone = await read(columns, use);
    for (const [name] of aliases.filter(([other]) => other !== 'note')) {
      const cells = { ...columns, [name]: '' };
      const problem = await check(csvOf(cells), { use }).then(
        () => undefined,
        (error) => String(error.details),
      );
      if (problem === undefined) expect(await read(cells, use), name).toEqual(alone);
      else expect(problem, name).toMatch(/may (each )?be|duplicate column/);
    }
  });

  test.each(uses)('nor does one of its columns that is spelled otherwise (%s)', async (use) => {
    const alone = await read(columns, use);
    for (const name of ['short_url', 'long_url', 'expiration_date', 'email_stats', 'max_clicks']) {
      const entries = Object.entries(columns).map(([own, cell]) => [
        own === name ? own.replace('_', ' ').toUpperCase() : own,
        cell,
      ]);
      expect(await read(Object.fromEntries(entries), use), name).toEqual(alone);
    }
  });

  test('a listing of a few fields, without hashes, too', async () => {
    const { short_url, long_url, tags } = columns;
    for (const name of [...added, 'total_clicks', 'Domain name'])
      expect(await read({ short_url, long_url, tags, [name]: 'active' }, 'apply'), name).toMatchObject({
        tags: [label],
      });
  });

  test.each(['short_url', 'hash'])(
    'I5: a %s and a note beside a destination of another name are of another service',
    async (name) => {
      const cells = { url, [name]: 'wc', title: 'Title', note: 'n', tags: 'x|y' };
      const item = { long_url: url, note: 'Title', tags: ['x', 'y'] };
      expect(await read(cells, 'shorten')).toMatchObject(item);
      expect((await rows(JSON.stringify(cells), { name: 'links.jsonl' }))[0]?.item).toMatchObject(item);
    },
  );

  test('I5: a column of another name has the forms of other services, beside our hashes, too', async () => {
    const { hash, long_url } = columns;
    expect(await read({ hash, long_url, Labels: 'x|y', expires: '1927616400000' }, 'apply')).toMatchObject({
      tags: ['x', 'y'],
      expiration_date: '2031-01-31',
    });
    const named = readNamedColumns('tags=Gruppe', 'apply', 'a');
    const given = { use: 'apply', columns: named } as const;
    expect((await rows(csvOf({ hash, long_url, Gruppe: 'x;y' }), given))[0]?.item).toMatchObject({ tags: ['x', 'y'] });
  });

  test.each([
    ['another name of the destination', 'destination,tags'],
    ['another name of the hash', 'long_url,short_url,short_id,tags'],
    ['no hash, and a title', 'long_url,title,tags'],
  ])('I5: the file of another service has them in each column: %s', async (_, header) => {
    const cells = header.split(',').map((name) => ({ tags: 'x|y', destination: url, long_url: url })[name] ?? 's.ex/abc');
    const cell = header.includes('short_id') ? cells.map((text, nth) => (nth === 2 ? 'abc' : text)) : cells;
    expect((await rows(`${header}\n${cell.join(',')}\n`))[0]?.item).toMatchObject({ tags: ['x', 'y'] });
  });
});

program(
  'I4, D35: nothing is sent of a file whose back-halves would be lost; what is ignored is reported with -q, too',
  async ({ linkctl, folder, wire }) => {
    const file = join(folder, 'links.csv');
    const argv = ['shorten', '-f', file, '--ignore-unknown-columns', '-q'];
    writeFileSync(file, `long_url,Slashtagg,Colour\n${url},printed,red\n`);
    expect(await linkctl(argv)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('did you mean custom_hash?'),
    });
    expect(await wire.requests()).toEqual([]);
    writeFileSync(file, `long_url,Slashtag,Colour\n${url},Printed,red\n`);
    expect(await linkctl(argv)).toEqual({
      code: 0,
      stdout: 'http://localhost/Printed\n',
      stderr: 'warning: columns: long_url -> long_url, Slashtag -> custom_hash; unknown: Colour\n',
    });
    const posts = (await sent(wire)).filter(({ call }) => call.startsWith('POST'));
    // Sent twice on purpose: rows with hashes try whether that is harmless (R-X7).
    for (const { body } of posts) expect(body).toEqual({ urls: [{ long_url: url, custom_hash: 'Printed' }] });
  },
);
