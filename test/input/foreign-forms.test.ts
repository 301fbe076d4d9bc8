import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { readNamedColumns } from '../../src/input/format.ts';
import { test as program, type Ran } from '../support/linkctl.ts';
import { stored } from '../support/stored-links.ts';
import { check, failure, rows, test } from './fixtures.ts';
import { type ForeignLink, foreignForms, spreadsheet, spreadsheetLinks } from './foreign-forms.ts';

/** What the account has, by hash. */
async function made(service: Parameters<typeof stored>[0]): Promise<ForeignLink[]> {
  const links = (await stored(service)).map(({ hash, long_url, note, tags, expiration_date, max_clicks }) => ({
    hash,
    long_url,
    ...(note && { note }),
    ...(tags?.length && { tags }),
    ...(expiration_date && { expiration_date }),
    ...(max_clicks && { max_clicks }),
  }));
  return links.toSorted((one, other) => (one.hash < other.hash ? -1 : 1));
}

describe.each(['a', 'b'] as const)(
  'E38, E39, I1, I2, I4, I5, I10 to I14: files of other services need no flag, edition %s',
  (edition) => {
    program.override({ edition });

    program.for(foreignForms)('$name', async (form, { linkctl, folder, service }) => {
      const { text, skipped = 0 } = form;
      const isB = edition === 'b';
      const links = isB ? form.links.map(({ max_clicks: _, ...link }) => link) : form.links;
      const file = join(folder, form.file ?? 'export.csv');
      writeFileSync(file, text);
      const results = join(folder, 'done.csv');
      const ran = await linkctl(['shorten', '-f', file, '--results', results]);
      const said = ran.stderr.split('\n').filter((line) => /^(warning: )?columns: /.test(line));
      expect(said.map((line) => line.replace('warning: ', ''))).toEqual([isB && form.onB ? form.onB.columns : form.columns]);
      expect(await made(service)).toEqual(links);
      expect(ran.code, ran.stderr).toBe(skipped === 0 ? 0 : 3);
      const skips = readFileSync(results, 'utf8')
        .split('\n')
        .filter((line) => /^\d+,skipped,/.test(line));
      expect(skips).toHaveLength(skipped);
      for (const line of skips) expect(line).toContain('protected or disabled at the source');
      if (skipped === 0) return;
      const publicLinks = skipped === 1 ? 'it a public link' : 'them public links';
      expect(ran.stderr).toContain(
        `error: ${skipped === 1 ? '1 row' : `${skipped} rows`} skipped: protected or disabled at the source; --include-protected makes ${publicLinks}\n`,
      );
    });

    program('a spreadsheet needs the format of its dates', async ({ linkctl, folder, service, wire }) => {
      const file = join(folder, 'sheet.csv');
      writeFileSync(file, spreadsheet);
      const refused = await linkctl(['shorten', '-f', file]);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain('Expires on: dates such as "31.12.2031" look like dmy: add --date-format dmy');
      expect(await wire.requests()).toEqual([]);
      const ran: Ran = await linkctl(['shorten', '-f', file, '--date-format', 'dmy']);
      expect(ran.code, ran.stderr).toBe(0);
      expect(ran.stderr).toContain(
        'columns: Long URL -> long_url, Custom back-half -> custom_hash, Tags -> tags, Expires on -> expiration_date; not used: Clicks\n',
      );
      expect(ran.stderr).toContain(`warning: ${file}:1: "Spring campaign" is read as a title, the next line as the header\n`);
      expect(await made(service)).toEqual(spreadsheetLinks);
    });
  },
);

describe('I2: what has two readings is refused, with both', () => {
  const readings = async (text: string): Promise<string[]> => (await failure(check(text))).lines.slice(1);

  test('link alone; beside a destination it is the short URL', async () => {
    expect(await readings('Link,Clicks\nhttps://a.example/x,7\n')).toEqual([
      `links.csv:1:1: column "Link" may be the destination or the short URL: add --columns 'long_url=Link' or --columns 'short_url=Link'`,
    ]);
  });

  test('source without target', async () => {
    expect(await readings('source,hits\nhttps://a.example/x,7\n')).toEqual([
      `links.csv:1:1: column "source" may be the hash or the destination: add --columns 'custom_hash=source' or --columns 'long_url=source'`,
    ]);
    expect(await readings('url,source\nhttps://a.example/x,mail\n')).toEqual([
      `links.csv:1:2: column "source" may be the hash or a UTM source: add --columns 'custom_hash=source' or --columns 'utm_source=source'`,
    ]);
  });

  test('label beside tags; alone it is the note', async () => {
    expect((await rows('url,label\nhttps://a.example/,x\n'))[0]?.item.note).toBe('x');
    expect(await readings('url,label,tags\nhttps://a.example/,x,y\n')).toEqual([
      `links.csv:1:2: column "label" may be the note or a tag: add --columns 'note=label' or --columns 'tags=label'`,
    ]);
  });

  test('two columns of one field', async () => {
    expect(await readings('url,slug,code\nhttps://a.example/,x,y\n')).toEqual([
      `links.csv:1:2: columns "slug" and "code" may each be custom_hash: add --columns 'custom_hash=slug' to choose one`,
    ]);
  });

  test('of a title and a description the title is the note, which is said', async () => {
    const text = 'url,description,title\nhttps://a.example/,long,short\n';
    expect((await rows(text))[0]?.item.note).toBe('short');
    expect((await check(text)).columns).toBe('columns: url -> long_url, title -> note; not used: description');
  });
});

