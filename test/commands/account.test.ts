import { describe, expect } from 'vitest';
import { sent, test } from '../support/linkctl.ts';

const answer = (account: object) => ({
  only: { path: '/account' },
  answer: { body: { error: { code: 0, message: '' }, account } },
});

/** As a deployment sends it that counts other things, and less (FIELD-NOTES 5). */
const odd = {
  user_id: 7,
  counters: { urls: { count: 950, limit: 1000 }, daily_redirects: { limit: 500 }, none: null, free: { count: 3, limit: 0 } },
  links: { urls: 'https://x.example/urls' },
};

const terminal = { terminal: { stdout: true }, env: { NO_COLOR: '1' } };

for (const edition of ['a', 'b'] as const) {
  describe(`edition ${edition}`, () => {
    test.override({ edition });

    test('GET /account: key and value a line in a pipe, members of members by their path', async ({ linkctl, wire }) => {
      const ran = await linkctl(['account']);
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      const lines = ran.stdout.trimEnd().split('\n');
      expect(lines).toContain('username\tann');
      expect(lines).toContain('account_expiration_date\t9999-12-31T23:59:59Z');
      expect(lines).toContain('counters.urls.count\t0');
      expect(lines.includes('custom_domain\tlocalhost')).toBe(edition === 'b');
      expect(await sent(wire)).toEqual([{ call: 'GET /account', body: undefined }]);
    });

    test('B19: -o json has the account as served', async ({ linkctl }) => {
      const { account } = JSON.parse((await linkctl(['account', '--json'])).stdout);
      expect(account).toMatchObject({ username: 'ann', counters: { month_urls: { count: 0 } } });
    });
  });
}

test('2.2: counters that lack a number, or are unheard of, come as they are', async ({ linkctl, wire }) => {
  await wire.script([answer(odd)]);
  expect((await linkctl(['account'])).stdout).toBe(
    [
      'user_id\t7',
      'counters.urls.count\t950',
      'counters.urls.limit\t1000',
      'counters.daily_redirects.limit\t500',
      'counters.none\t',
      'counters.free.count\t3',
      'counters.free.limit\t0',
      'links.urls\thttps://x.example/urls',
      '',
    ].join('\n'),
  );
});

test('R-11, R-35: odd counters are skipped with a note, and what is sound is compared', async ({ linkctl, wire }) => {
  const odd =
    '{"urls":{"count":95,"limit":1e400},"month_urls":{"count":"many","limit":10},"calls":"x","today":{"count":"96","limit":100}}';
  const body = `{"error":{"code":0,"message":""},"account":{"counters":${odd}}}`;
  await wire.script([{ only: { path: '/account' }, times: 3, answer: { body } }]);
  const ran = await linkctl(['account', '--fail-above', '90']);
  expect(ran).toMatchObject({ code: 7, stdout: expect.stringContaining('counters.month_urls.count\tmany\n') });
  expect(ran.stderr).toContain('counter today is at 96 %: 96 of 100');
  for (const name of ['urls', 'month_urls', 'calls'])
    expect(ran.stderr).toContain(`warning: counter ${name} is ignored: it has no sound numbers\n`);
  expect(await linkctl(['account'], terminal)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^today: .* 96 of 100$/m),
  });
  expect((await linkctl(['account', '-o', 'json'])).stdout).toContain('"count":95');
  expect((await sent(wire)).length).toBe(3);
});

test('R-35: a number beyond all numbers is told from a number', async ({ linkctl, wire }) => {
  const body = '{"error":{"code":0,"message":""},"urls":[{"hash":"a","total_clicks":1e400}]}';
  await wire.script([{ only: { path: '/urls' }, times: 'all', answer: { body } }]);
  const ran = await linkctl(['list', '--retries', '0']);
  expect(ran).toMatchObject({
    code: 8,
    stderr: expect.stringContaining('urls[0].total_clicks: expected a number, got Infinity'),
  });
});

test('a terminal shows a gauge for each counter that has a count and a limit', async ({ linkctl, wire }) => {
  await wire.script([answer(odd), answer({ counters: { urls: { count: 51, limit: 1000 } } })]);
  expect((await linkctl(['account'], terminal)).stdout).toBe(
    [
      'user_id:               7',
      'daily_redirects.limit: 500',
      'none:',
      'free.count:            3',
      'free.limit:            0',
      'links.urls:            https://x.example/urls',
      'urls:                  [███████████████████ ]  95 %, 950 of 1,000',
      '',
    ].join('\n'),
  );
  const ascii = await linkctl(['account'], { ...terminal, env: { NO_COLOR: '1', LANG: 'C' } });
  expect(ascii.stdout).toBe('urls: [#                   ]  5.1 %, 51 of 1,000\n');
});

