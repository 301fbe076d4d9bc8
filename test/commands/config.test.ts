import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { apiKey, test as base, type Linkctl, sent, username } from '../support/linkctl.ts';

/** Commands in a home without credentials in the environment. */
const test = base.extend<{ config: Linkctl; path: string }>({
  path: async ({ folder }, use) => {
    await use(join(folder, '.config', 'linkctl', 'config.json'));
  },
  config: async ({ linkctl }, use) => {
    const none = {
      LINKCTL_BASE_URL: undefined,
      LINKCTL_USERNAME: undefined,
      LINKCTL_API_KEY: undefined,
      LINKCTL_EDITION: undefined,
    };
    await use((argv, world = {}) => linkctl(['config', ...argv], { ...world, env: { ...none, ...world.env } }));
  },
});

type Settings = { [key: string]: [value: unknown, source: string] };

async function settings(config: Linkctl, ...argv: string[]): Promise<Settings> {
  const { stdout } = await config(['list', '-o', 'json', ...argv]);
  const rows = JSON.parse(stdout).settings as { key: string; value: unknown; source: string }[];
  return Object.fromEntries(rows.map(({ key, value, source }) => [key, [value, source]]));
}

test('B72: config list shows each value and whether flag, environment, profile or default says so', async ({ config, path }) => {
  await config(['set', 'domain', 'localhost', '-p', 'sandbox']);
  await config(['set', 'dedupe', 'account', '-p', 'sandbox']);
  expect(await settings(config, '-p', 'sandbox', '--edition', 'b')).toMatchObject({
    domain: ['localhost', `profile "sandbox" (${path})`],
    dedupe: ['account', `profile "sandbox" (${path})`],
    edition: ['b', '--edition'],
    batch_size: [500, 'default'],
    output: ['json', '--output'],
    base_url: [null, 'default'],
  });
  const { stdout } = await config(['list', '-p', 'sandbox', '--fields', 'value,source,key'], { env: { LINKCTL_DOMAIN: 't.ex' } });
  expect(stdout).toContain('t.ex\tLINKCTL_DOMAIN\tdomain\n');
});

test('B72: keys are masked, whether stored, in a variable or in a file', async ({ linkctl, folder }) => {
  const fromVariable = await linkctl(['config', 'list']);
  expect(fromVariable.stdout).toContain('api_key\t****86a5\tLINKCTL_API_KEY\n');
  expect((await linkctl(['config', 'get', 'api_key'])).stdout).toBe('****86a5\n');
  const file = join(folder, 'key.txt');
  const fromFile = await linkctl(['config', 'list', '--api-key-file', file]);
  expect(fromFile.stdout).toContain('api_key\t****\t--api-key-file\n');
});

test('config get prints the value alone in a pipe, an empty line for none', async ({ config }) => {
  await config(['set', 'batch_size', '100', '-p', 'sandbox']);
  expect(await config(['get', 'batch_size', '-p', 'sandbox'])).toEqual({ code: 0, stdout: '100\n', stderr: '' });
  expect(await config(['get', 'domain', '-p', 'sandbox'])).toEqual({ code: 0, stdout: '\n', stderr: '' });
  const json = await config(['get', 'batch_size', '-p', 'sandbox', '-o', 'json']);
  expect(JSON.parse(json.stdout).settings).toMatchObject([{ key: 'batch_size', value: 100 }]);
});

test('config set and unset change one setting of one profile, and nothing else of the file', async ({ config, path }) => {
  await config(['set', 'output', 'json', '-p', 'sandbox']);
  const set = await config(['set', 'method_override', 'true', '-p', 'sandbox'], {
    terminal: { stdout: true },
    env: { NO_COLOR: '1' },
  });
  expect(set).toMatchObject({ code: 0, stdout: '✓ Set method_override to true in profile "sandbox"\n' });
  const stored = async () => JSON.parse(await readFile(path, 'utf8')).profiles.sandbox;
  expect(await stored()).toEqual({ output: 'json', method_override: true });
  expect(await config(['unset', 'output', '-p', 'sandbox'])).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await stored()).toEqual({ method_override: true });
});

