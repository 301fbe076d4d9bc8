import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { sent, test } from '../support/linkctl.ts';
import { numbered, store } from '../support/stored-links.ts';

/** Without the line of progress, which a slow computer shows. */
const terminal = { terminal: { stdout: true, stderr: true }, env: { NO_COLOR: '1', CI: 'true' } };

/** Hashes on stdout, which is a table on a terminal. */
const rowsOf = (stdout: string): string[] =>
  stdout
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('HASH'));

async function listingCalls(wire: Parameters<typeof sent>[0]): Promise<string[]> {
  return (await sent(wire)).map(({ call }) => call).filter((call) => call.startsWith('GET /urls'));
}

for (const edition of ['a', 'b'] as const) {
  describe(`edition ${edition}`, () => {
    test.override({ edition });

    test('F7: in a pipe list gives every row, however many pages that takes', async ({ linkctl, wire, service }) => {
      await store(service, numbered(125));
      await wire.behave({ pageCap: 30 });
      for (const words of [
        ['list'],
        ['list', '-o', 'csv', '--no-header'],
        ['list', '--page-size', '20'],
        ['list', '--search', 'example'],
      ]) {
        const ran = await linkctl([...words, '--fields', 'hash']);
        expect(ran).toMatchObject({ code: 0, stderr: '' });
        expect(rowsOf(ran.stdout)).toEqual(
          numbered(125)
            .map(({ custom_hash }) => custom_hash)
            .reverse(),
        );
      }
      const { urls, page } = JSON.parse((await linkctl(['list', '-o', 'json'])).stdout);
      expect([urls.length, page]).toEqual([125, { results_count: 125, total_count: 125, offset: 0 }]);
      expect(rowsOf((await linkctl(['list', '--offset', '120', '--fields', 'hash'])).stdout)).toEqual([
        'h4',
        'h3',
        'h2',
        'h1',
        'h0',
      ]);
    });

    test('F7, B28: on a terminal it shows the newest 50, and says how to see more', async ({ linkctl, wire, service }) => {
      await store(service, numbered(51));
      const cut = await linkctl(['list', '--fields', 'hash'], terminal);
      expect(rowsOf(cut.stdout)).toEqual(
        numbered(51)
          .map(({ custom_hash }) => custom_hash)
          .reverse()
          .slice(0, 50),
      );
      expect(cut.stderr).toBe('Showing 50 of 51 links. Use --all or --limit N.\n');
      expect(await listingCalls(wire)).toEqual(['GET /urls?limit=50']);
      expect((await linkctl(['list', '--fields', 'hash', '-q'], terminal)).stderr).toBe('');
      for (const flags of [['--all'], ['--limit', '51'], ['--limit', '1000']]) {
        const whole = await linkctl(['list', '--fields', 'hash', ...flags], terminal);
        expect([rowsOf(whole.stdout).length, whole.stderr]).toEqual([51, '']);
      }
      expect(rowsOf((await linkctl(['list', '--fields', 'hash', '--offset', '1'], terminal)).stdout)).toHaveLength(50);
    });

    test.for(['missing', 'text', 'page length', 'so far'] as const)(
      'F7, B28: no listing is short without a word where total_count is %s',
      async (totalCount, { linkctl, wire, service }) => {
        await store(service, numbered(61));
        await wire.behave({ totalCount, pageCap: 30 });
        const shown = await linkctl(['list', '--fields', 'hash'], terminal);
        expect(rowsOf(shown.stdout)).toHaveLength(50);
        expect(shown.stderr).toMatch(/^Showing 50 (of 61 )?links(; there are more)?\. Use --all or --limit N\.\n$/);
        expect(shown.stderr).toMatch(/of 61|are more/);
        const { page } = JSON.parse((await linkctl(['list', '--limit', '60', '--json'])).stdout);
        expect([undefined, 61]).toContain(page.total_count);
        const limited = await linkctl(['list', '--fields', 'hash', '--limit', '60']);
        expect(limited.stderr).toMatch(/^Showing 60 (of 61 )?links(; there are more)?\.\n$/);
        for (const flags of [['--all'], ['--limit', '61'], ['--limit', '99']]) {
          const all = await linkctl(['list', '--fields', 'hash', ...flags], terminal);
          expect([flags, rowsOf(all.stdout).length, all.stderr]).toEqual([flags, 61, '']);
        }
        expect(rowsOf((await linkctl(['list', '--fields', 'hash'])).stdout)).toHaveLength(61);
        expect(rowsOf((await linkctl(['list', '--fields', 'hash', '--offset', '30'])).stdout)).toHaveLength(31);
        expect((await linkctl(['stats'])).stderr).toBe('61 links: 0 clicks\n');
        expect((await linkctl(['check', '--all', '-n'])).stderr).toContain('61 links would be checked');
      },
    );

    test('F7: what reads a listing that ends before its own total warns, and what changes, compares or records it is exit 8', async ({
      linkctl,
      wire,
      service,
      folder,
    }) => {
      await store(service, numbered(90, { tags: ['t'] }));
      const file = join(folder, 'links.csv');
      writeFileSync(file, (await linkctl(['list', '-o', 'csv'])).stdout.split('\n').slice(0, 61).join('\n'));
      const end = { urls: [], page: { results_count: 0, total_count: 90, offset: 60 }, error: { code: 0, message: '' } };
      await wire.behave({ pageCap: 30 });
      await wire.script([{ only: { path: 'offset=60' }, apply: false, times: 'all', answer: { body: end } }]);
      const short = 'the server lists 60 of 90 rows; the listing may be incomplete\n';
      for (const words of [['list', '-o', 'csv'], ['list', '--limit', '70'], ['stats'], ['check', '--all', '-n']]) {
        const ran = await linkctl(words);
        expect([words, ran.code, ran.stderr]).toEqual([words, 0, expect.stringContaining(`warning: ${short}`)]);
      }
      for (const words of [
        ['delete', '--all', '--yes', '--max-affected', '90'],
        ['edit', '--all', '--note', 'n', '--yes', '--max-affected', '90'],
        ['diff', '-f', file],
        ['apply', '-f', file, '--prune', 't', '--yes'],
        ['stats', '--record'],
      ]) {
        const ran = await linkctl(words);
        expect([words, ran.code, ran.stderr]).toEqual([words, 8, expect.stringContaining(`error: ${short}`)]);
      }
      expect((await sent(wire)).map(({ call }) => call).filter((call) => !call.startsWith('GET'))).toEqual([]);
    });

    test('B28: the numbers of a listing that is cut are grouped, as everywhere on stderr', async ({ linkctl, service }) => {
      await store(service, numbered(1218));
      expect((await linkctl(['list', '--limit', '1001', '--fields', 'hash'])).stderr).toBe('Showing 1,001 of 1,218 links.\n');
    });

    test('F43, B19: where a server ignores offset list fails, and no total is made up', async ({ linkctl, wire, service }) => {
      await store(service, numbered(8));
      const { urls } = JSON.parse((await linkctl(['list', '-o', 'json'])).stdout);
      const error = { code: 0, message: '' };
      const answer = (page: object) => [
        { times: 'all' as const, only: { path: '/urls' }, answer: { body: { error, urls, page } } },
      ];
      await wire.script(answer({ results_count: 8, total_count: 8, offset: 0 }));
      expect(await linkctl(['list', '--offset', '3', '--limit', '2'])).toEqual({
        code: 8,
        stdout: '',
        stderr: 'error: the server ignores the offset 3\n',
      });
      expect(await linkctl(['list', '--limit', '8'])).toMatchObject({ code: 0, stderr: 'Showing 8 links; there may be more.\n' });
      await wire.script(answer({ total_count: 8 }));
      for (const flags of [[], ['-q']]) {
        const { page } = JSON.parse((await linkctl(['list', '--offset', '6', '--limit', '8', '-o', 'json', ...flags])).stdout);
        expect(page).toEqual({ results_count: 8, offset: 6 });
      }
    });

    test('B19: the total of a short listing is that of the server, or none', async ({ linkctl, wire, service }) => {
      await store(service, numbered(8));
      await wire.behave({ totalCount: 'missing' });
      const pageOf = async (...words: string[]) => JSON.parse((await linkctl([...words, '-q', '-o', 'json'])).stdout).page;
      expect(await pageOf('list', '--limit', '2')).toEqual({ results_count: 2, offset: 0 });
      expect(await pageOf('list', '--offset', '99')).toEqual({ results_count: 0, offset: 99 });
    });

    test('B84: where the total says that all is shown, nothing more is asked', async ({ linkctl, wire, service }) => {
      await store(service, numbered(3));
      expect((await linkctl(['list'], terminal)).stderr).toBe('');
      expect((await linkctl(['list', '--limit', '2'])).stderr).toBe('Showing 2 of 3 links.\n');
      expect(await listingCalls(wire)).toEqual(['GET /urls?limit=50', 'GET /urls?limit=2']);
    });
  });
}