describe('I3: --columns names columns by hand and beats the table', () => {
  const text = 'Landing page,Code,slug,title\nhttps://a.example/,x,y,t\n';

  program('what it does not name is taken as usual', async ({ linkctl, folder, service }) => {
    const file = join(folder, 'export.csv');
    writeFileSync(file, text);
    const ran = await linkctl(['shorten', '-f', file, '--columns', 'long_url=landing_page, custom_hash=Code']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).toContain('columns: Landing page -> long_url, Code -> custom_hash, title -> note; not used: slug\n');
    expect(await made(service)).toEqual([{ hash: 'x', long_url: 'https://a.example/', note: 't' }]);
  });

  test('of two short URLs the named one is the first, and the other is for rows without it', async () => {
    const named = { columns: readNamedColumns('short_url=Bitlink', 'shorten', 'a') };
    const both =
      'Custom Bitlinks,Bitlink,Long URL\nb.example/sale,s.example/3aBc,https://a.example/\nb.example/x,,https://b.example/\n';
    const hashes = async (given: object) => (await rows(both, given)).map(({ item }) => item.custom_hash);
    expect(await hashes({})).toEqual(['sale', 'x']);
    expect(await hashes(named)).toEqual(['3aBc', 'x']);
    expect((await check(both, named)).columns).toContain('Custom Bitlinks -> custom_hash where Bitlink is empty');
  });

  program.for<[columns: string, reason: string]>([
    ['long_url=Page', 'there is no column "Page"; there are "Landing page", "Code", "slug", "title"'],
    ['url=Code', '--columns: unknown field "url"; expected one of custom_hash, long_url'],
    ['long_url', '--columns: expected field=header, got "long_url"'],
    ['long_url=Code,long_url=slug', '--columns: long_url is given twice'],
    ['long_url=Code,note=code', '--columns: column "code" is given twice'],
  ])('%s is refused', async ([columns, reason], { linkctl, folder, wire }) => {
    const file = join(folder, 'export.csv');
    writeFileSync(file, text);
    const ran = await linkctl(['shorten', '-f', file, '--columns', columns]);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) });
    expect(await wire.requests()).toEqual([]);
  });
});

program(
  'I3: a name of --columns that no JSON object has is refused, and one that some have is not',
  async ({ linkctl, folder, service, wire }) => {
    const file = join(folder, 'export.json');
    writeFileSync(file, JSON.stringify([{ Page: 'https://a.example/', Kode: 'x' }, { Page: 'https://b.example/' }]));
    const shorten = (name: string) => linkctl(['shorten', '-f', file, '--columns', `long_url=Page,custom_hash=${name}`]);
    const refused = await shorten('Kood');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--columns: no object has a member "Kood"') });
    expect(await wire.requests()).toEqual([]);
    expect((await shorten('Kode')).code).toBe(0);
    expect((await made(service)).map(({ long_url }) => long_url).sort()).toEqual(['https://a.example/', 'https://b.example/']);
  },
);

describe('I4: hosts of short URLs', () => {
  program.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }] });
  const text =
    'Short link,Destination URL\nhttps://a.example/1,https://x.example/\nb.example/2,https://x.example/\nsho.rt/3,https://x.example/\n';

  program('one that is not the domain of the new links is said, with its line', async ({ linkctl, folder }) => {
    const file = join(folder, 'export.csv');
    writeFileSync(file, text);
    const ran = await linkctl(['shorten', '-f', file]);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr.split('\n').filter((line) => line.startsWith('warning'))).toEqual([
      `warning: ${file}:3: b.example is another domain of the account: the links are made on a.example`,
      `warning: ${file}:4: sho.rt is not a domain of the account: the links are made on a.example`,
    ]);
  });
});

