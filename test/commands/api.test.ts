import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults, type Step } from '../support/faulty-steps.ts';
import { sent, test } from '../support/linkctl.ts';

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('any call goes out as typed and its answer is printed as it came', async ({ linkctl, wire }) => {
    const made = await linkctl(['api', 'post', '/tags', '--body', '{"label":"promo"}']);
    expect(JSON.parse(made.stdout)).toMatchObject({ error: { code: 0 }, tags: [{ label: 'promo' }] });
    const listed = await linkctl(['api', 'GET', '/urls', '--query', 'limit=2', '--query', 'search=a b']);
    expect(JSON.parse(listed.stdout).page).toMatchObject({ total_count: 0 });
    expect(await sent(wire)).toEqual([
      { call: 'POST /tags', body: { label: 'promo' } },
      { call: expect.stringMatching(/^GET \/urls\?limit=2&search=a[+ ]b$/), body: undefined },
    ]);
  });

  test('B34: an answer that is an error is printed, and has its exit code', async ({ linkctl }) => {
    const ran = await linkctl(['api', 'DELETE', '/urls/nowhere']);
    expect(JSON.parse(ran.stdout).error.code).toBe(1306);
    expect(ran).toMatchObject({ code: 5, stderr: expect.stringContaining('[API 1306]') });
  });

  test.for([
    ['/urls', [{ long_url: 'bad' }], 6, 'the URL "bad" is not accepted as a destination [API 1206]'],
    ['/urls', [{ long_url: 'bad' }, { long_url: 'worse' }], 6, '2 of 2 items failed'],
    ['/urls', [{ long_url: 'https://x.example/' }, { long_url: 'bad' }], 3, '1 of 2 items failed'],
    ['/urls/none', [{ note: 'x' }], 5, 'no short URL "none" [API 1306]'],
    ['/urls?hashes=none', [{ note: 'x' }], 5, 'no short URL "none" [API 1306]'],
  ] as const)(
    'B35, 4.3.1: items that failed have an exit code, and the answer is printed as it came: %s %j',
    async (call, { linkctl }) => {
      const [path, urls, code, words] = call;
      const method = path === '/urls' ? 'POST' : 'PATCH';
      const ran = await linkctl(['api', method, path, '--body', JSON.stringify({ urls })]);
      expect(JSON.parse(ran.stdout)).toMatchObject({ error: { code: 0 }, urls: urls.map(() => ({ error: {} })) });
      expect(ran).toMatchObject({ code, stderr: expect.stringMatching(/^error: /) });
      expect(ran.stderr).toContain(`error: ${words}\n`);
    },
  );

  test('B35, F36: an item without a valid error of its own has not failed', async ({ linkctl, wire }) => {
    const urls = [{ hash: 'a' }, null, 7, { error: null }, { error: 'no' }, { error: { code: 0, message: '' } }];
    await wire.script([{ answer: { body: { error: { code: 0, message: '' }, urls } } }]);
    expect(await linkctl(['api', 'POST', '/urls', '--body', '{}'])).toMatchObject({ code: 0, stderr: '' });
  });

  test.for([
    ['F20: a page where an answer should be', 'GET', faults.htmlBefore, 8],
    ['F14: a redirect', 'GET', faults.redirect('http://127.0.0.1:9/'), 8],
    ['F25: 401', 'GET', { answer: { status: 401 } }, 4],
    ['F29: 429', 'GET', faults.tooMany(), 7],
    ['F20: a page in answer to a change', 'POST', faults.htmlBefore, 10],
    ['4.2: nothing in answer to DELETE', 'DELETE', { answer: { body: '' } }, 0],
  ] as const)('%s has the exit code that it has everywhere', async ([_what, method, step, code], { linkctl, wire }) => {
    await wire.script([step]);
    const { answer } = step as Step;
    const stdout = answer?.body ? `${answer.body}\n` : '';
    expect(await linkctl(['api', method, '/tags/x'])).toMatchObject({ code, stdout });
  });

  test('B39: the body may be a file or stdin', async ({ linkctl, wire, folder }) => {
    const path = join(folder, 'body.json');
    writeFileSync(path, '{"label":"one"}');
    await linkctl(['api', 'POST', '/tags', '--body', `@${path}`]);
    await linkctl(['api', 'POST', '/tags', '--body', '-'], { stdin: '{"label":"two"}' });
    expect((await sent(wire)).map(({ body }) => body)).toEqual([{ label: 'one' }, { label: 'two' }]);
  });

  test('C19: a file of the body that is missing is a usage error, as any input file', async ({ linkctl, wire }) => {
    const [body, list] = [
      await linkctl(['api', 'POST', '/tags', '--body', '@no/x.json']),
      await linkctl(['shorten', '-f', 'no/x.json']),
    ];
    expect(body).toEqual({ code: 2, stdout: '', stderr: 'error: cannot read no/x.json: no such file or folder\n' });
    expect(list).toEqual(body);
    expect(await sent(wire)).toEqual([]);
  });

  test('B60: --dry-run sends nothing that changes anything', async ({ linkctl, wire }) => {
    const ran = await linkctl(['api', 'DELETE', '/tags/promo', '-n', '--json']);
    expect(JSON.parse(ran.stdout)).toMatchObject({ dry_run: true, requests: [{ method: 'DELETE', path: '/tags/promo' }] });
    expect(await sent(wire)).toEqual([]);
  });

  test('F41: a body that nests too deeply for JSON is shown as it was typed', async ({ linkctl, folder }) => {
    const path = join(folder, 'deep.json');
    const text = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    writeFileSync(path, text);
    const { code, stdout } = await linkctl(['api', 'POST', '/tags', '--body', `@${path}`, '-n', '-o', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).requests[0].body).toBe(text);
  });

  test('B60, D48: the body of a dry run is JSON in JSON, and text where it is none', async ({ linkctl }) => {
    const body = async (text: string): Promise<unknown> => {
      const { stdout } = await linkctl(['api', 'POST', '/tags', '--body', text, '-n', '-o', 'json']);
      return JSON.parse(stdout).requests[0].body;
    };
    expect(await body('{"label": "promo"}')).toEqual({ label: 'promo' });
    expect(await body('label=promo')).toBe('label=promo');
  });

  test.for([
    ['--query order_by=expires', 'the order "expires" is not valid on this server'],
    ['--query tags=a&', 'the tag expression a& is not valid on this server'],
  ])('D49: %s has the exit code of a refused value', async ([flags = '', words], { linkctl }) => {
    const ran = await linkctl(['api', 'GET', '/urls', ...flags.split(' ')]);
    expect(ran).toMatchObject({ code: 6, stderr: expect.stringContaining(`error: ${words} [API 1305]`) });
  });

  test.for([
    [['api', 'BREW', '/urls'], 'method: expected one of'],
    [['api', 'GET', 'urls'], 'path: expected to start with /'],
    [['api', 'GET', '/urls', '--query', 'limit'], '--query: expected name=value'],
    [['api', 'GET', '/urls/..'], '..'],
  ] as const)('%s is refused without a request', async ([argv, words], { linkctl, wire }) => {
    expect(await linkctl(argv)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(words) });
    expect(await sent(wire)).toEqual([]);
  });
});
