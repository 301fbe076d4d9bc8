import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test as base, type Linkctl, type Ran, sent } from '../support/linkctl.ts';
import { numbered, store } from '../support/stored-links.ts';

const rows = 1205;
const header = 'long_url,custom_hash,note,tags,expiration_date,email_stats';

/** Rows whose hash another URL has, and rows whose destination the service refuses. */
const taken = new Set([10, 500, 1200]);
const refused = new Set([700, 1100]);

/** Commas, quotes, line breaks, emoji, IDN hosts, tags, dates, some hashes of their own. */
function csvLine(index: number): string {
  const hosts = ['https://example.com/p', 'https://例え.jp/p', 'https://münchen.example/p'];
  const notes = ['', '"a, b"', '"say ""hi"""', '"two\nlines"', '😀 emoji', 'plain'];
  const tags = ['', 'promo', '"a,b"', '"""x,y"",z"'];
  const url = refused.has(index) ? `https://s.ex/${index}` : `"${hosts[index % 3]}/${index}?a=1,2"`;
  const hash = taken.has(index) ? `taken${index}` : index % 7 === 0 ? `own-${index}` : '';
  const date = index % 5 === 0 ? '2031-05-17' : '';
  return [url, hash, notes[index % 6], tags[index % 4], date, ['', 'true', 'no'][index % 3]].join(',');
}

const csv = [header, ...Array.from({ length: rows }, (_, index) => csvLine(index))].join('\n');

interface Exported {
  hash: string;
  long_url: string;
}

const test = base.extend<{ file: string; listed: (format: string) => Promise<string> }>({
  file: async ({ folder }, use) => {
    const file = join(folder, 'links.csv');
    writeFileSync(file, csv);
    await use(file);
  },
  listed: async ({ linkctl }, use) => {
    await use(async (format) => (await linkctl(['list', '--all', '-o', format])).stdout);
  },
});

async function takeHashes(linkctl: Linkctl): Promise<void> {
  for (const index of taken) await linkctl(['shorten', 'https://other.example/', '--hash', `taken${index}`]);
}