describe('I4: a domain column', () => {
  program.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }] });

  program.for([
    [
      'csv',
      'hash,long_url,Domain\n1,https://x.example/,a.example\n2,https://x.example/,\n3,https://x.example/,B.example\n4,https://x.example/,https://sho.rt/\n5,https://x.example/,12345\n',
    ],
    [
      'jsonl',
      ['a.example', null, 'b.example', 'sho.rt', { id: 'd1', fullName: 'other.example' }]
        .map((domain, nth) => JSON.stringify({ custom_hash: `${nth}`, long_url: 'https://x.example/', domain }))
        .join('\n'),
    ],
  ] as const)('of a %s names the domains that the links are not made on', async ([format, text], { linkctl, folder }) => {
    const file = join(folder, `links.${format}`);
    writeFileSync(file, text);
    const ran = await linkctl(['shorten', '-f', file]);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).toMatch(/; not used: domain$/im);
    const first = format === 'csv' ? 4 : 3;
    expect(ran.stderr.split('\n').filter((line) => line.startsWith('warning'))).toEqual([
      `warning: ${file}:${first}: b.example is another domain of the account: the links are made on a.example`,
      `warning: ${file}:${first + 1}: sho.rt is not a domain of the account: the links are made on a.example`,
    ]);
  });

  program('with one hash on two domains is refused, and the domains are named', async ({ linkctl, folder }) => {
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'hash,long_url,domain\np,https://x.example/,a.example\np,https://y.example/,b.example\n');
    const ran = await linkctl(['shorten', '-f', file]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(/^hint: the rows are links of a\.example and b\.example, but are created on one domain: /m);
  });
});

describe('B91: a listing', () => {
  program.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }] });

  program('of several domains says that its links are made on one', async ({ linkctl, folder }) => {
    expect((await linkctl(['shorten', 'https://x.example/', '--hash', 'one', '--domain', 'a.example'])).code).toBe(0);
    expect((await linkctl(['shorten', 'https://x.example/', '--hash', 'two', '--domain', 'b.example'])).code).toBe(0);
    const listing = await linkctl(['list', '--all-domains', '-o', 'csv']);
    for (const hash of ['a.example/one', 'b.example/two']) expect((await linkctl(['delete', hash, '--yes'])).code).toBe(0);
    const file = join(folder, 'backup.csv');
    writeFileSync(file, listing.stdout);
    const ran = await linkctl(['shorten', '-f', file]);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).toMatch(
      /warning: .*backup.csv:\d: b.example is another domain of the account: the links are made on a.example\n/,
    );
    expect(ran.stderr).not.toContain('not a domain');
  });

  program('with a hash on two domains is refused, and the domains are named', async ({ linkctl }) => {
    for (const domain of ['a.example', 'b.example'])
      expect((await linkctl(['shorten', 'https://x.example/', '--hash', 'one', '--domain', domain])).code).toBe(0);
    const listing = await linkctl(['list', '--all-domains', '-o', 'csv']);
    const ran = await linkctl(['shorten', '-f', '-', '--input-format', 'csv'], { stdin: listing.stdout });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(/^stdin:3: custom_hash: "one" is already on line 2$/m);
    expect(ran.stderr).toMatch(
      /^hint: the rows are links of [ab]\.example and [ab]\.example, but are created on one domain: use a file for each domain$/m,
    );
  });
});

