import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults, type Step } from '../support/faulty-steps.ts';
import { apiKey, runnerIn, sent, test } from '../support/linkctl.ts';
import { store, stored } from '../support/stored-links.ts';

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

  test('B51, I14: a body with a byte that is not UTF-8 is exit 2 with its place, and nothing is sent', async ({
    linkctl,
    wire,
    folder,
  }) => {
    const path = join(folder, 'body.json');
    const bytes = Buffer.from('{\n"label":"caf\xe9"}', 'latin1');
    writeFileSync(path, bytes);
    const refused = (name: string) => ({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(
        `error: ${name}:2: file is not UTF-8: invalid byte e9 at offset 14\nhint: save it as UTF-8`,
      ),
    });
    for (const more of [[], ['-n']]) {
      expect(await linkctl(['api', 'POST', '/tags', '--body', `@${path}`, ...more])).toMatchObject(refused(path));
      expect(await linkctl(['api', 'POST', '/tags', '--body', '-', ...more], { stdin: bytes })).toMatchObject(refused('stdin'));
    }
    expect(await sent(wire)).toEqual([]);
  });

  test('B39: a body is sent as it is, whatever text it is', async ({ linkctl, folder }) => {
    const path = join(folder, 'body.xml');
    const text = '\ufeff<?xml version="1.0"?>\r\n<a/>\x1a\n';
    writeFileSync(path, text);
    for (const body of [`@${path}`, '-']) {
      const { stdout } = await linkctl(['api', 'POST', '/tags', '--body', body, '-n', '-o', 'json'], { stdin: text });
      expect(JSON.parse(stdout).requests[0].body).toBe(text);
    }
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

describe('two domains, and the same hash on both', () => {
  test.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }] });
  const body = (...urls: object[]): string[] => ['--body', JSON.stringify({ urls })];

  test.for([
    ['DELETE', '/urls/promo'],
    ['DELETE', '/urls?hashes=promo'],
    ['PATCH', '/urls/promo/', ...body({ note: 'x' })],
    ['PATCH', '/urls', ...body({ hash: 'promo', note: 'x' })],
    ['POST', '/urls', ...body({ long_url: 'https://new.example/' })],
    ['DELETE', '/stats/promo'],
    ['GET', '/stats/promo'],
    ['GET', '/urls'],
    ['POST', '/nosuch'],
    ['DELETE', '/urls/promo?tags=x'],
    ['POST', '/urls?tags=x', ...body({ long_url: 'https://new.example/' })],
  ] as const)(
    'B57, 4.1.7: %s %s acts on the working domain, from whatever source',
    async (words, { linkctl, env, homeEnv, service, wire }) => {
      for (const name of ['a', 'b'])
        await store(service, [{ custom_hash: 'promo', long_url: `https://x.example/${name}` }], `${name}.example`);
      const call = `${words[0]} ${words[1]}`;
      const added = `${call}${call.includes('?') ? '&' : '?'}domain=b.example`;
      await linkctl(['api', ...words, '--domain', 'B.example']);
      await runnerIn({ ...env, LINKCTL_DOMAIN: 'b.example' })(['api', ...words]);
      await linkctl(['api', ...words, '--query', 'domain=b.example', '--domain', 'b.example']);
      const stays = runnerIn(homeEnv);
      const login = ['auth', 'login', '--profile', 'work', '--base-url', wire.baseUrl, '--username', 'ann', '--with-key'];
      expect((await stays(login, { stdin: apiKey })).code).toBe(0);
      expect((await stays(['config', 'set', 'domain', 'b.example'])).code).toBe(0);
      await stays(['api', ...words]);
      const calls = (await sent(wire)).map((one) => one.call);
      expect(calls.filter((one) => one === added)).toHaveLength(4);
      expect(await stored(service, 'a.example')).toMatchObject([{ hash: 'promo', note: '' }]);
    },
  );

  test('B57: a dry run shows the domain', async ({ linkctl }) => {
    const ran = await linkctl(['api', 'DELETE', '/urls/promo', '--domain', 'b.example', '-n', '-o', 'json']);
    expect(JSON.parse(ran.stdout).requests).toEqual([
      { method: 'DELETE', path: '/urls/promo', query: { domain: 'b.example' }, body: null },
    ]);
  });

  test.for([
    [['DELETE', '/tags/x', '--domain', 'b.example'], '--domain does not apply to DELETE /tags/x'],
    [['GET', '/account', '--domain', 'b.example'], '--domain does not apply to GET /account'],
    [['DELETE', '/urls', '--query', 'tags=x', '--domain', 'b.example'], '--domain does not apply to tags: tag selections act'],
    [['DELETE', '/urls/promo?domain=a.example', '--domain', 'b.example'], '--domain b.example or domain=a.example'],
    [['DELETE', '/urls/promo', '--query', 'domain=a.example', '--domain', 'b.example'], '--domain b.example or domain=a.example'],
    [['DELETE', '/urls', '--query', 'tags=x', '--max-affected', '1'], '--max-affected does not apply to DELETE /urls: the call'],
    [['DELETE', '/tags/x', '--max-affected', '9'], '--max-affected does not apply to DELETE /tags/x: the call'],
    [['POST', '/nosuch', ...body({}), '--max-affected', '9'], '--max-affected does not apply to POST /nosuch: the call'],
    [['POST', '/urls', '--body', 'no JSON', '--max-affected', '9'], '--max-affected does not apply to POST /urls: the call'],
    [['DELETE', '/urls/promo', '--max-affected', '0'], '1 link would be affected, more than --max-affected 0'],
    [['DELETE', '/urls?hashes=a,b', '--max-affected', '1'], '2 links would be affected, more than --max-affected 1'],
    [
      ['POST', '/urls?hashes=a', ...body({}, {}, {}), '--max-affected', '2'],
      '3 links would be affected, more than --max-affected 2',
    ],
    [['PATCH', '/urls', ...body({ hash: 'a' }, { hash: 'b' }), '--max-affected', '1'], '2 links would be affected'],
  ] as const)('B57: %j is exit 2, and nothing is sent', async ([words, reason], { linkctl, wire }) => {
    for (const more of [[], ['--dry-run']]) {
      const refused = { code: 2, stdout: '', stderr: expect.stringContaining(reason) };
      expect(await linkctl(['api', ...words, ...more])).toMatchObject(refused);
    }
    expect(await sent(wire)).toEqual([]);
  });

  test('4.1.7: a domain that nobody typed yields to the parameter, and is not sent where it does not apply', async ({
    env,
    wire,
  }) => {
    const linkctl = runnerIn({ ...env, LINKCTL_DOMAIN: 'b.example' });
    const calls = ['/account', '/urls?tags=x', '/urls/promo?domain=a.example'];
    const said: string[] = [];
    for (const path of calls) said.push((await linkctl(['api', 'GET', path])).stderr);
    expect((await sent(wire)).map(({ call }) => call)).toEqual(calls.map((path) => `GET ${path}`));
    expect(said[1]).toBe('warning: tag selections act on all domains, not only on b.example\n');
  });

  test('U5: the record of a call has the domain that was sent', async ({ linkctl, service }) => {
    await store(service, [{ custom_hash: 'promo', long_url: 'https://x.example/' }], 'b.example');
    expect((await linkctl(['api', 'DELETE', '/urls/promo', '--domain', 'b.example'])).code).toBe(0);
    expect((await linkctl(['runs'])).stdout).toContain('api DELETE /urls/promo --domain b.example');
  });

  test('B57: a call that affects no more links than --max-affected is sent', async ({ linkctl, service }) => {
    await store(service, [{ custom_hash: 'promo', long_url: 'https://x.example/' }]);
    expect(await linkctl(['api', 'DELETE', '/urls/promo', '--max-affected', '1'])).toMatchObject({ code: 0 });
    expect(await stored(service)).toEqual([]);
  });
});

describe('edition b', () => {
  test.override({ edition: 'b' });
  test('B53: on edition B a domain is refused, and none is sent', async ({ linkctl, wire }) => {
    expect(await linkctl(['api', 'GET', '/urls', '--domain', 'b.example'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--domain: this server (edition B) has one domain'),
    });
    await linkctl(['api', 'GET', '/urls']);
    expect((await sent(wire)).map(({ call }) => call)).toEqual(['GET /urls']);
  });
});