describe.each([
  { edition: 'a', bound: 1000, batches: 2 },
  { edition: 'b', bound: 500, batches: 3 },
] as const)('edition $edition', ({ edition, bound, batches }) => {
  test.override({ edition, domains: [{ name: 's.ex' }] });

  test('a real file of 1,205 rows goes out in batches under the bound, and five bad rows are reported by line, code and reason', async ({
    linkctl,
    wire,
    file,
    folder,
  }) => {
    await takeHashes(linkctl);
    const [results, failed] = [join(folder, 'results.csv'), join(folder, 'failed.csv')];
    const ran: Ran = await linkctl(['shorten', '-f', file, '--results', results, '--failed', failed]);
    expect(ran.code).toBe(3);
    const posts = (await sent(wire)).filter(({ call }) => call.startsWith('POST')).slice(taken.size);
    const sizes = posts.map(({ body }) => (body as { urls: unknown[] }).urls.length);
    expect(sizes).toHaveLength(batches);
    expect(Math.max(...sizes)).toBe(bound);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(rows);
    const shortUrls = ran.stdout.trimEnd().split('\n');
    expect(new Set(shortUrls).size).toBe(1200);
    expect(shortUrls.every((url) => /^https?:\/\/s\.ex\/[\w-]+$/.test(url))).toBe(true);
    const errors = ran.stderr.split('\n').filter((line) => line.includes('links.csv:'));
    expect(errors).toHaveLength(5);
    expect(errors[0]).toMatch(/links\.csv:14: the hash "taken10" is already in use or not allowed \[API 1215\]$/);
    expect(errors.filter((line) => line.includes('[API 1216]'))).toHaveLength(2);
    expect(ran.stderr).toMatch(/^1205 rows: 1200 created, 5 failed/m);
    expect(readFileSync(results, 'utf8').match(/^\d+,(created|failed),/gm)).toHaveLength(rows);
    expect(readFileSync(failed, 'utf8').match(/,121[56],/g)).toHaveLength(5);
  });

  test('B21, B23: the listing is the same in every format, and its csv makes an equal account of the other edition', async ({
    linkctl,
    file,
    folder,
    listed,
    other,
  }) => {
    await linkctl(['shorten', '-f', file, '-q']);
    const json = JSON.parse(await listed('json')).urls as Exported[];
    const jsonl = (await listed('jsonl')).trimEnd().split('\n');
    expect(jsonl.map((line) => JSON.parse(line))).toEqual(json);
    const tsv = (await listed('tsv'))
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
    expect(tsv.map(([hash, , long_url]) => ({ hash, long_url }))).toEqual(json.map(({ hash, long_url }) => ({ hash, long_url })));
    const exported = await listed('csv');
    const path = join(folder, 'exported.csv');
    writeFileSync(path, exported);
    expect(await other(['shorten', '-f', path, '-q'])).toMatchObject({ code: 0 });
    const kept = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .map(({ hash, long_url, note, tags, expiration_date, email_stats }) =>
          JSON.stringify([hash, long_url, note, [...(tags as string[])].sort(), expiration_date, email_stats]),
        )
        .sort();
    const again = await other(['list', '--all', '-o', 'jsonl']);
    expect(kept(again.stdout)).toEqual(kept(jsonl.join('\n')));
  });

  test('4.3.3: --dedupe of 1,205 rows makes one link for each long URL, and the same file again makes none', async ({
    linkctl,
    folder,
    listed,
  }) => {
    const path = join(folder, 'links.txt');
    writeFileSync(path, Array.from({ length: rows }, (_, row) => `https://example.com/${row % 1100}\n`).join(''));
    const ran = await linkctl(['shorten', '-f', path, '--dedupe', 'account']);
    expect(ran.stderr).toMatch(/^1205 rows: 1100 created, 105 existing/m);
    expect(await linkctl(['shorten', '-f', path, '--dedupe', 'account', '--again', '-q'])).toMatchObject({ code: 0 });
    expect((await listed('jsonl')).trimEnd().split('\n')).toHaveLength(1100);
  });

  test('B51: a bad date and an unknown column are both reported with line and column, and nothing is sent', async ({
    linkctl,
    wire,
    folder,
  }) => {
    const lines = csv.split('\n').slice(0, 12);
    const path = join(folder, 'bad.csv');
    writeFileSync(
      path,
      `${header},colour\n${lines
        .slice(1)
        .map((line) => `${line},`)
        .join('\n')}`,
    );
    const unknown = await linkctl(['shorten', '-f', path, '--strict-columns']);
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toMatch(/bad\.csv:1:7: .*colour/);
    const rest = Array.from({ length: 15 }, (_, index) => `https://example.com/${index},,,,,`);
    writeFileSync(
      path,
      `${[header, ...rest].join('\n')}\nhttps://example.com/x,,,,2025-02-30,\nhttps://example.com/y,,,,+8000y,\n`,
    );
    const date = await linkctl(['shorten', '-f', path]);
    expect(date).toMatchObject({ code: 2, stdout: '' });
    expect(date.stderr).toContain('bad.csv:17:5: expiration_date: "2025-02-30" is not a date');
    expect(date.stderr).toContain('bad.csv:18:5: expiration_date: "+8000y" is not a date');
    expect(await sent(wire)).toEqual([]);
  });

  test('B91: lines from stdin, with blank lines and comments skipped', async ({ linkctl }) => {
    const ran = await linkctl(['shorten', '-f', '-', '-o', 'json'], {
      stdin: 'https://a.example/\n\n# note\nhttps://b.example/\n',
    });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      urls: [
        { line: 1, status: 'created', long_url: 'https://a.example/' },
        { line: 4, status: 'created', long_url: 'https://b.example/' },
      ],
      summary: { rows: 2, created: 2, failed: 0 },
    });
  });

  test('B60, B70: --dry-run needs no place on the disk', async ({ linkctl, folder, wire }) => {
    const file = join(folder, 'links.txt');
    writeFileSync(file, 'https://a.example/\n');
    const ran = await linkctl(['shorten', '-f', file, '--dry-run', '-o', 'json'], { env: { XDG_STATE_HOME: file } });
    expect(JSON.parse(ran.stdout).requests).toHaveLength(1);
    expect(ran.code).toBe(0);
    expect((await sent(wire)).filter(({ call }) => !call.startsWith('GET'))).toEqual([]);
  });

  test("B12: a row's own value beats the flag", async ({ linkctl }) => {
    const stdin = 'long_url,note\nhttps://a.example/,own\nhttps://b.example/,\n';
    await linkctl(['shorten', '-f', '-', '--input-format', 'csv', '--note', 'flag'], { stdin });
    expect((await linkctl(['list', '--fields', 'note'])).stdout).toBe('flag\nown\n');
  });
});

