import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { createHabits, itemHabits } from '../support/habits.ts';
import { test } from '../support/linkctl.ts';
import { destinations, numbered, store, stored, visit } from '../support/stored-links.ts';
import { undoLast } from './undo-world.ts';

const haste = { haste: 100 };

function fileOf(folder: string, lines: readonly string[]): string {
  const path = join(folder, 'links.csv');
  writeFileSync(path, lines.join('\n'));
  return path;
}

const keyed = [
  'custom_hash,long_url,note,tags,expiration_date',
  'h0,https://example.com/0,,,',
  'h1,https://example.com/1,n,"b,a",',
  'h2,https://example.com/2,,,2126-01-02',
];

describe.each([
  ['a', 'far day'],
  ['b', 'zero day'],
] as const)('edition %s, %s', (edition, name) => {
  test.override({ edition, habits: createHabits(name) });

  test('E24: links that were made are told so, and undo takes them back', async ({ linkctl, folder, service }) => {
    const made = await linkctl(['shorten', '-f', fileOf(folder, keyed), '-o', 'json']);
    expect(made.code).toBe(0);
    expect(JSON.parse(made.stdout).summary).toMatchObject({ created: 3, existing: 0 });
    expect(await undoLast(linkctl)).toMatchObject({ code: 0, stdout: 'h2\nh1\nh0\n' });
    expect(await stored(service)).toEqual([]);
  });

  test('E24: what became of a lost answer is found in the listing', async ({ linkctl, folder, wire, service }) => {
    await store(service, numbered(2));
    await wire.script([{ ...faults.dropAfter, only: { method: 'POST' } }]);
    const plain = fileOf(folder, ['long_url,note,tags', 'https://example.com/a,n,"b,a"', 'https://example.com/b,,']);
    expect(await linkctl(['shorten', '-f', plain], haste)).toMatchObject({ code: 0 });
    expect(await stored(service)).toHaveLength(4);
    expect((await wire.requests()).filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test('E24: a link without a last day is no other, whatever day is written for it', async ({ linkctl, wire, service }) => {
    await store(service, numbered(2, { expiration_date: '2126-01-02' }));
    await store(service, [{ custom_hash: 'h9', long_url: 'https://example.com/9' }]);
    for (const filter of ['expiration_date=never', 'expiration_date=9999-12-31']) {
      expect(await linkctl(['list', '--all', '--filter', filter, '--fields', 'hash'])).toMatchObject({ stdout: 'h9\n' });
    }
    for (const never of ['never', '9999-12-31']) {
      await linkctl(['edit', 'h0', '--expires', never]);
      await linkctl(['edit', 'h0', '--expires', '2126-01-02']);
    }
    const bodies = (await wire.requests()).filter(({ method }) => method === 'PATCH').map(({ body }) => JSON.parse(body).urls[0]);
    expect(bodies.map(({ expiration_date }) => expiration_date)).toEqual([null, '2126-01-02', null, '2126-01-02']);
    const screen = await linkctl(['list', '--all'], { terminal: { stdout: true }, columns: 120 });
    expect(screen.stdout).not.toMatch(/9999|0000|07:08/);
  });

  test('U2: a deleted link is made again without a last day, and an edit to never is applied', async ({ linkctl, service }) => {
    await store(service, numbered(1));
    expect(await linkctl(['edit', 'h0', '--expires', 'never', '--note', 'n'])).toMatchObject({ code: 0 });
    expect(await linkctl(['delete', 'h0', '--yes'])).toMatchObject({ code: 0 });
    expect(await undoLast(linkctl)).toMatchObject({ code: 0 });
    expect(await stored(service)).toMatchObject([{ hash: 'h0', expiration_date: null }]);
  });

  test('E24a: counters that come as text are numbers', async ({ linkctl, service }) => {
    await store(service, numbered(1));
    await visit(service, 'h0', 12);
    const { stdout } = await linkctl(['list', '--all', '-o', 'json']);
    expect(JSON.parse(stdout).urls).toMatchObject([{ total_clicks: 12 }]);
    expect(await linkctl(['stats', 'h0'])).toMatchObject({ code: 0, stdout: 'h0\t12\t1\n' });
    expect((await linkctl(['list', '--all', '--filter', 'total_clicks>9', '--fields', 'hash'])).stdout).toBe('h0\n');
  });

  test('E24b: a host that the listing writes in another case is the same host', async ({ linkctl, folder, wire, service }) => {
    // The answer to the request has it as it was sent, which the listing has not.
    const long_url = 'https://example.com/0';
    await wire.script([{ only: { method: 'POST' }, times: 'all', alter: { each: { long_url } } }]);
    const path = fileOf(folder, ['custom_hash,long_url', `h0,${long_url}`]);
    expect(await linkctl(['shorten', '-f', path])).toMatchObject({ code: 0 });
    expect(await undoLast(linkctl)).toMatchObject({ code: 0, stdout: 'h0\n' });
    expect(await stored(service)).toEqual([]);
  });

  test('E25: a link of the last day of a time is in the report, by its day', async ({ linkctl, folder, service }) => {
    const begin = Date.UTC(2126, 2, 2, 14);
    await store(service, numbered(1, { expiration_date: '2126-04-03' }));
    const on = (days: number) => ({ now: () => begin + days * 86_400_000 });
    await linkctl(['stats', '--record'], on(0));
    await linkctl(['stats', '--record'], on(1));
    const path = join(folder, 'report.html');
    expect(await linkctl(['report', '--since', '1d', '--html', path], on(2.1))).toMatchObject({ code: 0 });
    expect(readFileSync(path, 'utf8')).toContain('3 Apr 2126');
  });

  test('E26: a note has as many characters as people count', async ({ linkctl, folder }) => {
    for (const [note, code] of [
      ['😀'.repeat(255), 0],
      ['😀'.repeat(256), 2],
    ] as const) {
      const path = fileOf(folder, ['long_url,note', `https://example.com/,${note}`]);
      for (const words of [
        ['shorten', 'https://example.com/', '--note', note, '-n'],
        ['shorten', 'https://example.com/', '--note', note],
        ['shorten', '-f', path, '--again'],
      ]) {
        expect(await linkctl(words)).toMatchObject({ code });
      }
    }
  });
});

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test.for(['', 'https://'])(
    'R-35, B30: links whose short URL is written as %j are not one link',
    async (empty, { linkctl, wire, service }) => {
      await store(service, numbered(3));
      await wire.script([{ times: 'all', alter: { each: { short_url: empty, short_url_with_protocol: empty } } }]);
      expect(await linkctl(['list', '--all', '--fields', 'hash'])).toMatchObject({ code: 0, stdout: 'h2\nh1\nh0\n' });
      expect(await linkctl(['shorten', 'https://example.com/', '--hash', 'own', '-q'])).toMatchObject({
        code: 0,
        stdout: 'own\n',
      });
      expect(await linkctl(['edit', '--all', '--note', 'n', '--yes', '--max-affected', '9'])).toMatchObject({ code: 0 });
      expect(await stored(service)).toMatchObject(Array(4).fill({ note: 'n' }));
      expect(await linkctl(['delete', '--all', '--yes', '--max-affected', '9'])).toMatchObject({ code: 0 });
      expect(await stored(service)).toEqual([]);
    },
  );

  test('B26, B30: a server that shows no short URLs has its links named by their hashes, never by half a URL', async ({
    linkctl,
    folder,
    wire,
    service,
  }) => {
    await store(service, numbered(1));
    const each = { short_url: undefined, short_url_with_protocol: undefined };
    const shown = { times: 'all', alter: { each } } as const;
    await wire.script([shown]);
    expect(await linkctl(['shorten', 'https://example.com/', '--hash', 'own', '-q'])).toMatchObject({ code: 0, stdout: 'own\n' });
    const rows = ['a', 'b', 'c', 'd'].map((hash) => `${hash},https://example.com/${hash}`);
    const path = fileOf(folder, ['custom_hash,long_url', ...rows]);
    const post = { only: { method: 'POST' } };
    await wire.script([{ ...shown, ...post, times: 3 }, { ...post, ...faults.refuse(1303) }, shown]);
    const words = ['shorten', '-f', path, '--batch-size', '1', '--concurrency', '1'];
    expect(await linkctl(words)).toMatchObject({ code: 7, stdout: expect.stringMatching(/^a\nb\n/) });
    expect(await linkctl(words)).toMatchObject({ code: 0, stdout: 'a\nb\nc\nd\n' });
    writeFileSync(path, 'hash,long_url\nh0,https://example.com/new\n');
    const applied = await linkctl(['apply', '-f', path, '--yes', '-o', 'json']);
    expect(applied).toMatchObject({ code: 0, stderr: expect.stringContaining('own') });
    expect(applied.stdout + applied.stderr).not.toMatch(/https:\/\/(?!example\.com)/);
  });

  test.for([
    ['2126-01-31T00:00:00+02:00', '2126-01-31'],
    ['2126-01-31T23:59:59-05:00', '2126-01-31'],
    ['2126-01-27T19:00:00-05:00', '2126-01-28'],
  ] as const)(
    'B21, P5: a listing whose dates are written as %s changes nothing when it is read back',
    async ([written, day], { linkctl, folder, wire, service }) => {
      await store(service, numbered(2, { expiration_date: day }));
      await wire.script([{ times: 'all', alter: { each: { expiration_date: written } } }]);
      const path = join(folder, 'listed.csv');
      writeFileSync(path, (await linkctl(['list', '--all', '--fields', 'writable', '-o', 'csv'])).stdout);
      expect(await linkctl(['diff', '-f', path])).toMatchObject({ code: 0 });
      expect(await linkctl(['apply', '-f', path, '--yes'])).toMatchObject({ code: 0 });
      expect(await linkctl(['edit', '-f', path, '--yes'])).toMatchObject({ code: 0 });
      expect(await stored(service)).toMatchObject(Array(2).fill({ expiration_date: day }));
      expect((await wire.requests()).filter(({ method }) => method !== 'GET')).toEqual([]);
    },
  );

  test('U2, B88: a day that a server in the west writes as its own evening is the day that was stored', async ({
    linkctl,
    folder,
    wire,
    service,
  }) => {
    await wire.script([{ times: 'all', alter: { each: { expiration_date: '2126-01-27T19:00:00-05:00' } } }]);
    const path = fileOf(folder, ['custom_hash,long_url,expiration_date', 'h0,https://example.com/0,2126-01-28']);
    expect(await linkctl(['shorten', '-f', path])).toMatchObject({ code: 0 });
    expect(await linkctl(['delete', 'h0', '--yes'])).toMatchObject({ code: 0 });
    expect(await undoLast(linkctl)).toMatchObject({ code: 0 });
    expect(await stored(service)).toMatchObject([{ hash: 'h0', expiration_date: '2126-01-28' }]);
  });

  test.for([
    ['numbers', 1, 0],
    ['text', 'true', 'false'],
    ['numbers as text', '1', '0'],
  ] as const)('E24a, F40: flags that come as %s are flags', async ([, yes, no], { linkctl, wire, service }) => {
    await store(service, numbered(2));
    await wire.script([{ times: 'all', alter: { each: { email_stats: no } } }]);
    expect(await linkctl(['shorten', 'https://example.com/', '--hash', 'own'])).toMatchObject({ code: 0 });
    expect(await linkctl(['list', '--all', '--filter', 'email_stats=true', '--fields', 'hash'])).toMatchObject({ stdout: '' });
    await wire.script([{ times: 'all', alter: { each: { email_stats: yes } } }]);
    const { stdout } = await linkctl(['list', '--all', '-o', 'json']);
    expect(JSON.parse(stdout).urls).toMatchObject(Array(3).fill({ email_stats: true }));
    expect(await linkctl(['edit', 'own', '--email-stats', '--note', 'n'])).toMatchObject({ code: 0 });
  });
});

describe('a server that adds members of its own to links', () => {
  const own = { notes: 'own', ping: true, title: 'own', archived: false, favorite: false, slug: 'own', max_visits: 1 };
  test.override({ habits: itemHabits({ shown: (link) => (link.short_url ? { ...link, ...own } : link) }) });

  test.for([
    ['json', 'edit', '-f'],
    ['jsonl', 'edit', '-f'],
    ['json', 'apply', '--yes', '-f'],
    ['jsonl', 'apply', '--yes', '-f'],
    ['json', 'diff', '-f'],
    ['jsonl', 'diff', '-f'],
    ['json', 'shorten', '-f'],
    ['jsonl', 'shorten', '-f'],
    ['json', 'delete', '--yes', '--hashes-from'],
    ['jsonl', 'delete', '--yes', '--hashes-from'],
  ])(
    'B91, F40: a listing in %s is read by %s as without them, and a file of rows names those that nobody knows',
    async ([format = '', ...words], { linkctl, wire, service, folder }) => {
      await store(service, numbered(2, { note: 'n' }));
      const before = await stored(service);
      const { stdout, stderr } = await linkctl(['list', '--all', '-o', format]);
      expect(stderr).toBe('');
      expect(stdout).toContain('"notes":"own"');
      const file = join(folder, `listing.${format}`);
      const read = async (text: string) => {
        writeFileSync(file, text);
        const since = (await wire.requests()).length;
        const ran = await linkctl([...words, file, '-o', 'json', '-n']);
        return { ...ran, requests: (await wire.requests()).slice(since).map(({ method, url, body }) => [method, url, body]) };
      };
      const plain = stdout.replaceAll(/,"notes":"own".*?"max_visits":1/g, '');
      expect(plain).not.toContain('own');
      const [{ stderr: told, ...ran }, { stderr: nothing, ...same }] = [await read(stdout), await read(plain)];
      expect(ran).toEqual(same);
      const [line = '', ...others] = told.split('\n');
      if (words.includes('--hashes-from')) expect(told).toBe(nothing);
      else
        expect([line, others.join('\n')]).toEqual([
          expect.stringMatching(/^warning: columns: .*; unknown: notes, title, slug, max_visits$/),
          nothing,
        ]);
      expect(await stored(service)).toEqual(before);
      writeFileSync(file, stdout);
      expect(await linkctl([...words, file])).toMatchObject({ code: 0 });
      expect(await stored(service)).toEqual(words[0] === 'delete' ? [] : before);
    },
  );
});

describe.each([
  ['null', null],
  ['an empty text', ''],
])('a server that writes %s for the URLs of a link', (_, none) => {
  const without = { long_url: none, short_url: none, short_url_with_protocol: none };
  test.override({ habits: itemHabits({ shown: (link) => (link.hash === 'h0' ? { ...link, ...without } : link) }) });

  test('B19: json and jsonl have null for them, csv and tsv an empty cell', async ({ linkctl, service }) => {
    await store(service, numbered(2));
    const nulls = { hash: 'h0', long_url: null, short_url: null, short_url_with_protocol: null };
    const words = ['list', '--all', '-o'];
    for (const fields of [[], ['--fields', 'hash,long_url,short_url,short_url_with_protocol']]) {
      const { urls } = JSON.parse((await linkctl([...words, 'json', ...fields])).stdout);
      expect(urls).toEqual([
        expect.objectContaining({ hash: 'h1', long_url: 'https://example.com/1' }),
        expect.objectContaining(nulls),
      ]);
      const lines = (await linkctl([...words, 'jsonl', ...fields])).stdout.trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line))).toEqual(urls);
    }
    const cells = ['--fields', 'hash,short_url,long_url'];
    expect((await linkctl([...words, 'csv', ...cells])).stdout).toMatch(/\nh0,,\n$/);
    expect((await linkctl([...words, 'tsv', ...cells])).stdout).toMatch(/\nh0\t\t\n$/);
    const { stats } = JSON.parse((await linkctl(['stats', '-o', 'json'])).stdout);
    expect(stats[1]).toEqual({ hash: 'h0', long_url: null, short_url: null, total_clicks: 0, unique_clicks: 0 });
  });

  test('B19, B90: a run prints null, and its results have empty cells', async ({ linkctl, service, folder, written }) => {
    await store(service, numbered(1));
    const [file, results] = [join(folder, 'edits.csv'), join(folder, 'done.csv')];
    writeFileSync(file, 'hash,note\nh0,n\n');
    const { stdout } = await linkctl(['edit', '-f', file, '--results', results, '-o', 'json']);
    expect(JSON.parse(stdout).urls).toMatchObject([{ hash: 'h0', long_url: null, short_url: null, note: 'n' }]);
    expect(written(results)).toMatch(/\n1,changed,h0,[^,]*,,,0,,2\n$/);
  });

  test('B91: such a listing is read as one without these members', async ({ linkctl, service, folder }) => {
    await store(service, numbered(2));
    const { stdout } = await linkctl(['list', '--all', '-o', 'json']);
    const file = join(folder, 'listing.json');
    writeFileSync(file, stdout);
    expect((await linkctl(['edit', '-f', file, '-n'])).stderr).not.toContain('long_url');
    expect(await linkctl(['diff', '-f', file])).toMatchObject({ code: 0, stdout: '' });
    expect(await linkctl(['apply', '-f', file, '--yes'])).toMatchObject({ code: 0 });
    expect(await linkctl(['delete', '--hashes-from', file, '--yes'])).toMatchObject({ code: 0 });
  });
});