test('a setting holds: -p sandbox prints as its output says', async ({ config, linkctl }) => {
  await config(['set', 'output', 'json', '-p', 'sandbox']);
  expect((await linkctl(['tags', '-p', 'sandbox'])).stdout).toBe('{"tags":[]}\n');
});

test('U1: undo off leaves out the records of a profile and says so; --undo takes precedence', async ({ config, linkctl }) => {
  const edit = async (note: string, ...flags: string[]) =>
    await linkctl(['edit', 'abc', '--note', note, '-p', 'sandbox', ...flags]);
  const undoOfLast = async () => JSON.parse((await linkctl(['runs', '-p', 'sandbox', '-o', 'json'])).stdout).runs[0].undo;
  await linkctl(['shorten', 'https://a.example', '--hash', 'abc', '-p', 'sandbox']);
  expect((await edit('one')).stderr).toBe('');
  expect(await undoOfLast()).toBe('yes');
  expect((await config(['set', 'undo', 'off', '-p', 'sandbox'])).code).toBe(0);
  expect(await edit('two')).toMatchObject({
    code: 0,
    stderr: 'undo is off for profile "sandbox": this change cannot be undone\n',
  });
  expect(await undoOfLast()).toBe('no');
  const dry = await edit('three', '-n');
  expect(dry.stderr).toMatch(/^undo is off for profile "sandbox": this change cannot be undone\n1 link would be changed\n/);
  expect((await edit('three', '--no-undo')).stderr).toBe('--no-undo: this change cannot be undone\n');
  expect((await edit('four', '--undo')).stderr).toBe('');
  expect(await undoOfLast()).toBe('yes');
});

test.for([
  [['rewrite', 'https://a.example', 'https://b.example', '--all', '--max-affected', '9']],
  [['tags', 'delete', 'ad', '--max-affected', '9']],
])('U1: undo off holds for %j, which has only --no-undo', async ([words = []], { config, linkctl }) => {
  await linkctl(['shorten', 'https://a.example', '--tag', 'ad', '-p', 'sandbox']);
  await config(['set', 'undo', 'off', '-p', 'sandbox']);
  for (const more of [['-n'], []]) {
    const { code, stderr } = await linkctl([...words, ...more, '--yes', '-p', 'sandbox']);
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('undo is off for profile "sandbox": this change cannot be undone\n'),
    });
  }
  expect((await linkctl([...words, '-n', '--no-undo', '-p', 'sandbox'])).stderr).toContain('--no-undo: this change cannot');
});

test.for([
  ['set', 'colour', 'red', /no setting "colour"; expected one of base_url, /],
  ['set', 'output', 'xml', /output: expected one of \{table\|json\|jsonl\|csv\|tsv\}, got "xml"/],
  ['set', 'api_key', 'secret', /api_key cannot be set separately; it is set at login\nhint: linkctl -p sandbox auth login\n/],
  ['set', 'base_url', 'https://x.example', /hint: linkctl -p sandbox auth login\n/],
  [
    'unset',
    'username',
    undefined,
    /username cannot be unset separately; it is deleted with its profile\nhint: linkctl -p sandbox auth logout\n/,
  ],
  ['get', 'nothing', undefined, /no setting "nothing"/],
] as const)('config %s %s %s is exit 2 and changes nothing', async ([verb, key, value, complaint], { config, path }) => {
  const ran = await config([verb, key, ...(value === undefined ? [] : [value]), '-p', 'sandbox']);
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(complaint) });
  await expect(readFile(path)).rejects.toThrow();
});

test('B69: an unknown profile is exit 9, and none at all exit 4 with both ways in', async ({ config }) => {
  for (const words of [['list'], ['set', 'output', 'json'], ['unset', 'output']]) {
    expect(await config([...words, '-p', 'nobody'])).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('no profile "nobody"'),
    });
  }
  const none = await config(['set', 'output', 'json']);
  expect(none).toMatchObject({ code: 4, stderr: expect.stringMatching(/linkctl auth login.* -p sandbox/) });
});

test('B61: with credentials in the environment, config set does not guess a profile', async ({ linkctl }) => {
  const ran = await linkctl(['config', 'set', 'output', 'json']);
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('LINKCTL_USERNAME') });
});

