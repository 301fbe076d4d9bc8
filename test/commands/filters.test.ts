import { describe, expect } from 'vitest';
import { type Ran, sent, test } from '../support/linkctl.ts';
import { numbered, store, visit } from '../support/stored-links.ts';

const terminal = { terminal: { stdout: true, stderr: true }, env: { NO_COLOR: '1' } };

const hashesOf = ({ stdout }: Ran): string[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t')[0] ?? '');

/** `old0` to `old9` on an old host, one in three of 30 links, between others. */
const mixed = Array.from({ length: 30 }, (_, index) => ({
  custom_hash: index % 3 === 0 ? `old${index / 3}` : `new${index}`,
  long_url: `https://${index % 3 === 0 ? 'old' : 'new'}.example/${index}`,
  ...(index % 6 === 0 && { tags: ['promo'], expiration_date: '2031-01-31' }),
}));
const old = ['old9', 'old8', 'old7', 'old6', 'old5', 'old4', 'old3', 'old2', 'old1', 'old0'];

for (const edition of ['a', 'b'] as const) {
  describe(`edition ${edition}`, () => {
    test.override({ edition });

    test('F2: a filter is decided on each link of every page, and all must hold', async ({ linkctl, wire, service }) => {
      await store(service, mixed);
      await wire.behave({ pageCap: 7 });
      const list = (...words: string[]) => linkctl(['list', '--fields', 'hash', ...words]);
      const found = await list('--filter', 'host=old.example');
      expect(hashesOf(found)).toEqual(old);
      expect(found).toMatchObject({ code: 0, stderr: '10 of 30 links match\n' });
      expect(hashesOf(await list('--filter', 'host=old.example', '--filter', 'tags=PROMO'))).toEqual(
        old.filter((_, index) => index % 2 === 1),
      );
      expect(hashesOf(await list('--filter', 'expiration_date=never', '--filter', 'url^=https://old.example'))).toEqual(
        old.filter((_, index) => index % 2 === 0),
      );
      expect((await list('--filter', 'host=old.example', '-q')).stderr).toBe('');
      expect(await list('--filter', 'hash=old1')).toMatchObject({ stdout: 'old1\n', stderr: '1 of 30 links matches\n' });
    });

    test('F3: --limit and --offset count the links that match, and nothing more is read', async ({ linkctl, wire, service }) => {
      await store(service, mixed);
      await wire.behave({ pageCap: 7 });
      const list = (...words: string[]) => linkctl(['list', '--fields', 'hash', '--filter', 'host=old.example', ...words]);
      const cut = await list('--limit', '3');
      expect(hashesOf(cut)).toEqual(old.slice(0, 3));
      expect(cut.stderr).toBe('Showing 3 links that match, of the first 9 read.\n');
      expect((await sent(wire)).length).toBeLessThanOrEqual(3);
      expect(hashesOf(await list('--limit', '3', '--offset', '3'))).toEqual(old.slice(3, 6));
      expect(hashesOf(await list('--offset', '8'))).toEqual(old.slice(8));
      // The tenth is the last link of all: nothing was left out.
      expect(await list('--limit', '10')).toMatchObject({ stderr: '10 of 30 links match\n' });
      expect(await list('--limit', '11')).toMatchObject({ stderr: '10 of 30 links match\n' });
    });

    test('F7, F3: a total that is that of the page does not make a listing whole', async ({ linkctl, wire, service }) => {
      await store(service, numbered(20));
      await wire.behave({ totalCount: 'page length', pageCap: 10 });
      const { stderr } = await linkctl(['list', '--filter', 'hash=h10', '--limit', '1']);
      expect(stderr).toBe('Showing 1 link that matches, of the first 10 read.\n');
    });

    test('F3: JSON has the total of the links that match, where it is known', async ({ linkctl, service }) => {
      await store(service, mixed);
      const pageOf = async (...words: string[]) =>
        JSON.parse((await linkctl(['list', '--json', '--filter', 'host=old.example', ...words])).stdout).page;
      expect(await pageOf()).toEqual({ results_count: 10, total_count: 10, offset: 0 });
      expect(await pageOf('--offset', '4')).toEqual({ results_count: 6, total_count: 10, offset: 4 });
      expect(await pageOf('--limit', '2')).toEqual({ results_count: 2, offset: 0 });
    });

    test('F7: on a terminal the first 50 that match are shown, and how to see more', async ({ linkctl, service }) => {
      await store(service, numbered(130));
      const shown = await linkctl(['list', '--fields', 'hash', '--filter', 'hash~[02468]$'], terminal);
      expect(shown.stdout.trimEnd().split('\n')).toHaveLength(51);
      expect(shown.stderr).toBe('Showing 50 links that match, of the first 100 read. Use --all or --limit N.\n');
      const all = await linkctl(['list', '--fields', 'hash', '--filter', 'hash~[02468]$', '--all'], terminal);
      expect(all.stderr).toBe('65 of 130 links match\n');
    });

    test('F1: a filter narrows hashes, a file, tags and a search', async ({ linkctl, service }) => {
      await store(service, mixed);
      const filter = ['--fields', 'hash', '--filter', 'host=old.example'];
      const typed = await linkctl(['list', 'new1', 'old3', 'none', 'old1', ...filter]);
      expect(typed).toMatchObject({ code: 3, stdout: 'old3\nold1\n' });
      expect(typed.stderr).toContain('no short URL "none"');
      expect(typed.stderr).toContain('2 of 3 links match\n');
      const file = await linkctl(['list', '--hashes-from', '-', ...filter], { stdin: 'new1\nold3\n' });
      expect(file).toMatchObject({ code: 0, stdout: 'old3\n', stderr: '1 of 2 links matches\n' });
      expect(hashesOf(await linkctl(['list', '--by-tags', 'promo', ...filter]))).toEqual([
        'old8',
        'old6',
        'old4',
        'old2',
        'old0',
      ]);
      expect(hashesOf(await linkctl(['list', '--search', 'example/2', ...filter]))).toEqual(['old9', 'old8', 'old7']);
    });

    test('F2: what cannot be understood is exit 2 before anything is sent', async ({ linkctl, wire }) => {
      for (const command of ['list', 'stats']) {
        const ran = await linkctl([command, '--filter', 'clicks>5']);
        expect(ran).toMatchObject({ code: 2, stdout: '' });
        expect(ran.stderr).toMatch(
          /^error: --filter "clicks>5": unknown field "clicks", did you mean total_clicks\?\nfields: hash, .*total_clicks.*\n/,
        );
        expect(ran.stderr).toContain('\noperators: = != < <= > >= ^= ~\n');
        expect(ran.stderr).toContain('linkctl help filters');
      }
      expect(await sent(wire)).toEqual([]);
    });

    test('F2: a change with a negated filter keeps the link that it names, however the short URL is written', async ({
      linkctl,
      service,
    }) => {
      await store(service, numbered(3));
      const url = (await linkctl(['list', 'h1', '-o', 'json'])).stdout;
      const [{ short_url: shortUrl }] = JSON.parse(url).urls;
      const remove = (filter: string) => linkctl(['delete', '--all', '--filter', filter, '--yes', '--max-affected', '3']);
      expect(await remove(`hash!=${shortUrl}`)).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a hash') });
      expect(await remove('domain!=*.test')).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a domain name') });
      expect(await remove('url!=https:/example.com/1')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('is not an http'),
      });
      expect(await remove(`short_url!=https:/${shortUrl}`)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('is not a short'),
      });
      expect(await remove('host!=a.example,b.example')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('is not a host'),
      });
      expect(hashesOf(await linkctl(['list', '--fields', 'hash']))).toEqual(['h2', 'h1', 'h0']);
      expect((await remove(`short_url!=http://${shortUrl.replace(/^[^/]*/, (host: string) => host.toUpperCase())}`)).code).toBe(
        0,
      );
      expect(hashesOf(await linkctl(['list', '--fields', 'hash']))).toEqual(['h1']);
    });

    test('F2: a change with a negated note in quotes keeps the link with that note, also where servers trim notes', async ({
      linkctl,
      wire,
      service,
    }) => {
      await store(service, [...numbered(1, { note: ' p ' }), { custom_hash: 'q', long_url: 'https://q.example/', note: 'q' }]);
      const list = async () => hashesOf(await linkctl(['list', '--fields', 'hash', '--filter', 'note=" p "']));
      expect(await list()).toEqual(['h0']);
      await wire.behave({ notes: 'shown trimmed' });
      expect(await list()).toEqual(['h0']);
      await wire.behave({});
      const remove = ['delete', '--all', '--filter', 'note!=" p "', '--yes', '--max-affected', '2'];
      expect(await linkctl(remove)).toMatchObject({ code: 0 });
      expect(hashesOf(await linkctl(['list', '--fields', 'hash']))).toEqual(['h0']);
    });

    test('F1: stats takes searches and filters', async ({ linkctl, service }) => {
      await store(service, mixed);
      await visit(service, 'old1', 2);
      await visit(service, 'new1');
      const clicked = await linkctl(['stats', '--filter', 'total_clicks>0', '--filter', 'host=old.example']);
      expect(clicked).toEqual({ code: 0, stdout: 'old1\t2\t1\n', stderr: expect.stringMatching(/^1 of 30 links matches\n/) });
      expect((await linkctl(['stats', '--search', 'old.example'])).stderr).toContain('10 links: 2 clicks');
      expect(await linkctl(['stats', 'old1', 'new1', '--filter', 'total_clicks>=2'])).toMatchObject({
        stdout: 'old1\t2\t1\n',
        stderr: '1 of 2 links matches\n',
      });
      expect(await linkctl(['stats', 'old1', '--filter', 'total_clicks>=3'])).toMatchObject({
        code: 0,
        stdout: '',
        stderr: '0 of 1 link matches\n',
      });
      // A terminal is told once.
      for (const command of ['list', 'stats'])
        for (const links of [['old1'], []])
          expect((await linkctl([command, ...links, '--filter', 'total_clicks>=3'], terminal)).stderr).toMatch(
            /^0 of \d+ links? match(es)?\n(?!no)/,
          );
      expect((await linkctl(['stats', '--top', '1', '--filter', 'host=new.example'])).stdout).toBe('new1\t1\t1\n');
    });

    test('B44: --fail-empty exits 11 if no link matches', async ({ linkctl, service }) => {
      await store(service, numbered(2));
      expect(await linkctl(['list', '--filter', 'total_clicks>0', '--fail-empty'])).toMatchObject({
        code: 11,
        stderr: expect.stringContaining('0 of 2 links match\n'),
      });
    });

    test.for([
      [['list', 'abc', '--search', 'x'], 'specify only one of <hash>... or --search'],
      [['list', '--hashes-from', '-', '--all'], 'specify only one of --hashes-from or --all'],
      [['stats', 'abc', '--search', 'x'], 'specify only one of <hash>... or --search'],
      [['list', 'abc', '--duplicates'], 'specify only one of --duplicates or <hash>...'],
      [['list', '--duplicates', '--offset', '5'], 'specify only one of --duplicates or --offset'],
    ] as const)('F1: %j is refused', async ([argv, words], { linkctl, wire }) => {
      expect(await linkctl(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(`error: ${words}\n`) });
      expect(await sent(wire)).toEqual([]);
    });

    test('F3: --duplicates groups the links that share a destination, also with a filter', async ({ linkctl, wire, service }) => {
      await store(service, [
        { custom_hash: 'a1', long_url: 'https://a.example/' },
        { custom_hash: 'b1', long_url: 'https://b.example/x' },
        { custom_hash: 'c1', long_url: 'https://c.example/' },
        ...numbered(20),
        { custom_hash: 'a2', long_url: 'https://A.example' },
        { custom_hash: 'b2', long_url: 'https://b.example/x', note: 'second' },
        { custom_hash: 'b3', long_url: 'https://b.example/%78' },
      ]);
      await wire.behave({ pageCap: 7 });
      const list = (...words: string[]) => linkctl(['list', '--duplicates', '--fields', 'hash', ...words]);
      const all = await list();
      expect(hashesOf(all)).toEqual(['b3', 'b2', 'b1', 'a2', 'a1']);
      expect(all).toMatchObject({ code: 0, stderr: '5 links that share 2 destinations, of 26 links\n' });
      const some = await list('--filter', 'note=');
      expect(hashesOf(some)).toEqual(['b3', 'b1', 'a2', 'a1']);
      expect(some.stderr).toBe('4 links that share 2 destinations, of 25 links that match\n');
      const cut = await list('--limit', '4');
      expect(hashesOf(cut)).toEqual(['b3', 'b2', 'b1', 'a2']);
      expect(cut.stderr).toBe('Showing 4 of 5 links that share 2 destinations.\n');
      const { urls, page } = JSON.parse((await linkctl(['list', '--duplicates', '--json'])).stdout);
      expect([urls.length, page]).toEqual([5, { results_count: 5, total_count: 5, offset: 0 }]);
      expect(await list('--search', 'c.example', '--fail-empty')).toMatchObject({
        code: 11,
        stdout: '',
        stderr: expect.stringContaining('no links share a destination, of 1 link\n'),
      });
    });
  });
}