describe('I1: the first line', () => {
  const sources = (text: string) => rows(text).then((all) => all.map(({ item }) => item));

  test.each<[string, string, object]>([
    ['a URL alone', 'https://a.example/x\n', { long_url: 'https://a.example/x' }],
    ['a semicolon in a URL', 'https://a.example/x?a=1;b=2\n', { long_url: 'https://a.example/x?a=1;b=2' }],
    ['pipes', 'https://a.example/x|abc|a, b; c\n', { long_url: 'https://a.example/x', custom_hash: 'abc', note: 'a, b; c' }],
    ['tabs', 'https://a.example/x\tabc\n', { long_url: 'https://a.example/x', custom_hash: 'abc' }],
    [
      'quoted names that hold other delimiters',
      'url;"note"\nhttps://a.example/x;"a,b"\n',
      { long_url: 'https://a.example/x', note: 'a,b' },
    ],
  ])('%s', async (_, text, item) => {
    expect(await sources(text)).toEqual([item]);
  });

  test('I1: a URL in the first cell is a row, even if another cell is the name of a field', async () => {
    expect(await sources('https://a.example/1,note,first\nhttps://a.example/2,tags,url\n')).toEqual([
      { long_url: 'https://a.example/1', custom_hash: 'note', note: 'first' },
      { long_url: 'https://a.example/2', custom_hash: 'tags', note: 'url' },
    ]);
  });

  test('I1, I3: with --columns the first line is column names, and a URL is none', async () => {
    const columns = (header: string) => ({ columns: readNamedColumns(`long_url=${header}`, 'shorten', 'a') });
    const text = 'https://a.example/1,Landing page\nsite,https://a.example/2\n';
    expect((await rows(text, columns('Landing page'))).map(({ item }) => item)).toEqual([{ long_url: 'https://a.example/2' }]);
    expect((await failure(check(text, columns('Target')))).text).toContain(
      'links.csv:1: the first line is a URL, not column names',
    );
  });

  const link = { long_url: 'https://a.example/', custom_hash: 'x' };

  test.each([
    ['a row of empty cells', ';;\nurl;slug;\nhttps://a.example/;x;\n'],
    ['a title, and a row of empty cells', 'Spring, 2031;;\n;;\nurl;slug;\nhttps://a.example/;x;\n'],
    ['a title alone', 'Spring campaign\nurl;slug\nhttps://a.example/;x\n'],
    ['a title alone, and a row of empty cells', 'Spring campaign\n\n;\nurl;slug\nhttps://a.example/;x\n'],
  ])('I1: %s above the header is skipped', async (_, text) => {
    expect(await sources(text)).toEqual([link]);
  });

  test('lines above the column names that are no title have to go', async () => {
    expect((await failure(check('Report;of;spring\nurl;slug;\nhttps://a.example/;x;\n'))).text).toContain(
      'links.csv:1: column long_url is missing; unknown columns: "Report", "of", "spring"; ' +
        "if one is meant, add --columns 'long_url=Report'; remove any lines above the column names",
    );
  });

  test('I3: columns in other words are named, with the flag that says what they are', async () => {
    const text = 'Ziel,Kürzel,tags\nhttps://a.example/,x,t\n';
    expect((await failure(check(text))).text).toContain(
      `column long_url is missing; unknown columns: "Ziel", "Kürzel"; if one is meant, add --columns 'long_url=Ziel'`,
    );
    const columns = readNamedColumns('long_url=Ziel', 'shorten', 'a');
    expect((await rows(text, { columns })).map(({ item }) => item)).toEqual([{ long_url: 'https://a.example/', tags: ['t'] }]);
  });

  test('rows of empty cells are no listing of an empty account', async () => {
    expect((await failure(check(',,\n,,\n', { allowEmpty: true }))).text).toContain('no rows: a header');
  });

  test('the hint at a template is for names of columns', async () => {
    const hint = async (text: string) => check(text).catch((error: { hint?: string }) => error.hint);
    for (const text of ['url,tagss\nhttps://a.example/,x\n', 'colour\nx\n']) {
      expect(await hint(text)).toBe('linkctl shorten --print-template');
    }
    const rest = [
      'url,expires\nhttps://a.example/,soon\n',
      'url,slug\nhttps://a.example/,x\nhttps://a.example/,x\n',
      'url\n"x\n',
    ];
    for (const text of rest) expect(await hint(text)).toBeUndefined();
  });

  test('four cells without names are refused', async () => {
    expect((await failure(check('https://a.example/x,a,b,c\n'))).text).toContain(
      'links.csv:1: 4 columns without names, only URL, hash and note are known: add a header',
    );
  });

  test('a value in a column without a name is refused, of a file that is not ours', async () => {
    expect((await failure(check('url;;slug\nhttps://a.example/;x;y\n'))).text).toContain(
      'links.csv:2:2: a value in a column without a name',
    );
    expect(await sources('url;;slug\nhttps://a.example/;;y\n')).toEqual([{ long_url: 'https://a.example/', custom_hash: 'y' }]);
  });
});

describe.each(['a', 'b'] as const)('I2: edit -f takes the names of other services, too, edition %s', (edition) => {
  program.override({ edition });

  program('a short URL or a slug names the link, and no link gets another hash', async ({ linkctl, folder, service }) => {
    await linkctl(['shorten', 'https://a.example/', '--hash', 'Spring']);
    await linkctl(['shorten', 'https://b.example/', '--hash', 'two']);
    const file = join(folder, 'edits.csv');
    writeFileSync(
      file,
      'Short link;Destination URL;Expires;Clicks\nhttp://localhost/Spring; https://new.example/ ;31.12.2031;7\n',
    );
    const ran = await linkctl(['edit', '-f', file, '--date-format', 'dmy']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).toContain(
      'columns: Short link -> short_url, Destination URL -> long_url, Expires -> expiration_date; not used: Clicks\n',
    );
    writeFileSync(file, 'slug,title\ntwo,Sale\n');
    const domain = edition === 'a' ? ['--domain', 'localhost'] : [];
    const named = await linkctl(['edit', '-f', file, ...domain]);
    expect(named.code, named.stderr).toBe(0);
    expect(named.stderr).toContain('columns: slug -> hash, title -> note\n');
    expect(await made(service)).toEqual([
      { hash: 'Spring', long_url: 'https://new.example/', expiration_date: '2031-12-31' },
      { hash: 'two', long_url: 'https://b.example/', note: 'Sale' },
    ]);
  });
});
