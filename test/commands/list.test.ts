import { describe, expect } from 'vitest';
import { test } from '../support/linkctl.ts';

const links = Array.from({ length: 7 }, (_, index) => `https://example.com/${index}`);

for (const edition of ['a', 'b'] as const) {
  describe(`edition ${edition}`, () => {
    test.override({ edition });

    test('GET /urls: the listing of a pipe is one record a line, newest first', async ({ linkctl }) => {
      await linkctl(['shorten', 'https://example.com/1', '--hash', 'one', '--tag', 'a,b', '--note', 'tab\there']);
      await linkctl(['shorten', 'https://example.com/2', '--hash', 'two']);
      const ran = await linkctl(['list', '--fields', 'hash,long_url,tags,note']);
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      expect(ran.stdout).toBe('two\thttps://example.com/2\t\t\none\thttps://example.com/1\t"a,b"\ttab\\there\n');
    });

    test('B23: json, jsonl, csv and tsv of three pages hold the same rows', async ({ linkctl }) => {
      await linkctl(['shorten', ...links]);
      const list = async (format: string) =>
        (await linkctl(['list', '--all', '--page-size', '3', '-o', format, '--fields', 'hash,long_url'])).stdout;
      const json = JSON.parse(await list('json')).urls as { hash: string; long_url: string }[];
      expect(json).toHaveLength(links.length);
      const jsonl = (await list('jsonl')).trimEnd().split('\n');
      expect(jsonl.map((line) => JSON.parse(line))).toEqual(json);
      const cells = json.map(({ hash, long_url }) => [hash, long_url]);
      expect(
        (await list('tsv'))
          .trimEnd()
          .split('\n')
          .map((line) => line.split('\t')),
      ).toEqual(cells);
      expect(
        (await list('csv'))
          .trimEnd()
          .split('\n')
          .map((line) => line.split(',')),
      ).toEqual([['hash', 'long_url'], ...cells]);
    });

    test('B28: a listing that is cut says so, without advice if a limit was given, and -q silences it', async ({ linkctl }) => {
      await linkctl(['shorten', ...links]);
      const cut = await linkctl(['list', '--limit', '2']);
      expect(cut.stdout.trimEnd().split('\n')).toHaveLength(2);
      expect(cut.stderr).toBe('Showing 2 of 7 links.\n');
      expect((await linkctl(['list', '--limit', '2', '-q'])).stderr).toBe('');
    });

    test('B81: --offset passes rows over', async ({ linkctl }) => {
      await linkctl(['shorten', ...links]);
      const all = (await linkctl(['list', '--fields', 'hash'])).stdout.split('\n');
      expect((await linkctl(['list', '--offset', '5', '--fields', 'hash'])).stdout.split('\n')).toEqual(all.slice(5));
    });

    test('B22: no rows are still valid output', async ({ linkctl }) => {
      expect(JSON.parse((await linkctl(['list', '-o', 'json'])).stdout)).toEqual({
        urls: [],
        page: { results_count: 0, total_count: 0, offset: 0 },
      });
      expect((await linkctl(['list', '-o', 'tsv'])).stdout).toBe('');
      expect((await linkctl(['list', '-o', 'jsonl'])).stdout).toBe('');
      expect((await linkctl(['list', '-o', 'csv'])).stdout).toMatch(/^hash,short_url,[^\n]*\n$/);
      const watched = await linkctl(['list'], { terminal: { stderr: true } });
      expect(watched.stderr).toBe('no URLs match\n');
    });

    test.for([
      [['list', '--order-by', 'expires'], 'the order "expires" is not valid on this server'],
      [['list', '--by-tags', 'a&'], 'the tag expression a& is not valid on this server'],
      [['stats', '--by-tags', 'a&'], 'the tag expression a& is not valid on this server'],
      [['delete', '--by-tags', 'a&', '--yes', '--max-affected', '5'], 'the tag expression a& is not valid on this server'],
    ] as const)('D49: %j is exit 6, with the value named', async ([argv, words], { linkctl }) => {
      expect(await linkctl(argv)).toMatchObject({ code: 6, stderr: expect.stringContaining(`error: ${words} [API 1305]\n`) });
    });

    test('B44: --fail-empty exits 11', async ({ linkctl }) => {
      expect((await linkctl(['list', '--search', 'nowhere', '--fail-empty'])).code).toBe(11);
    });

    test('B43, B45: a named hash that does not exist is exit 5 alone and 3 beside others, which are listed', async ({
      linkctl,
    }) => {
      await linkctl(['shorten', 'https://example.com/1', '--hash', 'one']);
      expect(await linkctl(['list', 'none'])).toMatchObject({
        code: 5,
        stdout: '',
        stderr: expect.stringContaining('error: no short URL "none" [API 1306]'),
      });
      for (const command of ['list', 'stats', 'check']) {
        const { code, stderr } = await linkctl([command, 'none', '-q', '-o', 'json']);
        expect(code).toBe(5);
        expect(JSON.parse(stderr).error).toMatchObject({ message: 'no short URL "none"', hint: 'linkctl list --search none' });
      }
      const both = await linkctl(['list', 'none', 'one', '--fields', 'hash']);
      expect(both).toMatchObject({ code: 3, stdout: 'one\n' });
      // B23, as help formats says.
      for (const command of ['list', 'stats']) {
        const rows = (await linkctl([command, 'none', 'one', '-o', 'jsonl'])).stdout.trimEnd().split('\n').toSorted();
        expect(rows.map((row) => JSON.parse(row))).toMatchObject([
          { hash: 'none', error: { code: 1306 } },
          { hash: 'one', total_clicks: 0 },
        ]);
        expect((await linkctl([command, 'none', 'one', '-o', 'csv'])).stdout.trimEnd().split('\n')).toHaveLength(2);
      }
    });

    test('B43: a tag expression that matches nothing is exit 0', async ({ linkctl }) => {
      expect(await linkctl(['list', '--by-tags', 'nobody'])).toMatchObject({ code: 0, stdout: '' });
    });

    test('--by-tags and --search select', async ({ linkctl }) => {
      await linkctl(['shorten', 'https://example.com/1', '--hash', 'one', '--tag', 'red', '--tag', 'old']);
      await linkctl(['shorten', 'https://example.com/2', '--hash', 'two', '--tag', 'red']);
      expect((await linkctl(['list', '--by-tags', 'red&~old', '--fields', 'hash'])).stdout).toBe('two\n');
      expect((await linkctl(['list', '--search', 'com/1', '--fields', 'hash'])).stdout).toBe('one\n');
    });

    test('B18: an unknown field is refused with the sorted list of those that exist', async ({ linkctl }) => {
      const ran = await linkctl(['list', '--fields', 'hash,colour']);
      expect(ran).toMatchObject({ code: 2, stdout: '' });
      expect(ran.stderr).toContain('colour');
      expect(ran.stderr).toContain('email_stats');
      expect(ran.stderr).toContain(', writable\n');
    });

    test('B18: a name of the table header, and a blank after a comma, are explained', async ({ linkctl }) => {
      const firstLine = async (...words: string[]) => (await linkctl(['list', ...words])).stderr.split('\n')[0];
      expect(await firstLine('--fields', 'clicks')).toBe('error: --fields: unknown field "clicks", did you mean total_clicks?');
      expect(await firstLine('--fields', 'expires')).toBe(
        'error: --fields: unknown field "expires", did you mean expiration_date?',
      );
      expect(await firstLine('--fields', 'hash,', 'long_url')).toBe(
        'error: --fields: a name is missing: separate names by commas, and quote a list with spaces',
      );
      const { stderr } = await linkctl(['list', '--order-by', 'total_clicks']);
      expect(stderr).toContain('hint: linkctl list --order-by clicks\n');
    });
  });
}

test('4.1.7: --domain lists one domain, and is refused beside --by-tags', async ({ linkctl }) => {
  expect((await linkctl(['list', '--domain', 'nowhere.example'])).code).toBe(5);
  expect(await linkctl(['list', '--by-tags', 'x', '--domain', 'localhost'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('tag selections act on all domains'),
  });
});

describe('edition b', () => {
  test.override({ edition: 'b' });
  test('B53: --domain is refused on edition B without a request', async ({ linkctl, env }) => {
    const ran = await linkctl(['list', '--domain', 's.ex'], { env: { ...env, LINKCTL_BASE_URL: 'http://127.0.0.1:1/api/3' } });
    expect(ran).toMatchObject({ code: 2, stderr: 'error: --domain: this server (edition B) has one domain\n' });
  });
});
