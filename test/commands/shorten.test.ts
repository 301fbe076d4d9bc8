import { describe, expect } from 'vitest';
import { runShell } from '../support/built-program.ts';
import { sent, test } from '../support/linkctl.ts';

const url = 'https://nodejs.org/en/learn';

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('POST /urls: one URL is one request, and the short URL alone in a pipe', async ({ linkctl, wire }) => {
    const ran = await linkctl(['shorten', url]);
    expect(ran).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^http:\/\/localhost\/\w+\n$/) });
    expect(await sent(wire)).toEqual([{ call: 'POST /urls', body: { urls: [{ long_url: url }] } }]);
  });

  test('B26: on a terminal it is a sentence', async ({ linkctl }) => {
    const ran = await linkctl(['shorten', url, '--hash', 'abc'], { terminal: { stdout: true, stderr: true } });
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining(`✓\u001b[39m http://localhost/abc → ${url}`) });
  });

  test('B26, D44: -q leaves the short URL on stdout, in a pipe and on a terminal', async ({ linkctl }) => {
    expect(await linkctl(['shorten', url, '--hash', 'abc', '-q'])).toEqual({
      code: 0,
      stdout: 'http://localhost/abc\n',
      stderr: '',
    });
    const shown = await linkctl(['shorten', url, '--hash', 'def', '-q'], {
      terminal: { stdout: true, stderr: true },
      env: { NO_COLOR: '1' },
    });
    expect(shown).toEqual({ code: 0, stdout: `✓ http://localhost/def → ${url}\n`, stderr: '' });
  });

  test('B12: what is given goes out, empty and false included; what is not given does not', async ({ linkctl, wire }) => {
    await linkctl(['shorten', url, '--note', '', '--no-email-stats', '--expires', 'never', '-t', 'a,b', '--tag', 'c']);
    expect((await sent(wire)).at(-1)?.body).toEqual({
      urls: [{ long_url: url, note: '', email_stats: false, expiration_date: null, tags: ['a,b', 'c'] }],
    });
  });

  test.for([
    ['Never', null],
    ['TOMORROW', '2026-02-01'],
  ] as const)(
    'I5: --expires and files take %s like any other word, whatever its case',
    async ([word, day], { linkctl, wire }) => {
      const options = { now: () => Date.parse('2026-01-31T23:59:00Z') };
      const flag = await linkctl(['shorten', url, '--expires', word], options);
      const stdin = `long_url,expiration_date\n${url},${word}\n`;
      const file = await linkctl(['shorten', '-f', '-', '--input-format', 'csv'], { ...options, stdin });
      expect([flag.code, file.code]).toEqual([0, 0]);
      const dates = (await wire.requests()).flatMap(({ body }) => body.match(/(?<="expiration_date":)[^,}]+/g) ?? []);
      expect(dates).toEqual([JSON.stringify(day), JSON.stringify(day)]);
    },
  );

  test('--expires with a day that is over goes out, with a warning', async ({ linkctl }) => {
    const ran = await linkctl(['shorten', url, '--expires', '2020-01-01']);
    expect(ran).toMatchObject({ code: 0, stderr: 'warning: --expires: 2020-01-01 is in the past\n' });
  });

  test('--expires +Nd counts from today in UTC', async ({ linkctl, wire }) => {
    await linkctl(['shorten', url, '--expires', '+30d'], { now: () => Date.parse('2026-01-31T23:59:00Z') });
    expect((await sent(wire)).at(-1)?.body).toEqual({ urls: [{ long_url: url, expiration_date: '2026-03-02' }] });
  });

  test('R 1.2: --generate-hashes gives a URL that was typed a hash of its own, whoever has a link to it already', async ({
    linkctl,
    wire,
  }) => {
    await linkctl(['shorten', url, '--hash', 'theirs']);
    const ran = await linkctl(['shorten', url, url, '--generate-hashes', '--fields', 'hash']);
    const [one, other] = ran.stdout.trim().split('\n');
    expect(ran.stdout).toMatch(/^[2-9a-z]{12}\n[2-9a-z]{12}\n$/);
    expect(one).not.toBe(other);
    expect((await sent(wire)).at(-1)?.body).toEqual({
      urls: [
        { long_url: url, custom_hash: one },
        { long_url: url, custom_hash: other },
      ],
    });
  });

  test('several URLs are one request, in order', async ({ linkctl, wire }) => {
    const urls = ['https://a.example/', 'https://b.example/', 'https://a.example/'];
    const ran = await linkctl(['shorten', ...urls, '-o', 'json']);
    expect(JSON.parse(ran.stdout).urls.map((record: { long_url: string }) => record.long_url)).toEqual(urls);
    expect(await sent(wire)).toHaveLength(1);
  });

  test('B35, 4.3.1: a refused item is exit 3 beside others and its own class alone', async ({ linkctl }) => {
    await linkctl(['shorten', url, '--hash', 'taken']);
    const alone = await linkctl(['shorten', 'https://other.example/', '--hash', 'taken']);
    expect(alone).toMatchObject({
      code: 6,
      stdout: '',
      stderr: expect.stringContaining('"taken" is already in use or not allowed [API 1215]'),
    });
    expect(alone.stderr.match(/error:/g)).toHaveLength(1);
  });

  test('B19: with -o json a failed item is in its place with its error', async ({ linkctl }) => {
    await linkctl(['shorten', url, '--hash', 'taken']);
    const ran = await linkctl(['shorten', 'https://other.example/', '--hash', 'taken', '-o', 'json']);
    expect(JSON.parse(ran.stdout).urls[0]).toMatchObject({ custom_hash: 'taken', error: { code: 1215 } });
    expect(JSON.parse(ran.stderr)).toMatchObject({ error: { code: 6, kind: 'rejected', api_code: 1215 } });
  });

  test('B46: the words of the server follow ours, in text as in JSON', async ({ linkctl }) => {
    const line = ['shorten', url, '--tag', 't'.repeat(400)];
    const { details } = JSON.parse((await linkctl([...line, '-o', 'json'])).stderr).error;
    const [sentence, ...lines] = (await linkctl(line)).stderr.split('\n');
    expect(sentence).toMatch(/^error: .* \[API 1311\]$/);
    expect(lines.slice(0, details.length)).toEqual(details);
    expect(details[0]).toMatch(/^server message: /);
  });

  test('B51: a label of blanks is refused as an empty one is, before anything is sent', async ({ linkctl, wire }) => {
    for (const blank of ['', ' ', '\u00a0']) {
      const ran = await linkctl(['shorten', url, '--tag', 'a', '--tag', blank]);
      expect(ran).toEqual({ code: 2, stdout: '', stderr: 'error: --tag: a label is empty\n' });
    }
    expect(await sent(wire)).toEqual([]);
  });

  test('B40: a refusal stays a refusal where nobody reads the output', async ({ linkctl, env }) => {
    await linkctl(['shorten', url, '--hash', 'taken']);
    const line = '$linkctl shorten https://other.example/ --hash taken -o json';
    const ran = await runShell(`set -o pipefail; ${line} | (exec 0<&-; sleep 0.6)`, env);
    expect(ran).toMatchObject({ code: 6, stderr: expect.stringContaining('"api_code":1215') });
  });

  test('4.3.3: --dedupe account gives the link that is there already', async ({ linkctl, wire }) => {
    const first = await linkctl(['shorten', url]);
    expect((await linkctl(['shorten', url, '--dedupe', 'account'])).stdout).toBe(first.stdout);
    const value = edition === 'a' ? 'account' : '1';
    expect((await sent(wire)).at(-1)?.call).toBe(`POST /urls?disable_long_url_duplicates=${value}`);
  });

  test('B57: --max-affected stops more URLs than it allows before anything is sent', async ({ linkctl, wire }) => {
    const words = ['shorten', 'https://example.com/1', 'https://example.com/2', '--max-affected'];
    for (const more of [[], ['--dry-run'], ['--dedupe', 'account']]) {
      expect(await linkctl([...words, '1', ...more])).toEqual({
        code: 2,
        stdout: '',
        stderr: 'error: 2 links would be affected, more than --max-affected 1; nothing was changed\n',
      });
    }
    expect(await wire.requests()).toEqual([]);
    expect((await linkctl([...words, '2'])).code).toBe(0);
  });

  test('B60: --dry-run shows the request and sends nothing', async ({ linkctl, wire }) => {
    const ran = await linkctl(['shorten', url, '--hash', 'abc', '-n', '-o', 'json']);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      dry_run: true,
      requests: [{ method: 'POST', path: '/urls', body: { urls: [{ long_url: url, custom_hash: 'abc' }] } }],
    });
    expect(await sent(wire)).toEqual([]);
  });

  test('B14: a URL is data, whatever it looks like', async ({ linkctl, wire }) => {
    await linkctl(['shorten', 'https://example.com/@file?x=%2e%2e#file:///etc/passwd']);
    expect(await sent(wire)).toHaveLength(1);
  });
});

describe('edition b', () => {
  test.override({ edition: 'b' });

  test.for([
    [['--max-clicks', '5'], 'max_clicks'],
    [['--dedupe', 'domain'], 'dedupe domain'],
    [['--domain', 's.ex'], '--domain'],
  ] as const)('B53: %s is refused without a request', async ([flags, name], { linkctl, wire }) => {
    const ran = await linkctl(['shorten', url, ...flags]);
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(name) });
    expect(await sent(wire)).toEqual([]);
  });
});