describe('two domains', () => {
  test.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }, { name: 'c.example' }] });

  test('F6, B84: who says how many rows pays no call to learn of other domains', async ({ linkctl, wire, service }) => {
    await store(service, numbered(3));
    const { stderr } = await linkctl(['list', '--limit', '2']);
    expect(stderr).toBe('Showing 2 of 3 links.\n');
    expect((await sent(wire)).map(({ call }) => call)).toEqual(['GET /urls?limit=2']);
  });
  const covered = 'Covers only a.example, not b.example and c.example. To include all domains, use --all-domains.\n';

  test('F6, D29: a whole listing says which domain it covered and which it did not, and --all-domains walks them all', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(2), 'a.example');
    await store(service, numbered(3), 'b.example');
    for (const words of [['list'], ['list', '--all'], ['list', '--search', 'h'], ['list', '-o', 'json']]) {
      expect((await linkctl(words)).stderr).toBe(covered);
    }
    expect((await linkctl(['list', '-q'])).stderr).toBe('');
    expect(rowsOf((await linkctl(['list'])).stdout).map((line) => line.split('\t')[0])).toEqual(['h1', 'h0']);
    const stats = await linkctl(['stats']);
    expect(stats).toEqual({ code: 0, stdout: 'h1\t0\t0\nh0\t0\t0\n', stderr: `2 links: 0 clicks\n${covered}` });
    const before = (await wire.requests()).length;
    const all = await linkctl(['list', '--all-domains']);
    expect(all).toMatchObject({ code: 0, stderr: '' });
    expect(rowsOf(all.stdout).map((line) => line.split('\t').slice(0, 2))).toEqual([
      ['a.example/h1', 'h1'],
      ['a.example/h0', 'h0'],
      ['b.example/h2', 'h2'],
      ['b.example/h1', 'h1'],
      ['b.example/h0', 'h0'],
    ]);
    expect((await sent(wire)).slice(before).map(({ call }) => call)).toEqual([
      'GET /domains',
      'GET /urls?domain=a.example&limit=1000',
      'GET /urls?domain=b.example&limit=1000',
      'GET /urls?domain=c.example&limit=1000',
    ]);
    const { page } = JSON.parse((await linkctl(['list', '--all-domains', '-o', 'json'])).stdout);
    expect(page).toEqual({ results_count: 5, total_count: 5, offset: 0 });
    expect(await linkctl(['stats', '--all-domains'])).toMatchObject({
      stdout: 'a.example/h1\t0\t0\na.example/h0\t0\t0\nb.example/h2\t0\t0\nb.example/h1\t0\t0\nb.example/h0\t0\t0\n',
      stderr: '5 links: 0 clicks\n',
    });
    const limited = await linkctl(['list', '--all-domains', '--limit', '3']);
    expect(rowsOf(limited.stdout)).toHaveLength(3);
    expect(limited.stderr).toBe('Showing 3 links; there may be more.\n');
  });

  test('F6: a domain that was named for the call needs no word; a default of the profile or the environment does', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(1), 'b.example');
    expect((await linkctl(['list', '--domain', 'b.example'])).stderr).toBe('');
    expect((await linkctl(['stats', '--domain', 'b.example'])).stderr).toBe('');
    expect((await sent(wire)).map(({ call }) => call)).not.toContain('GET /domains');
    const ran = await linkctl(['list'], { env: { LINKCTL_DOMAIN: 'b.example' } });
    expect(ran.stderr).toBe('Covers only b.example, not a.example and c.example. To include all domains, use --all-domains.\n');
  });

  test('F6: a listing is whole without the list of domains, and says what it could not learn', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(1));
    const refused = { only: { path: '/domains' }, times: 'all' as const, apply: false };
    await wire.script([
      { ...refused, answer: { status: 400, body: { error: { code: 1303, message: 'API call limit reached' } } } },
    ]);
    expect(await linkctl(['list', '--fields', 'hash'])).toEqual({
      code: 0,
      stdout: 'h0\n',
      stderr: 'Covers one domain; the account may have others. To include all domains, use --all-domains.\n',
    });
    await wire.script([{ ...refused, answer: { status: 404, body: { error: { code: 1301, message: '' } } } }]);
    expect(await linkctl(['list', '--fields', 'hash'])).toEqual({ code: 0, stdout: 'h0\n', stderr: '' });
    expect(await linkctl(['list', '--fields', 'hash', '--all-domains'])).toEqual({ code: 0, stdout: 'h0\n', stderr: '' });
  });

  test('F5, H5: rows of several domains are distinguished by short URL, in tables and pipes of list and stats', async ({
    linkctl,
    service,
  }) => {
    for (const domain of ['a.example', 'b.example']) await store(service, numbered(1, { tags: ['p'] }), domain);
    for (const words of [['--by-tags', 'p'], ['--all-domains'], ['b.example/h0', 'h0']]) {
      const table = (await linkctl(['list', ...words], { ...terminal, columns: 200 })).stdout.split('\n');
      expect(table[0]).toMatch(/^SHORT URL +LONG URL/);
      expect(
        table
          .slice(1, 3)
          .map((line) => line.split(' ')[0])
          .sort(),
      ).toEqual(['a.example/h0', 'b.example/h0']);
      const tsv = (await linkctl(['list', ...words])).stdout.trimEnd().split('\n');
      expect(tsv.map((line) => line.split('\t')[0]).sort()).toEqual(['a.example/h0', 'b.example/h0']);
      expect((await linkctl(['list', ...words, '-o', 'csv'])).stdout).toMatch(/^short_url,hash,long_url,/);
      expect((await linkctl(['stats', ...words], terminal)).stdout).toMatch(/^SHORT URL +LONG URL +TOTAL +UNIQUE/);
      expect((await linkctl(['stats', ...words])).stdout).toMatch(/^[ab]\.example\/h0\t0\t0\n[ab]\.example\/h0\t0\t0\n$/);
    }
    expect((await linkctl(['list'], terminal)).stdout).toMatch(/^HASH /);
    expect((await linkctl(['list', '--domain', 'b.example'], terminal)).stdout).toMatch(/^HASH /);
  });

  test('F6: what --all-domains cannot go with is exit 2, before any call', async ({ linkctl, wire }) => {
    for (const words of [
      ['list', 'h0', '--all-domains'],
      ['list', '--all-domains', '--domain', 'a.example'],
      ['list', '--all-domains', '--offset', '3'],
      ['stats', '--hashes-from', '-', '--all-domains'],
      ['stats', '--all-domains', '--domain', 'a.example'],
      ['stats', '--by-tags', 'p', '--reset', '--all-domains'],
    ]) {
      expect([words, await linkctl(words)]).toEqual([words, expect.objectContaining({ code: 2, stdout: '' })]);
    }
    expect(await wire.requests()).toEqual([]);
  });
});

