import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { apiKey, test as base, type Linkctl, runnerIn, sent, username } from '../support/linkctl.ts';

/** `linkctl` in a home that knows of no credentials. */
const test = base.extend<{
  home: Linkctl;
  login: readonly string[];
  config: string;
}>({
  home: async ({ homeEnv }, use) => {
    await use(runnerIn(homeEnv));
  },
  login: async ({ wire }, use) => {
    await use(['auth', 'login', '--profile', 'work', '--base-url', wire.baseUrl, '--username', username, '--with-key']);
  },
  config: async ({ folder }, use) => {
    await use(join(folder, '.config', 'linkctl', 'config.json'));
  },
});

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('B65: auth login asks the server, finds the edition, and stores the profile for its owner alone', async ({
    home,
    login,
    config,
    wire,
  }) => {
    const ran = await home(login, { stdin: `${apiKey}\n` });
    const account = `${username} (${edition === 'a' ? 'edition A (several domains)' : 'edition B (one domain)'}, plan `;
    expect(ran).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining(`Logged in to ${wire.baseUrl} as ${account}`),
    });
    expect((await sent(wire)).map(({ call }) => call)).toEqual(['GET /account', 'GET /domains']);
    expect(statSync(config).mode & 0o777).toBe(0o600);
    expect(statSync(join(config, '..')).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(config, 'utf8'))).toMatchObject({
      current_profile: 'work',
      profiles: { work: { base_url: wire.baseUrl, username, edition, api_key: apiKey } },
    });
    expect(await home([...login, '-q'], { stdin: apiKey })).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await home(['shorten', 'https://nodejs.org/'])).code).toBe(0);
  });
});

describe('D47: auth login finds the API before it asks for a key', () => {
  test('a bare host: the roots that deployments have are tried, without credentials', async ({ home, login, config, wire }) => {
    const { host } = new URL(wire.baseUrl);
    await wire.script([{ answer: { status: 404, body: '<html>no such page</html>' } }]);
    expect(await home(login.with(5, host), { stdin: apiKey })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`Logged in to ${wire.baseUrl} as `),
    });
    const asked = await wire.requests();
    expect(asked.map(({ url, headers }) => [url, headers.authorization !== undefined])).toEqual([
      ['/tiny/api/3/account', false],
      ['/api/3/account', false],
      ['/api/3/account', true],
      ['/api/3/domains', true],
    ]);
    expect(JSON.parse(readFileSync(config, 'utf8')).profiles.work.base_url).toBe(`http://${host}/api/3`);
  });

  test('an origin without a path is a bare host, too', async ({ home, login, config, wire }) => {
    const { origin } = new URL(wire.baseUrl);
    expect((await home(login.with(5, `${origin}/`), { stdin: apiKey })).code).toBe(0);
    expect(JSON.parse(readFileSync(config, 'utf8')).profiles.work.base_url).toBe(`${origin}/tiny/api/3`);
  });

  test('the root /tiny/api/3 comes first', async ({ home, login, config }) => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      const isThere = request.url?.startsWith('/tiny/api/3/');
      const code = request.headers.authorization ? 0 : 1300;
      response.writeHead(isThere ? (code === 0 ? 200 : 400) : 404);
      response.end(isThere ? JSON.stringify({ error: { code, message: '' }, account: {}, domains: [] }) : '<html>');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      expect(await home(login.with(5, host), { stdin: apiKey })).toMatchObject({ code: 0 });
    } finally {
      server.close();
    }
    expect(asked).toEqual(['/tiny/api/3/account', '/tiny/api/3/account', '/tiny/api/3/domains']);
    expect(JSON.parse(readFileSync(config, 'utf8')).profiles.work.base_url).toBe(`http://${host}/tiny/api/3`);
  });

  test('off a terminal no API is exit 9, and every address that was tried is named', async ({ home, login, config, wire }) => {
    await wire.script([{ times: 'all', answer: { status: 404, body: '<html>no such page</html>' } }]);
    const { host } = new URL(wire.baseUrl);
    const ran = await home(login.with(5, host), { stdin: apiKey });
    expect(ran).toMatchObject({ code: 9, stdout: '' });
    expect(ran.stderr).toContain(`error: no API at http://${host}/tiny/api/3 or http://${host}/api/3\n`);
    expect(existsSync(config)).toBe(false);
    expect((await wire.requests()).every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });
});