test('B58a: the gauges depend on the width of the terminal, not of a pipe', async ({ linkctl }) => {
  const columns = { COLUMNS: '40' };
  expect((await linkctl(['account', '-o', 'table'], { env: columns })).stdout).toMatch(/ \[\W+\] /);
  expect((await linkctl(['account'], { ...terminal, columns: 40 })).stdout).not.toContain('[');
});

test('D55: a day that never comes is none on a terminal, and stays what it is for programs', async ({ linkctl }) => {
  const fields = ['--fields', 'account_expiration_date,counters.month_urls.count'];
  expect((await linkctl(['account'], terminal)).stdout).toMatch(/^account_expiration_date: +none$/m);
  expect((await linkctl(['account', ...fields])).stdout).toMatch(/^account_expiration_date\t9999-12-31T23:59:59Z$/m);
  expect(JSON.parse((await linkctl(['account', '--json'])).stdout).account.account_expiration_date).toBe('9999-12-31 23:59:59');
});

test('D55: numbers of things have thousands apart on a terminal, names and programs have them not', async ({ linkctl, wire }) => {
  const account = { user_id: 12345, counters: { urls: { count: 1234567, limit: 2000000 }, redirects: { count: 98765 } } };
  await wire.script([answer(account), answer(account)]);
  expect((await linkctl(['account'], terminal)).stdout.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
    'user_id: 12345',
    'redirects.count: 98,765',
    expect.stringContaining('61.7 %, 1,234,567 of 2,000,000'),
    '',
  ]);
  expect((await linkctl(['account'])).stdout).toContain('counters.redirects.count\t98765\n');
});

test('B18: --fields takes the paths and the members, in every format', async ({ linkctl }) => {
  const fields = ['--fields', 'counters.urls.count,username'];
  expect((await linkctl(['account', ...fields])).stdout).toBe('counters.urls.count\t0\nusername\tann\n');
  expect((await linkctl(['account', ...fields, '-o', 'csv'])).stdout).toBe('counters.urls.count,username\n0,ann\n');
  expect((await linkctl(['account', ...fields, '-o', 'json'])).stdout).toBe(
    '{"account":{"counters.urls.count":0,"username":"ann"}}\n',
  );
  expect((await linkctl(['account', '--fields', 'counters.nothing'])).code).toBe(2);
  expect((await linkctl(['account', '--fields', 'usrname'])).stderr).toContain('unknown field "usrname", did you mean username?');
});

test.for([
  [899, ''],
  [900, 'warning: counter urls is at 90 %: 900 of 1,000\n'],
  [1200, 'warning: counter urls is at 120 %: 1,200 of 1,000\n'],
])('CLI 3.5: %i of 1000 URLs warns on stderr: %j', async ([count, warning], { linkctl, wire }) => {
  const step = answer({ counters: { urls: { count, limit: 1000 } } });
  await wire.script([step, step]);
  expect(await linkctl(['account'])).toMatchObject({ code: 0, stderr: warning });
  expect((await linkctl(['account', '-q'])).stderr).toBe('');
});

test.for([
  ['57', 570, 0],
  ['57', 571, 7],
  ['57.5%', 576, 7],
  ['0', 1, 7],
])('--fail-above %s with %i of 1000 is exit %i', async ([bound, count, code], { linkctl, wire }) => {
  await wire.script([answer({ counters: { urls: { count, limit: 1000 }, other: { count: 0, limit: 10 } } })]);
  const ran = await linkctl(['account', '--fail-above', String(bound), '-q']);
  expect(ran.code).toBe(code);
  expect(ran.stdout).toContain('counters.urls.count');
  expect(ran.stderr.startsWith('error: counter urls is at')).toBe(code === 7);
});

test('--fail-above says so where there is nothing to watch', async ({ linkctl, wire }) => {
  await wire.script([answer({ counters: { urls: { count: 3 } } })]);
  expect(await linkctl(['account', '--fail-above', '80'])).toMatchObject({
    code: 0,
    stderr: 'warning: --fail-above: no counter has a count and a limit\n',
  });
});

test.for(['', 'much', '-1', '1e3', '%'])('B11: --fail-above %j is exit 2 without a request', async (bound, { linkctl, wire }) => {
  expect((await linkctl(['account', `--fail-above=${bound}`])).code).toBe(2);
  expect(await wire.requests()).toEqual([]);
});