const work = (base_url: string, more: object = {}): string =>
  JSON.stringify({ current_profile: 'work', profiles: { work: { base_url, username, api_key: apiKey, edition: 'a', ...more } } });

describe('R-38: api_key_command takes the place of the stored key', () => {
  const given = '["sh","-c","echo $KEY_OF_TEST"]';
  const key = { env: { KEY_OF_TEST: apiKey } };
  const store = async (path: string, baseUrl: string) => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, work(baseUrl), { mode: 0o600 });
  };
  const stored = async (path: string) => JSON.parse(await readFile(path, 'utf8')).profiles.work;

  test('setting it deletes the stored key and says so; unsetting it says that a login is needed', async ({
    config,
    path,
    wire,
  }) => {
    await store(path, wire.baseUrl);
    const set = await config(['set', 'api_key_command', given], key);
    expect(set).toEqual({ code: 0, stdout: '', stderr: 'deleted the stored API key of profile "work"\n' });
    expect(await stored(path)).not.toHaveProperty('api_key');
    expect(await config(['set', 'api_key_command', given], key)).toEqual({ code: 0, stdout: '', stderr: '' });
    const unset = await config(['unset', 'api_key_command']);
    expect(unset.stderr).toBe('profile "work" has no API key now: linkctl auth login --profile work\n');
    expect(await config(['unset', 'api_key_command', '-p', 'sandbox'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('a command without a key is exit 4, and the stored one is kept', async ({ config, path, wire }) => {
    await store(path, wire.baseUrl);
    const before = await readFile(path, 'utf8');
    for (const words of ['["false"]', '["no-such-program"]', given]) {
      expect(await config(['set', 'api_key_command', words])).toMatchObject({
        code: 4,
        stdout: '',
        stderr: expect.stringMatching(/^error: api_key_command: /),
      });
    }
    expect(await readFile(path, 'utf8')).toBe(before);
  });

  test('B65: the stored key is deleted only if the server accepts what the command prints', async ({ config, path, wire }) => {
    await store(path, wire.baseUrl);
    const before = await readFile(path, 'utf8');
    expect(await config(['set', 'api_key_command', '["echo","anything"]'])).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringMatching(/rejected the API key from api_key_command \[API 1300\]\n(.*\n)*.*"work" was not changed\n/),
    });
    expect(await readFile(path, 'utf8')).toBe(before);
    expect((await sent(wire)).map(({ call }) => call)).toEqual(['GET /account']);
    expect((await config(['set', 'api_key_command', given], key)).code).toBe(0);
    expect(await sent(wire)).toHaveLength(1);
    expect(await stored(path)).toMatchObject({ api_key_command: JSON.parse(given) });
  });

  test.for([
    ['http://127.0.0.1:9/api/3', 8],
    ['http://api.example.test/api/3', 2],
  ] as const)('B65: if %s cannot be asked, the stored key is kept: exit %i', async ([baseUrl, code], { config, path }) => {
    await store(path, baseUrl);
    const before = await readFile(path, 'utf8');
    const ran = await config(['set', 'api_key_command', '["echo","anything"]', '--retries', '0']);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(await readFile(path, 'utf8')).toBe(before);
  });

  test('the sandbox needs no key, so no server is asked', async ({ config, wire }) => {
    const ran = await config(['set', 'api_key_command', '["echo","anything"]', '-p', 'sandbox']);
    expect(ran).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await sent(wire)).toEqual([]);
  });

  test('B47, B72: it is named as the source, also where an earlier version left the stored key', async ({
    config,
    linkctl,
    path,
    wire,
  }) => {
    await store(path, wire.baseUrl);
    await writeFile(path, work(wire.baseUrl, { api_key: 'another-key-of-old', api_key_command: JSON.parse(given) }));
    const source = 'api_key_command of profile "work"';
    expect(await settings(config)).toMatchObject({ api_key: ['****', source] });
    expect((await config(['get', 'api_key'])).stdout).toBe('****\n');
    const none = { LINKCTL_BASE_URL: '', LINKCTL_USERNAME: '', LINKCTL_API_KEY: '', LINKCTL_EDITION: '' };
    const status = await linkctl(['auth', 'status', '-o', 'json'], { env: { ...none, ...key.env } });
    expect(JSON.parse(status.stdout)).toMatchObject({ api_key: '****86a5', api_key_source: source });
    const refused = await linkctl(['list'], { env: { ...none, KEY_OF_TEST: 'wrong' } });
    expect(refused).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(
        /the API key of profile "work" \(from api_key_command\) \[API 1300\]\n(.*\n)*hint: check what api_key_command prints: linkctl config get api_key_command --profile work\n/,
      ),
    });
  });
});