test('B65: a key that the server rejects leaves the configuration as it was', async ({ home, login, config }) => {
  await home(login, { stdin: apiKey });
  const before = readFileSync(config);
  const ran = await home(login, { stdin: 'wrong-key' });
  expect(ran).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('[API 1300]') });
  expect(readFileSync(config)).toEqual(before);
  expect(ran.stderr).not.toContain('wrong-key');
  expect(ran.stderr).toContain('the server rejected the API key from stdin [API 1300]');
  expect(ran.stderr).toContain('profile "work" was not changed');
});

test('B45: a hint of a login that failed repeats the account of its flags, not the profile that is not stored', async ({
  home,
  login,
  wire,
}) => {
  const ran = await home([...login, '--domain', 'nope.ex'], { stdin: apiKey });
  const account = `--base-url ${wire.baseUrl} --username ${username}`;
  expect(ran).toMatchObject({ code: 5, stderr: expect.stringContaining(`\nhint: linkctl ${account} domains\n`) });
});

test('CLI 3.1: an edition that the server is not of is refused', async ({ home, login, config }) => {
  const ran = await home([...login, '--edition', 'b'], { stdin: apiKey });
  expect(ran).toMatchObject({ code: 9, stderr: expect.stringContaining('this server is edition A') });
  expect(existsSync(config)).toBe(false);
});

test('a second profile is stored beside the current one, and says how to switch', async ({ home, login }) => {
  await home(login, { stdin: apiKey });
  const ran = await home(login.with(3, 'play'), { stdin: apiKey });
  expect(ran.stderr).toContain('the current profile is still "work"; to switch: linkctl auth switch play');
});

test('B65: a profile of another account is replaced only after a yes', async ({ home, login, config }) => {
  await mkdir(join(config, '..'), { recursive: true, mode: 0o700 });
  const work = { base_url: 'https://other.example/api/3', username: 'ann', edition: 'a', api_key: 'the-only-copy-of-this-key' };
  const before = JSON.stringify({ current_profile: 'work', profiles: { work } });
  writeFileSync(config, before, { mode: 0o600 });
  expect(await home(login, { stdin: apiKey })).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'error: profile "work" is of another account: ann on other.example\n' +
      'hint: add --profile with another name, or --yes to replace it\n',
  });
  const terminal = { stdin: true, stdout: true, stderr: true };
  const asked = await home(login, { stdin: 'n\n', terminal });
  expect([asked.code, asked.stderr]).toEqual([
    1,
    expect.stringContaining('Replace profile "work" (ann on other.example)? [y/N]'),
  ]);
  expect(readFileSync(config, 'utf8')).toBe(before);
  expect((await home([...login, '--yes'], { stdin: apiKey })).code).toBe(0);
  // The same account again needs no question.
  expect((await home(login, { stdin: apiKey })).code).toBe(0);
});

test('B65: a first login that fails leaves no file', async ({ home, login, config }) => {
  const ran = await home(login, { stdin: 'wrong-key' });
  expect(ran).toMatchObject({ code: 4, stderr: expect.stringContaining('profile "work" was not stored') });
  expect(existsSync(config)).toBe(false);
});

test('B54, B55: without a terminal what is missing is named, and nothing is asked', async ({ home }) => {
  const ran = await home(['auth', 'login', '--base-url', 'https://api.example.com/3', '--username', 'ann']);
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('--with-key or --api-key-file required') });
});

