import { describe, expect } from 'vitest';
import { sent, test } from '../support/linkctl.ts';
import { numbered, store } from '../support/stored-links.ts';

const shorten = (hash: string, ...flags: string[]) => ['shorten', `https://example.com/${hash}`, '--hash', hash, ...flags];

/** One visit of a short URL. */
async function visit(origin: string, path: string, host?: string): Promise<void> {
  await fetch(`${origin}/${path}`, { redirect: 'manual', headers: { 'user-agent': host ?? 'one' } });
}

const terminal = { terminal: { stdout: true }, env: { NO_COLOR: '1' } };

for (const edition of ['a', 'b'] as const) {
  describe(`edition ${edition}`, () => {
    test.override({ edition });

    test('GET /stats/[hash]: one hash', async ({ linkctl, wire, service }) => {
      await linkctl(shorten('one'));
      await visit(service.origin, 'one');
      await visit(service.origin, 'one');
      await visit(service.origin, 'one', 'two');
      expect(await linkctl(['stats', 'one'])).toEqual({ code: 0, stdout: 'one\t3\t2\n', stderr: '' });
      expect((await sent(wire)).at(-1)).toEqual({ call: 'GET /stats/one', body: undefined });
    });

    test('D55: people see thousands apart, programs digits alone', async ({ linkctl, wire }) => {
      const record = (hash: string, total_clicks: number) => ({
        hash,
        short_url: `s.ex/${hash}`,
        long_url: 'https://a.example/',
        total_clicks,
        unique_clicks: 1000,
        expiration_date: '9999-12-31',
      });
      const urls = [record('one', 1234567), record('two', 999)];
      const body = { error: { code: 0, message: '' }, urls, page: { results_count: 2, total_count: 2, offset: 0 } };
      await wire.script([{ times: 'all', answer: { body } }]);
      const table = await linkctl(['stats', 'one', 'two'], terminal);
      expect(table.stdout).toMatch(/^s\.ex\/one .* 1,234,567 +1,000 /m);
      expect(table.stderr).toBe('2 links: 1,235,566 clicks\n');
      expect((await linkctl(['stats', 'one', 'two'])).stdout).toBe('one\t1234567\t1000\ntwo\t999\t1000\n');
      const listing = await linkctl(['list', 'one'], terminal);
      expect(listing.stdout).toMatch(/^one .* 1,234,567 +1,000 *$/m);
      expect((await linkctl(['list', 'one', '--fields', 'total_clicks,expiration_date'])).stdout).toBe('1234567\t9999-12-31\n');
    });

    test('GET /urls?hashes=: several hashes in one call (B84)', async ({ linkctl, wire, service }) => {
      await linkctl(shorten('one'));
      await linkctl(shorten('two'));
      await visit(service.origin, 'two');
      expect(await linkctl(['stats', 'two', 'one'])).toEqual({
        code: 0,
        stdout: 'two\t1\t1\none\t0\t0\n',
        stderr: '2 links: 1 click\n',
      });
      expect((await sent(wire)).slice(4)).toEqual([{ call: 'GET /urls?hashes=two,one&limit=2', body: undefined }]);
    });

    test('GET /urls?tags=: by tags, all pages', async ({ linkctl, wire }) => {
      await linkctl(shorten('one', '--tag', 'red'));
      await linkctl(shorten('two', '--tag', 'red'));
      await linkctl(shorten('three'));
      const ran = await linkctl(['stats', '--by-tags', 'red']);
      expect(ran).toMatchObject({ code: 0, stdout: 'two\t0\t0\none\t0\t0\n' });
      const limit = edition === 'a' ? 1000 : 500;
      expect((await sent(wire)).at(-1)?.call).toBe(`GET /urls?tags=red&limit=${limit}`);
    });

    test('the whole account without a selection, on three pages', async ({ linkctl, wire, service }) => {
      const bound = edition === 'a' ? 1000 : 500;
      const urls = Array.from({ length: 2 * bound + 1 }, (_, index) => ({
        long_url: `https://e.x/${index}`,
        custom_hash: `h${index}`,
      }));
      for (let start = 0; start < urls.length; start += bound) {
        await linkctl(['api', 'POST', '/urls', '--body', JSON.stringify({ urls: urls.slice(start, start + bound) })]);
      }
      await visit(service.origin, 'h0');
      const before = (await wire.requests()).length;
      const ran = await linkctl(['stats']);
      const lines = ran.stdout.trimEnd().split('\n');
      expect(lines).toHaveLength(urls.length);
      expect(lines[0]).toBe('h0\t1\t1');
      const calls = (await sent(wire)).slice(before).map(({ call }) => call);
      expect(calls.filter((call) => call.startsWith('GET /urls'))).toHaveLength(3);
      const top = await linkctl(['stats', '--top', '1']);
      expect(top).toMatchObject({
        stdout: 'h0\t1\t1\n',
        stderr: `${bound === 1000 ? '2,001' : '1,001'} links: 1 click\n`,
      });
    });

    test('B43: a hash that does not exist is exit 5 alone, 3 beside others, and 0 with --ignore-missing', async ({ linkctl }) => {
      await linkctl(shorten('one'));
      expect(await linkctl(['stats', 'none'])).toEqual({
        code: 5,
        stdout: '',
        stderr: 'error: no short URL "none" [API 1306]\nhint: linkctl list --search none\n',
      });
      expect(await linkctl(['stats', 'none', 'one'])).toMatchObject({ code: 3, stdout: 'one\t0\t0\n' });
      expect(await linkctl(['stats', 'none', 'one', '--top', '1'])).toMatchObject({
        code: 3,
        stdout: 'one\t0\t0\n',
        stderr: expect.stringContaining('no short URL "none"'),
      });
      for (const words of [['none'], ['none', 'one']]) {
        expect(await linkctl(['stats', ...words, '--ignore-missing'])).toMatchObject({ code: 0, stderr: '' });
      }
    });

    test('--hashes-from reads the hashes of a file or of stdin', async ({ linkctl }) => {
      await linkctl(shorten('one'));
      await linkctl(shorten('two'));
      const ran = await linkctl(['stats', '--hashes-from', '-'], { stdin: 'one\n# no\n\nlocalhost/two\n' });
      expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('two\t0\t0') });
    });
  });
}