describe.each(['shorten', 'edit', 'diff', 'apply'])('%s', (command) => {
  test('B16, B21: tsv of linkctl is refused as input, because its escapes would become part of the notes', async ({
    linkctl,
    service,
    folder,
  }) => {
    await store(service, [{ custom_hash: 'one', long_url: 'https://a.example/', note: 'two\nlines' }]);
    const file = join(folder, 'links.tsv');
    writeFileSync(file, (await linkctl(['list', '-o', 'tsv', '--header'])).stdout);
    const ran = await linkctl([command, '-f', file, '-n']);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`${file}:1: looks like tsv: if linkctl printed it, print csv or json instead`);
  });

  test('B91: a second header is refused with its line, and is no link with the hash "hash"', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    await store(service, [...numbered(2), { custom_hash: 'hash', long_url: 'https://example.com/hash' }]);
    const file = join(folder, 'joined.csv');
    writeFileSync(file, 'hash,note,tags\nh0,one,\nhash,note,tags\nh1,two,\n');
    const ran = await linkctl([command, '-f', file, ...(command === 'diff' ? [] : ['--yes'])]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    if (command !== 'shorten') expect(ran.stderr).toContain(`${file}:3: a second header: use a file for each list`);
    expect((await sent(wire)).filter(({ call }) => !call.startsWith('GET'))).toEqual([]);
  });
});

test.for([
  ['edit', 'edit requires'],
  ['diff', 'diff and apply require'],
  ['apply', 'diff and apply require'],
] as const)('B45: %s says what to add if the format of stdin is not known', async ([command, subject], { linkctl, service }) => {
  await store(service, [{ custom_hash: 'one', long_url: 'https://a.example/' }]);
  const { stdout: stdin } = await linkctl(['list', '-o', 'csv']);
  expect(await linkctl([command, '-f', '-', '-n'], { stdin })).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: stdin: ${subject} csv or json\nhint: add --input-format csv\n`,
  });
  expect((await linkctl([command, '-f', '-', '--input-format', 'csv', '-n'], { stdin })).code).toBe(0);
});

test.for([
  ['shorten', '-f', '-', '--results', '-'],
  ['shorten', '-f', 'links.csv', '--failed', '-'],
  ['check', '--results', '-'],
])('B39: %j makes no file with the name -, exit 2 without a request', async (words, { linkctl, wire }) => {
  const ran = await linkctl(words, { stdin: 'https://a.example/\n' });
  expect(ran).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^error: --(results|failed): expected a path, got "-"/),
  });
  expect(await wire.requests()).toEqual([]);
});

describe.each([
  ['http', false],
  ['https', true],
] as const)('CLI 3.7: a server that answers without %s, and a domain whose use_https is %s', (scheme, useHttps) => {
  test.override({ domains: [{ name: 's.ex', useHttps }] });

  test.for([
    ['the scheme is that of the domain, which the run reads', scheme, [], ['GET /domains']],
    ['nothing is asked for it where the domain is named', 'https', ['--domain', 's.ex'], []],
  ] as const)('%s', async ([, printed, words, asked], { linkctl, wire, folder }) => {
    const file = join(folder, 'one.csv');
    writeFileSync(file, 'long_url,custom_hash\nhttps://a.example/,one\n');
    await wire.script([{ alter: { each: { short_url_with_protocol: undefined } }, only: { method: 'POST' }, times: 'all' }]);
    const ran = await linkctl(['shorten', '-f', file, '--json', ...words]);
    expect(JSON.parse(ran.stdout).urls).toMatchObject([{ short_url_with_protocol: `${printed}://s.ex/one` }]);
    expect((await sent(wire)).map(({ call }) => call).filter((call) => call.startsWith('GET /domains'))).toEqual(asked);
  });
});