test('B54, B55: without a terminal everything that is missing is named at once', async ({ home }) => {
  const words = ['auth', 'login', '--profile', 'work'];
  const named = '--base-url, --username and --with-key or --api-key-file';
  expect(await home(words)).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: ${named} required when not running interactively\nhint: add ${named} to the command\n`,
  });
  expect((await home([...words, '--username', 'ann'])).stderr).toContain(
    'error: --base-url and --with-key or --api-key-file req',
  );
});

test('B47: a username that the server rejects comes from its own flag, not from that of the key', async ({
  home,
  login,
  wire,
}) => {
  await wire.script([faults.refuse(1102)]);
  const ran = await home(login, { stdin: apiKey });
  expect(ran).toMatchObject({ code: 4, stdout: '' });
  expect(ran.stderr).toContain(`error: the server rejected the username "${username}" from --username [API 1102]\n`);
  expect(ran.stderr).toContain('hint: check the username, and the API key from stdin\n');
});

test('B52: a login that reaches no server names the base URL, because no profile is stored yet', async ({ home, login }) => {
  const ran = await home([...login.with(5, 'http://127.0.0.1:9/api/3'), '--retries', '0'], { stdin: apiKey });
  expect(ran).toMatchObject({ code: 8, stdout: '' });
  expect(ran.stderr).toContain('that the base URL is correct: http://127.0.0.1:9/api/3\n');
});

test.for(['urls', 'tags', 'domains'])(
  'B45, B62: a login to a resource of the API says that the base URL is wrong: %s',
  async (resource, { home, login, config, wire }) => {
    const ran = await home(login.with(5, `${wire.baseUrl}/${resource}`), { stdin: apiKey });
    expect(ran).toMatchObject({ code: 9, stdout: '' });
    expect(ran.stderr).toContain(`error: the API is not at ${wire.baseUrl}/${resource} [API 13`);
    expect(ran.stderr).toMatch(/\nhint: check the base URL and its path, such as https:\/\/s\.example\/tiny\/api\/3\n$/);
    expect(existsSync(config)).toBe(false);
  },
);

test('B63: login is refused while the environment would beat what it stores', async ({ home, login }) => {
  const ran = await home(login, { stdin: apiKey, env: { LINKCTL_API_KEY: 'x' } });
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('LINKCTL_API_KEY is set in the environment') });
});

test('B63: the environment beside a stored profile is reported on a terminal', async ({ home, login, env }) => {
  await home(login, { stdin: apiKey });
  const ran = await home(['list'], { env, terminal: { stderr: true } });
  expect(ran.stderr).toContain('note: using LINKCTL_API_KEY from the environment; profile "work" is not used');
  expect((await home(['list'], { env })).stderr).toBe('');
});

test('B63: LINKCTL_PROFILE instead of the profile that login, switch and list are about is reported', async ({ home, login }) => {
  const env = { LINKCTL_PROFILE: 'sandbox' };
  const terminal = { stderr: true };
  const note = 'note: using profile "sandbox" from LINKCTL_PROFILE; profile "work" is not used: unset LINKCTL_PROFILE\n';
  expect(await home(login, { stdin: apiKey, env })).toMatchObject({ code: 0, stderr: expect.stringContaining(note) });
  expect(await home(['auth', 'switch', 'work'], { env })).toMatchObject({ code: 0, stderr: note });
  expect(await home(['auth', 'list'], { env, terminal, columns: 200 })).toMatchObject({ code: 0, stderr: note });
  expect(await home(['auth', 'list'], { env })).toMatchObject({ code: 0, stderr: '' });
  const used = { LINKCTL_PROFILE: 'work' };
  for (const words of [login, ['auth', 'switch', 'work'], ['auth', 'list', '-v']])
    expect((await home(words, { stdin: apiKey, env: used })).stderr).not.toContain('note:');
});

test('B47: a rejected key is reported with its profile, its file and the command that fixes it', async ({
  home,
  login,
  config,
}) => {
  await home(login, { stdin: apiKey });
  writeFileSync(config, readFileSync(config, 'utf8').replace(apiKey, 'no-longer-good'));
  chmodSync(config, 0o600);
  const ran = await home(['list']);
  expect(ran).toMatchObject({ code: 4, stdout: '' });
  expect(ran.stderr).toContain(`error: the server rejected the API key of profile "work" (from ${config}) [API 1300]`);
  expect(ran.stderr).toContain('hint: linkctl auth login --profile work');
});

test('R-38: a login with another key deletes api_key_command and says so; one without a key runs it', async ({
  home,
  login,
  config,
}) => {
  await home(login, { stdin: apiKey });
  const env = { KEY_OF_TEST: apiKey };
  await home(['config', 'set', 'api_key_command', '["sh","-c","echo $KEY_OF_TEST"]'], { env });
  expect(await home(['auth', 'login', '--profile', 'work', '-q'], { env })).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(readFileSync(config, 'utf8')).not.toContain(apiKey);
  expect(await home(login, { stdin: apiKey })).toEqual({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('deleted api_key_command of profile "work"; the API key is stored instead\n'),
  });
  expect(await home([...login, '-q'], { stdin: apiKey })).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('B68: a profile name with a dot is refused when it is made', async ({ home, login }) => {
  expect((await home(login.with(3, 'my.prod'), { stdin: apiKey })).code).toBe(2);
});

test('B69, D53: no profile at all is exit 4 with both ways in, and the file that was looked for', async ({ home, config }) => {
  const ran = await home(['list']);
  expect(ran).toMatchObject({ code: 4, stdout: '' });
  expect(ran.stderr).toContain(`error: no profile is selected (configuration: ${config}), so no account is available\n`);
  for (const argv of [
    ['auth', 'logout'],
    ['config', 'set', 'output', 'json'],
  ]) {
    expect(await home(argv)).toMatchObject({ code: 4, stderr: expect.stringContaining(config) });
  }
  expect(ran.stderr).toContain('hint: with an account: linkctl auth login; without one: linkctl -p sandbox');
});

test('B69: an unknown profile is exit 9 and lists those that exist', async ({ home, login }) => {
  await home(login, { stdin: apiKey });
  expect(await home(['list', '-p', 'wrok'])).toMatchObject({ code: 9, stderr: expect.stringContaining('known: work, sandbox') });
});

test('B72: status shows each value and its source, the key masked, and asks the server', async ({
  home,
  login,
  config,
  wire,
}) => {
  await home(login, { stdin: apiKey });
  const ran = await home(['auth', 'status', '-o', 'json']);
  expect(JSON.parse(ran.stdout)).toMatchObject({ profile: 'work', username, api_key: '****86a5', verified: true });
  expect(ran.stdout).toContain(config);
  expect(ran.stdout).not.toContain(apiKey);
  const before = (await sent(wire)).length;
  expect((await home(['auth', 'status', '--offline'])).code).toBe(0);
  expect(await sent(wire)).toHaveLength(before);
});

test.for(['a login of another account', 'a logout'])(
  'B95: after %s, TAB offers no tags and domains of before',
  async (how, { home, login, service }) => {
    await home(login, { stdin: apiKey });
    await home(['tags', 'add', 'promo']);
    for (const command of ['tags', 'domains']) await home([command]);
    const offered = async (...words: string[]) => (await home(['__complete', '-p', 'work', 'list', ...words, ''])).stdout;
    expect(await offered('--by-tags')).toBe('promo\n:4\n');
    expect(await offered('--domain')).toContain('localhost');
    const again = login.with(5, service.baseUrl);
    const ran = how === 'a logout' ? await home(['auth', 'logout', 'work']) : await home([...again, '--yes'], { stdin: apiKey });
    expect(ran.code).toBe(0);
    for (const flag of ['--by-tags', '--domain']) expect(await offered(flag)).toBe(':4\n');
  },
);

describe('a server that has one domain now', () => {
  test.override({ edition: 'b' });

  test('B53, B65: a login deletes the settings of domains, which later commands would refuse, and says so', async ({
    home,
    login,
    config,
  }) => {
    await home(login, { stdin: apiKey });
    const document = JSON.parse(readFileSync(config, 'utf8'));
    Object.assign(document.profiles.work, { edition: 'a', domain: 'b.example', dedupe: 'domain', timeout: 9 });
    writeFileSync(config, JSON.stringify(document));
    const ran = await home(login, { stdin: apiKey });
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('deleted domain of profile "work": this server') });
    expect(ran.stderr).toContain('deleted dedupe of profile "work"');
    const { work } = JSON.parse(readFileSync(config, 'utf8')).profiles;
    expect(work).toMatchObject({ edition: 'b', timeout: 9 });
    expect(Object.keys(work)).not.toEqual(expect.arrayContaining(['domain']));
    expect(await home(['shorten', 'https://example.com/'])).toMatchObject({ code: 0 });
  });
});

test('auth list, switch and logout', async ({ home, login, config }) => {
  await home(login, { stdin: apiKey });
  await home(login.with(3, 'play'), { stdin: apiKey });
  const list = await home(['auth', 'list', '--fields', 'profile,current']);
  expect(list.stdout).toBe('work\ttrue\nplay\tfalse\nsandbox\tfalse\n');
  expect((await home(['auth', 'switch', 'play'])).code).toBe(0);
  expect((await home(['auth', 'switch', 'nobody'])).code).toBe(9);
  expect(JSON.parse(readFileSync(config, 'utf8')).current_profile).toBe('play');
  const sandbox = { LINKCTL_PROFILE: 'sandbox' };
  expect(await home(['auth', 'logout'], { env: sandbox })).toMatchObject({
    code: 2,
    stderr: 'error: the sandbox has no credentials to delete\n',
  });
  expect((await home(['auth', 'logout'])).stdout).toBe('play\n');
  expect(readFileSync(config, 'utf8')).not.toContain('play');
  expect((await home(['auth', 'logout', '--all'])).code).toBe(0);
  expect((await home(['list'])).code).toBe(4);
});

test.for([
  ['csv', 'profile\nwork\nplay\n'],
  ['jsonl', '{"profile":"work"}\n{"profile":"play"}\n'],
  ['json', '{"forgotten":[{"profile":"work"},{"profile":"play"}]}\n'],
] as const)(
  'B18, B20, B21: logout prints the profiles as %s as other commands do',
  async ([format, stdout], { home, login, config }) => {
    await home(login, { stdin: apiKey });
    await home(login.with(3, 'play'), { stdin: apiKey });
    const before = readFileSync(config, 'utf8');
    expect((await home(['auth', 'logout', '--all', '--fields', 'nosuch'])).code).toBe(2);
    expect(readFileSync(config, 'utf8')).toBe(before);
    expect(await home(['auth', 'logout', '--all', '-o', format])).toEqual({ code: 0, stdout, stderr: '' });
  },
);

describe('a profile that is named twice', () => {
  const three = test.extend<{ stored: string }>({
    stored: async ({ home, login, config }, use) => {
      for (const name of ['work', 'play', 'third']) await home(login.with(3, name), { stdin: apiKey });
      await use(readFileSync(config, 'utf8'));
    },
  });

  three.for([
    [['-p', 'play', 'auth', 'logout', '--all'], 'specify only one of --profile or --all'],
    [['auth', 'logout', 'work', '--all'], 'specify only one of --all or <profile>'],
    [['-p', 'play', 'auth', 'logout', 'work'], 'specify only one of --profile or <profile>'],
    [['-p', 'play', 'auth', 'switch', 'third'], 'specify only one of --profile or <profile>'],
  ] as const)('B45: %j is exit 2 and changes nothing', async ([words, complaint], { home, stored, config }) => {
    expect(await home(words)).toEqual({ code: 2, stdout: '', stderr: `error: ${complaint}\n` });
    expect(readFileSync(config, 'utf8')).toBe(stored);
  });

  three('the same name is no contradiction, and LINKCTL_PROFILE only a default', async ({ home, stored, config }) => {
    expect(stored).toContain('play');
    expect((await home(['-p', 'play', 'auth', 'logout', 'play'])).stdout).toBe('play\n');
    const env = { LINKCTL_PROFILE: 'work' };
    expect((await home(['auth', 'switch', 'third'], { env })).code).toBe(0);
    expect((await home(['auth', 'logout', 'third'], { env })).stdout).toBe('third\n');
    expect((await home(['auth', 'logout', '--all'], { env })).stdout).toBe('work\n');
    expect(JSON.parse(readFileSync(config, 'utf8')).profiles).toEqual({});
  });

  three('B45: the hint of config is about the profile of the call', async ({ home, stored, config }) => {
    const ran = await home(['-p', 'play', 'config', 'unset', 'api_key']);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('\nhint: linkctl -p play auth logout\n') });
    expect(readFileSync(config, 'utf8')).toBe(stored);
    expect((await home(['-p', 'play', 'auth', 'logout'])).stdout).toBe('play\n');
  });
});

test('a login becomes the current profile where the current one is no longer there', async ({ home, login, config }) => {
  await home(login, { stdin: apiKey });
  writeFileSync(config, JSON.stringify({ current_profile: 'gone', profiles: {} }));
  expect(await home([...login, '-q'], { stdin: apiKey })).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(JSON.parse(readFileSync(config, 'utf8')).current_profile).toBe('work');
  expect((await home(['list'])).code).toBe(0);
  await home(['auth', 'switch', 'sandbox']);
  expect((await home(login, { stdin: apiKey })).stderr).toContain('the current profile is still "sandbox"');
});

test('CLI 3.2: the sandbox cannot be logged out of, also with settings of its own', async ({ home }) => {
  await home(['config', 'set', 'dedupe', 'account', '-p', 'sandbox']);
  const terminal = { stdin: true, stdout: true, stderr: true };
  expect(await home(['auth', 'logout'], { env: { LINKCTL_PROFILE: 'sandbox', NO_COLOR: '1' }, terminal })).toMatchObject({
    code: 2,
    stderr: 'error: the sandbox has no credentials to delete\n',
  });
});

test('CLI 3.2: the sandbox needs no login and keeps its links between calls', async ({ home }) => {
  const made = await home(['-p', 'sandbox', 'shorten', 'https://nodejs.org/', '--hash', 'kept']);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect((await home(['-p', 'sandbox', 'list', '--fields', 'hash'])).stdout).toBe('kept\n');
  expect((await home(['-p', 'sandbox', '--edition', 'b', 'list', '--fields', 'hash'])).stdout).toBe('');
  expect(await home(['auth', 'login'], { env: { LINKCTL_PROFILE: 'sandbox' } })).toMatchObject({
    code: 2,
    stderr: 'error: the sandbox needs no login\nhint: to log in to a server: linkctl auth login --profile work\n',
  });
});