test('FIELD-NOTES 10: a server that answers 1306, or with other hashes, has no such hash', async ({ linkctl, wire }) => {
  const error = { code: 0, message: '' };
  await wire.script([
    { answer: { status: 404, body: { error: { code: 1306, message: 'URL not found in DB' } } } },
    { answer: { body: { error, stats: [{ hash: 'other', total_clicks: 9, unique_clicks: 9 }] } } },
  ]);
  expect((await linkctl(['stats', 'one'])).code).toBe(5);
  expect((await linkctl(['stats', 'one'])).code).toBe(5);
});

test('H5: a table has short URL, destination, counters and a bar, the most clicks first', async ({ linkctl, service }) => {
  for (const hash of ['one', 'two', 'none']) await linkctl(shorten(hash));
  for (let clicks = 0; clicks < 40; clicks += 1) await visit(service.origin, 'two');
  for (let clicks = 0; clicks < 5; clicks += 1) await visit(service.origin, 'one');
  const head = 'SHORT URL       LONG URL                  TOTAL  UNIQUE';
  const lines = {
    two: `localhost/two   https://example.com/two      40       1  ${'█'.repeat(10)}`,
    one: 'localhost/one   https://example.com/one       5       1  █▎',
    none: 'localhost/none  https://example.com/none      0       0',
  };
  const table = [head, lines.two, lines.one, lines.none, ''].join('\n');
  expect((await linkctl(['stats'], terminal)).stdout).toBe(table);
  expect((await linkctl(['stats', 'none', 'one', 'two'], terminal)).stdout).toBe(table);
  expect((await linkctl(['stats', 'none'], terminal)).stdout).toBe(
    ['SHORT URL       LONG URL                  TOTAL  UNIQUE', lines.none, ''].join('\n'),
  );
  expect((await linkctl(['stats', '--top', '2', '--fields', 'hash'], terminal)).stdout).toBe('HASH\ntwo\none\n');
  const ascii = await linkctl(['stats', '--top', '2'], { ...terminal, env: { NO_COLOR: '1', LANG: 'C' } });
  expect(ascii.stdout).toMatch(/40 +1 {2}#{10}\n.* 5 +1 {2}#\n$/);
});

for (const edition of ['a', 'b'] as const) {
  describe(`edition ${edition}`, () => {
    test.override({ edition });

    test('H5: stats takes every field of list, in one call, and a pipe has hash and counters', async ({ linkctl, wire }) => {
      await linkctl(shorten('one', '--note', 'n', '--tag', 't'));
      const wanted = ['stats', '--fields', 'note,tags,long_url,total_clicks'];
      for (const words of [wanted, [...wanted, 'one'], [...wanted, '--by-tags', 't']]) {
        expect((await linkctl(words)).stdout).toBe('n\tt\thttps://example.com/one\t0\n');
      }
      const before = (await wire.requests()).length;
      expect((await linkctl(['stats', 'one', '--fields', 'hash,note'])).stdout).toBe('one\tn\n');
      expect((await linkctl(['stats', 'one', '--fields', 'unique_clicks'])).stdout).toBe('0\n');
      expect((await linkctl(['stats', 'one'])).stdout).toBe('one\t0\t0\n');
      expect((await sent(wire)).slice(before).map(({ call }) => call)).toEqual([
        'GET /urls?hashes=one&limit=1',
        'GET /stats/one',
        'GET /stats/one',
      ]);
    });

    test('H3: --chart draws bars, also in a pipe, the most clicks first', async ({ linkctl, service }) => {
      for (const hash of ['one', 'two', 'none']) await linkctl(shorten(hash));
      for (let clicks = 0; clicks < 4; clicks += 1) await visit(service.origin, 'two');
      await visit(service.origin, 'one');
      const ran = await linkctl(['stats', '--chart']);
      const bars = [`localhost/two   4  ${'█'.repeat(60)}`, `localhost/one   1  ${'█'.repeat(15)}`, 'localhost/none  0', ''];
      expect(ran).toEqual({ code: 0, stdout: bars.join('\n'), stderr: '3 links: 5 clicks\n' });
      const coloured = await linkctl(['stats', '--chart', '--top', '1'], { terminal: { stdout: true } });
      expect(coloured.stdout).toBe(`localhost/two  4  \u001b[36m${'█'.repeat(60)}\u001b[39m\n`);
      expect(coloured.stderr).toBe('Showing 1 of 3 links.\n3 links: 5 clicks\n');
      const named = await linkctl(['stats', '--chart', 'one', 'lost'], { env: { LANG: 'C' } });
      expect(named).toMatchObject({ code: 3, stdout: `localhost/one  1  ${'#'.repeat(60)}\n` });
      expect(named.stderr).toContain('no short URL "lost"');
    });
  });
}

test('H3, B58a: a chart that is cut names --top only where it was not given', async ({ linkctl, service }) => {
  await store(service, numbered(21));
  const noteOf = async (...words: string[]) => (await linkctl(['stats', '--chart', ...words])).stderr.split('\n')[0];
  expect(await noteOf()).toBe('Showing 20 of 21 links. Use --top <n>.');
  expect(await noteOf('--top', '2')).toBe('Showing 2 of 21 links.');
});

test('H3: --chart beside another format, --fields or --reset is exit 2, and nothing is sent', async ({ linkctl, wire }) => {
  for (const words of [['-o', 'csv'], ['--json'], ['--fields', 'hash'], ['--reset', 'one']]) {
    expect((await linkctl(['stats', '--chart', ...words])).code).toBe(2);
  }
  expect(await wire.requests()).toEqual([]);
});

test('B18: the bar is a picture and no field', async ({ linkctl }) => {
  expect((await linkctl(['stats', '--fields', 'hash,share'])).code).toBe(2);
});

test('-o json: stats with the short URL where a listing had it, and what they add up to', async ({ linkctl, service }) => {
  await linkctl(shorten('one'));
  await visit(service.origin, 'one');
  expect(JSON.parse((await linkctl(['stats', '-o', 'json'])).stdout)).toEqual({
    stats: [{ hash: 'one', short_url: 'localhost/one', long_url: 'https://example.com/one', total_clicks: 1, unique_clicks: 1 }],
    summary: { urls: 1, total_clicks: 1 },
  });
  expect(JSON.parse((await linkctl(['stats', 'none', '-o', 'json'])).stdout)).toMatchObject({
    stats: [{ hash: 'none', error: { code: 1306 } }],
    summary: { urls: 0 },
  });
});

test('CLI 3.5: --by-tags with --domain is exit 2, an empty expression too, and nothing is sent', async ({ linkctl, wire }) => {
  for (const flags of [
    ['--by-tags', 'a', '--domain', 's.ex'],
    ['--by-tags', ' '],
    ['--by-tags', 'a', 'one'],
    ['--top', '0'],
  ]) {
    expect((await linkctl(['stats', ...flags])).code).toBe(2);
  }
  expect(await wire.requests()).toEqual([]);
});

describe('several domains', () => {
  test.override({ domains: [{ name: 's.ex' }, { name: 't.ex' }] });

  test('4.1.7, F6: --all-domains is the whole account, and namesakes are two', async ({ linkctl, wire }) => {
    await linkctl(shorten('one'));
    await linkctl(shorten('one', '--domain', 't.ex'));
    const ran = await linkctl(['stats', '--all-domains', '--fields', 'short_url']);
    expect(ran).toMatchObject({ code: 0, stdout: 's.ex/one\nt.ex/one\n' });
    expect((await sent(wire)).slice(4).map(({ call }) => call)).toEqual([
      'GET /domains',
      'GET /urls?domain=s.ex&limit=1000',
      'GET /urls?domain=t.ex&limit=1000',
    ]);
    const one = await linkctl(['stats', '--domain', 't.ex', '--fields', 'short_url']);
    expect(one.stdout).toBe('t.ex/one\n');
  });

  test('CLI 3.5: a short URL brings its domain along', async ({ linkctl, wire }) => {
    await linkctl(shorten('one', '--domain', 't.ex'));
    expect(await linkctl(['stats', 'https://t.ex/one'])).toMatchObject({ code: 0, stdout: 'one\t0\t0\n' });
    expect((await sent(wire)).at(-1)?.call).toBe('GET /stats/one?domain=t.ex');
    expect((await linkctl(['stats', 's.ex/one'])).code).toBe(5);
  });

  test('a server that has no list of domains has one', async ({ linkctl, wire }) => {
    await linkctl(shorten('one'));
    await wire.script([{ only: { path: '/domains' }, answer: { status: 404, body: { error: { code: 1301, message: '' } } } }]);
    expect(await linkctl(['stats'])).toMatchObject({ code: 0, stdout: 'one\t0\t0\n' });
  });
});