describe('one domain', () => {
  test('F6: an account of one domain gets no note on domains', async ({ linkctl, wire, service }) => {
    await store(service, numbered(1));
    expect((await linkctl(['list'])).stderr).toBe('');
    expect((await linkctl(['list', '--all-domains'])).stdout).toMatch(/^h0\t/);
    expect((await linkctl(['stats', '--all-domains'])).stdout).toBe('h0\t0\t0\n');
    expect((await linkctl(['list', '--by-tags', 'x'])).stderr).toBe('');
    expect((await sent(wire)).map(({ call }) => call).filter((call) => call.startsWith('GET /domains'))).toHaveLength(4);
  });
});

describe('edition B', () => {
  test.override({ edition: 'b' });
  test('F6, B53: --all-domains is refused, and nothing asks for domains', async ({ linkctl, wire, service }) => {
    await store(service, numbered(1, { tags: ['p'] }));
    expect(await linkctl(['list', '--all-domains'])).toMatchObject({
      code: 2,
      stderr: 'error: --all-domains: this server (edition B) has one domain\n',
    });
    expect(await linkctl(['stats', '--all-domains'])).toMatchObject({ code: 2 });
    for (const words of [['list'], ['stats'], ['list', '--by-tags', 'p']]) expect((await linkctl(words)).code).toBe(0);
    expect((await sent(wire)).map(({ call }) => call)).toEqual(new Array(3).fill(expect.stringMatching(/^GET \/urls\?/)));
  });
});