describe('D48: a domain is stored when the account has it', () => {
  test('config set domain asks the server, and stores nothing that it does not know', async ({ config, path, wire }) => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, work(wire.baseUrl), { mode: 0o600 });
    const before = await readFile(path, 'utf8');
    expect(await config(['set', 'domain', 'nope.ex'])).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringContaining('no domain "nope.ex" on this account'),
    });
    expect(await readFile(path, 'utf8')).toBe(before);
    expect(await config(['set', 'domain', 'localhost'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(JSON.parse(await readFile(path, 'utf8')).profiles.work.domain).toBe('localhost');
    expect((await sent(wire)).map(({ call }) => call)).toEqual([
      'GET /urls?domain=nope.ex&limit=1',
      'GET /urls?domain=localhost&limit=1',
    ]);
  });

  test('a server that cannot be asked is no reason to refuse, and is reported', async ({ config, path, wire }) => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, work(wire.baseUrl), { mode: 0o600 });
    await wire.script([faults.refuse(1300)]);
    expect(await config(['set', 'domain', 's.ex'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('warning: could not check whether the account has the domain s.ex: '),
    });
    expect(JSON.parse(await readFile(path, 'utf8')).profiles.work.domain).toBe('s.ex');
  });

  test('edition B has one domain: exit 2', async ({ config, path }) => {
    expect(await config(['set', 'domain', 's.ex', '-p', 'sandbox', '--edition', 'b'])).toMatchObject({
      code: 2,
      stderr: 'error: domain: this server (edition B) has one domain\n',
    });
    await expect(readFile(path)).rejects.toThrow();
  });

  test.for(['--domain', 'LINKCTL_DOMAIN', 'profile'])(
    'a domain that is not there is reported with its source: %s',
    async (from, { linkctl, path, wire }) => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(path, work(wire.baseUrl, from === 'profile' ? { domain: 'nope.ex' } : {}), { mode: 0o600 });
      const ran = await linkctl(['list', '-p', 'work', ...(from === '--domain' ? ['--domain', 'nope.ex'] : [])], {
        env: from === 'LINKCTL_DOMAIN' ? { LINKCTL_DOMAIN: 'nope.ex' } : {},
      });
      expect(ran.code).toBe(5);
      const source = from === 'profile' ? `profile "work" (${path})` : from;
      expect(ran.stderr).toContain(`error: no domain "nope.ex" on this account (from ${source}) [API 1313]\n`);
    },
  );
});

test('D48: dedupe domain is refused for edition B, which has one domain, and nothing is stored', async ({ config, path }) => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = JSON.stringify({ profiles: { sandbox: { edition: 'b' } } });
  await writeFile(path, file, { mode: 0o600 });
  expect(await config(['set', 'dedupe', 'domain', '-p', 'sandbox'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'error: dedupe domain: this server (edition B) has one domain; use account\n',
  });
  expect(await readFile(path, 'utf8')).toBe(file);
  expect((await config(['set', 'dedupe', 'account', '-p', 'sandbox'])).code).toBe(0);
  expect((await config(['set', 'dedupe', 'domain', '-p', 'sandbox', '--edition', 'a'])).code).toBe(0);
});