describe.each([
  ['null', null],
  ['an empty text', ''],
  ['nothing', undefined],
])('a server that shows %s for the destination of a link', (_, long_url) => {
  test.override({ habits: itemHabits({ shown: (link) => (link.hash === 'h0' ? { ...link, long_url } : link) }) });

  test('F40, R-35: no filter of destinations selects it, and no command fails because of it', async ({ linkctl, service }) => {
    await store(service, numbered(2));
    const filters = [
      'scheme!=ftp',
      'host!=other.example',
      'path!=/x',
      'long_url!=https://other.example/',
      'url~.',
      'scheme=https',
    ];
    for (const filter of filters) {
      const ran = await linkctl(['list', '--all', '--filter', filter, '--fields', 'hash']);
      expect([filter, ran]).toMatchObject([filter, { code: 0, stdout: 'h1\n' }]);
    }
    expect(await linkctl(['list', '--all', '--duplicates'])).toMatchObject({ code: 0, stdout: '' });
    expect((await linkctl(['check', 'h0', '--fields', 'status,reason'])).stdout).toBe(
      'skipped\tthe server does not show the destination\n',
    );
  });

  test('F40: it is not rewritten, and no undo gives it an empty destination', async ({ linkctl, wire, service }) => {
    await store(service, numbered(2));
    const rewritten = await linkctl(['rewrite', '--set-param', 'a=b', '--all', '--yes', '--max-affected', '9']);
    expect(rewritten).toMatchObject({ code: 3, stderr: expect.stringContaining('the server does not show the destination') });
    expect(await destinations(service)).toEqual(['https://example.com/0', 'https://example.com/1?a=b']);
    for (const words of [
      ['edit', 'h0', '--url', 'https://example.com/new'],
      ['delete', 'h0', '--yes'],
    ]) {
      expect(await linkctl(words)).toMatchObject({ code: 0 });
      const before = (await wire.requests()).length;
      expect(await undoLast(linkctl)).toMatchObject({ code: 3, stderr: expect.stringContaining('not show') });
      expect((await wire.requests()).slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
    }
  });
});