test.for([
  [null, ['h1']],
  [undefined, ['h2', 'h1', 'h0']],
] as const)(
  'F2: a last visit of %s does not make a clicked link one that was never visited',
  async ([last_visit, left], { linkctl, wire, service }) => {
    await store(service, numbered(3));
    await visit(service, 'h1', 12);
    await wire.script([{ only: { method: 'GET' }, times: 'all', alter: { each: { last_visit } } }]);
    const ran = await linkctl(['delete', '--all', '--filter', 'last_visit<-90d', '--yes', '--max-affected', '3']);
    expect(ran.code).toBe(0);
    expect(hashesOf(await linkctl(['list', '--fields', 'hash']))).toEqual(left);
  },
);

describe('two domains', () => {
  test.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }] });

  test('F6, F2: with --all-domains a filter and --duplicates cover each domain, and show short URLs', async ({
    linkctl,
    service,
  }) => {
    await store(service, [...numbered(3), { custom_hash: 'only', long_url: 'https://only.example/' }], 'a.example');
    await store(service, numbered(2), 'b.example');
    const found = await linkctl(['list', '--all-domains', '--filter', 'hash!=h0']);
    expect(hashesOf(found)).toEqual(['a.example/only', 'a.example/h2', 'a.example/h1', 'b.example/h1']);
    expect(found.stderr).toBe('4 of 6 links match\n');
    expect(hashesOf(await linkctl(['list', '--all-domains', '--filter', 'domain=b.example']))).toEqual([
      'b.example/h1',
      'b.example/h0',
    ]);
    const shared = await linkctl(['list', '--all-domains', '--duplicates']);
    expect(hashesOf(shared)).toEqual(['a.example/h1', 'b.example/h1', 'a.example/h0', 'b.example/h0']);
    expect(shared.stderr).toBe('4 links that share 2 destinations, of 6 links\n');
    expect(hashesOf(await linkctl(['list', '--all-domains', '--filter', 'hash^=h', '--limit', '4']))).toEqual([
      'a.example/h2',
      'a.example/h1',
      'a.example/h0',
      'b.example/h1',
    ]);
  });

  test('F6: a filtered listing of one domain says which it did not cover', async ({ linkctl, service }) => {
    await store(service, numbered(2), 'a.example');
    await store(service, numbered(2), 'b.example');
    const covered = 'Covers only a.example, not b.example. To include all domains, use --all-domains.\n';
    expect((await linkctl(['list', '--filter', 'hash=h0'])).stderr).toBe(`1 of 2 links matches\n${covered}`);
    expect((await linkctl(['list', '--duplicates'])).stderr).toBe(`no links share a destination, of 2 links\n${covered}`);
    expect((await linkctl(['stats', '--search', 'h0'])).stderr).toContain(covered);
    const table = await linkctl(['list', 'a.example/h0', 'b.example/h0', '--filter', 'hash=h0'], terminal);
    expect(table.stdout).toMatch(/^SHORT URL/);
    expect(table.stdout).toContain('b.example/h0');
  });
});