describe('on a server of edition b', () => {
  test.override({ edition: 'b' });

  test.for([
    [{ domain: 'b.ex' }, 'domain', 'b.ex'],
    [{ domain: 'b.ex', dedupe: 'domain' }, 'domain', 'b.ex'],
    [{ dedupe: 'domain' }, 'dedupe', 'domain'],
  ] as const)(
    'B53: config set edition b is refused for a profile with %j, and nothing is stored',
    async ([own, key, value], { config, path, wire }) => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(path, work(wire.baseUrl, own), { mode: 0o600 });
      const before = await readFile(path, 'utf8');
      expect(await config(['set', 'edition', 'b'])).toEqual({
        code: 2,
        stdout: '',
        stderr: `error: edition b has one domain, but profile "work" has ${key} ${value}\nhint: linkctl config unset ${key} --profile work\n`,
      });
      expect(await readFile(path, 'utf8')).toBe(before);
      for (const name of ['domain', 'dedupe']) await config(['unset', name]);
      expect((await config(['set', 'edition', 'b'])).code).toBe(0);
    },
  );
});

describe.each(['a', 'b'] as const)('B53: config set edition asks a server of edition %s', (edition) => {
  test.override({ edition });
  const other = edition === 'a' ? 'b' : 'a';

  test('and stores nothing but its edition; a server that cannot be asked is reported', async ({ config, path, wire }) => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, work(wire.baseUrl, { edition: other }), { mode: 0o600 });
    const before = await readFile(path, 'utf8');
    expect(await config(['set', 'edition', other])).toEqual({
      code: 9,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: edition [ab]: this server is edition [AB] \(.*\)\nprofile "work" was not changed\n$/,
      ),
    });
    expect(await readFile(path, 'utf8')).toBe(before);
    expect(await config(['set', 'edition', edition])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(JSON.parse(await readFile(path, 'utf8')).profiles.work.edition).toBe(edition);
    await wire.script([faults.refuse(1300)]);
    expect(await config(['set', 'edition', other])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`warning: could not check whether the server is edition ${other}: `),
    });
  });
});

test.for([['delete', 'promo', '--yes'], ['list'], ['api', 'DELETE', '/urls/promo']])(
  'B53: on edition B the domain of a profile is refused as --domain is, and nothing is sent: %j',
  async (words, { linkctl, path, wire }) => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, work(wire.baseUrl, { domain: 'b.ex', edition: 'b' }), { mode: 0o600 });
    expect(await linkctl([...words, '-p', 'work'])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        `error: profile "work" (${path}): this server (edition B) has one domain\n` +
        'hint: linkctl config unset domain --profile work\n',
    });
    expect(await sent(wire)).toEqual([]);
  },
);

test.for([
  [undefined, 'cannot read the CA file '],
  ['no certificate', 'ca.pem contains no PEM certificate'],
  ['-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n', 'ca.pem contains an unreadable certificate'],
] as const)(
  'a CA file is stored only if a call can read it: %j is exit 9',
  async ([text, words], { config, linkctl, path, wire, folder }) => {
    const file = join(folder, 'ca.pem');
    if (text !== undefined) await writeFile(file, text);
    const refused = { code: 9, stdout: '', stderr: expect.stringContaining(words) };
    expect(await config(['set', 'ca_file', file, '-p', 'sandbox'])).toMatchObject(refused);
    const none = { LINKCTL_BASE_URL: '', LINKCTL_USERNAME: '', LINKCTL_API_KEY: '', LINKCTL_EDITION: '' };
    const login = ['auth', 'login', '--base-url', wire.baseUrl, '--username', username, '--with-key', '--ca-file', file];
    expect(await linkctl(login, { env: none, stdin: apiKey })).toMatchObject(refused);
    await expect(readFile(path)).rejects.toThrow();
  },
);

test('D48: keyed_verified is no setting: what a server was seen to keep is kept beside the runs', async ({ config, path }) => {
  expect(await config(['set', 'keyed_verified', 'true', '-p', 'sandbox'])).toMatchObject({ code: 2 });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const old = JSON.stringify({ profiles: { sandbox: { keyed_verified: true, output: 'tsv' } } });
  await writeFile(path, old, { mode: 0o600 });
  expect(await config(['get', 'output', '-p', 'sandbox'])).toMatchObject({ code: 0, stdout: 'tsv\n' });
});

test('config path prints the path, whether the file exists or not', async ({ config, path }) => {
  expect(await config(['path'])).toEqual({ code: 0, stdout: `${path}\n`, stderr: '' });
});
