import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { wholeProgram } from '../../src/cli/program.ts';
import { faults, type Step } from '../support/faulty-steps.ts';
import { test } from '../support/linkctl.ts';
import { numbered, store } from '../support/stored-links.ts';
import type { World } from '../support/test-system.ts';

test('B93: candidates with their meanings, then the directive', async ({ linkctl }) => {
  expect(await linkctl(['__complete', 'sho'])).toEqual({
    code: 0,
    stdout: 'shorten\tCreate short URLs for one or many long URLs\n:4\n',
    stderr: '',
  });
});

test('B93: an empty last word asks for everything, no word at all too', async ({ linkctl }) => {
  const ran = await linkctl(['__complete', '']);
  expect(ran.stdout).toMatch(/^shorten\t.*\nlist\t/);
  expect(await linkctl(['__complete'])).toEqual(ran);
});

test.for([
  ['__complete', 'nosuch', 'x', ''],
  ['__complete', '--nosuch', '-zzz', ''],
  ['__complete', '--', '-x', ''],
  ['__complete', '-p'],
  ['__complete', 'list', '--help', '-V', ''],
  ['__complete', '__complete', ''],
  ['__complete', 'help', 'nosuch', ''],
  ['__complete', 'list', '-o'],
  ['__complete', 'list', '\n', 'a\tb', ''],
])('B93: whatever is typed, %j, the exit code is 0 and stderr stays empty', async (argv, { linkctl }) => {
  const ran = await linkctl(argv, { env: { LINKCTL_OUTPUT: 'nonsense', LINKCTL_TIMEOUT: 'soon' } });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toMatch(/(^|\n):\d+\n$/);
});

test('B95: a damaged configuration has no profiles, and its text is reported to nobody', async ({ linkctl, folder }) => {
  await mkdir(join(folder, '.config', 'linkctl'), { recursive: true });
  await writeFile(join(folder, '.config', 'linkctl', 'config.json'), '{"profiles":{"work":{"api_key":"SECRET"');
  expect(await linkctl(['__complete', '-p', ''])).toEqual({ code: 0, stdout: 'sandbox\n:4\n', stderr: '' });
});

test('B95: settings are offered by their names, to be set only those that no login sets', async ({ linkctl }) => {
  const offered = async (verb: string): Promise<string[]> =>
    (await linkctl(['__complete', 'config', verb, ''])).stdout.trim().split('\n').slice(0, -1);
  expect(await offered('get')).toEqual(expect.arrayContaining(['base_url', 'api_key', 'domain', 'output']));
  expect(await offered('set')).toEqual(expect.arrayContaining(['domain', 'output']));
  expect(await offered('unset')).not.toContain('api_key');
});

test('B95: TAB completes the next status of a list, without a space', async ({ linkctl }) => {
  for (const flag of ['--only', '--fail-on']) {
    const ran = await linkctl(['__complete', 'check', flag, 'broken,b']);
    expect(ran.stdout).toBe('broken,blocked\n:6\n');
  }
});

/** No deadline ends, however slow this computer is. */
const patient = (_milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

test.for(['list', 'ls', 'edit', 'delete', 'rm', 'stats'])(
  'B95: TAB after %s asks the server once for hashes that begin so, with their destinations',
  async (verb, { linkctl, wire }) => {
    await linkctl(['shorten', 'https://example.com/one', '--hash', 'spring', '-q']);
    await linkctl(['shorten', 'https://example.com/spring', '--hash', 'other', '-q']);
    const before = (await wire.requests()).length;
    const ran = await linkctl(['__complete', verb, 'sp'], { sleep: patient, env: { LINKCTL_DEBUG: '1', LINKCTL_OUTPUT: 'csv' } });
    expect(ran).toEqual({ code: 0, stdout: 'spring\thttps://example.com/one\n:4\n', stderr: '' });
    const calls = (await wire.requests()).slice(before).map(({ method, url }) => `${method} ${url}`);
    expect(calls).toEqual([expect.stringMatching(/^GET \/api\/3\/urls\?(?=.*limit=20\b)(?=.*search=sp\b)/)]);
  },
);

test('B95: where more hashes begin so than TAB lists, what the listed ones have in common is not typed', async ({
  linkctl,
  service,
}) => {
  const offered = async (beginning: string) =>
    (await linkctl(['__complete', 'delete', beginning], { sleep: patient })).stdout
      .split('\n')
      .map((line) => line.split('\t')[0]);
  await store(service, numbered(130));
  expect((await offered('h12')).toSorted()).toEqual(
    ['', ':4', 'h12', ...Array.from({ length: 10 }, (_, nth) => `h12${nth}`)].toSorted(),
  );
  // The newest 20 are h110 to h129.
  expect((await offered('h')).slice(0, 3)).toEqual(['h', 'h129', 'h128']);
  expect(await offered('')).toEqual([':4', '']);
});

test('B95, R-52: TAB offers no hash that would be a flag, such as the consent -y, unless flags have ended', async ({
  linkctl,
  service,
}) => {
  await store(service, [
    ...numbered(1),
    ...['-y', '--yes', '-dash'].map((custom_hash) => ({ custom_hash, long_url: 'https://example.com/' })),
  ]);
  const offered = async (...words: string[]) =>
    (await linkctl(['__complete', 'delete', ...words], { sleep: patient })).stdout.split('\n').map((line) => line.split('\t')[0]);
  expect(await offered('keep', '')).toEqual(['h0', ':4', '']);
  expect((await offered('--', '')).toSorted()).toEqual(['', '--yes', '-dash', '-y', ':4', 'h0']);
  expect(await offered('--', '-d')).toEqual(['-dash', ':4', '']);
});

test('B95: TAB asks the account and the domain of the line, and offers no hash twice', async ({ linkctl, env }) => {
  for (const hash of ['one', 'other']) await linkctl(['shorten', `https://example.com/${hash}`, '--hash', hash, '-q']);
  const { LINKCTL_BASE_URL, LINKCTL_USERNAME, LINKCTL_API_KEY, LINKCTL_EDITION, ...rest } = env;
  const variables = { LINKCTL_API_KEY: '', LINKCTL_USERNAME: '', LINKCTL_BASE_URL: '', ...rest };
  const key = join(rest.HOME ?? '', 'key');
  await writeFile(key, LINKCTL_API_KEY ?? '', { mode: 0o600 });
  const flags = [`--base-url=${LINKCTL_BASE_URL}`, '--username', LINKCTL_USERNAME ?? '', '--api-key-file', key];
  const offered = (...words: string[]) =>
    linkctl(['__complete', ...words], { sleep: patient, env: { ...variables, LINKCTL_EDITION } });
  expect((await offered('edit', 'o')).stdout).toBe(':4\n');
  expect((await offered(...flags, 'edit', 'one', 'o')).stdout).toBe('other\thttps://example.com/other\n:4\n');
  expect((await offered(...flags, '--domain', 'nosuch.example', 'edit', 'o')).stdout).toBe(':4\n');
});

test.for<[string, Step, World]>([
  ['refuses', faults.tooMany('1'), {}],
  ['has no answer after 800 ms', faults.silentBefore, { haste: 5 }],
])('B95: TAB says nothing of a server that %s', async ([, step, world], { linkctl, wire }) => {
  await wire.script([step]);
  expect(await linkctl(['__complete', 'edit', ''], world)).toEqual({ code: 0, stdout: ':4\n', stderr: '' });
  expect(await wire.requests()).toHaveLength(1);
});

test('B95: for a hash TAB starts no program that reads the key', async ({ linkctl, env, folder, wire }) => {
  const program = ['sh', '-c', `touch ${join(folder, 'started')}; echo ${env.LINKCTL_API_KEY}`];
  const work = { base_url: env.LINKCTL_BASE_URL, username: env.LINKCTL_USERNAME, edition: 'a', api_key_command: program };
  await mkdir(join(folder, '.config', 'linkctl'), { recursive: true, mode: 0o700 });
  const config = JSON.stringify({ current_profile: 'work', profiles: { work } });
  await writeFile(join(folder, '.config', 'linkctl', 'config.json'), config, { mode: 0o600 });
  const none = { LINKCTL_BASE_URL: '', LINKCTL_USERNAME: '', LINKCTL_API_KEY: '', LINKCTL_EDITION: '' };
  expect(await linkctl(['__complete', 'edit', ''], { env: none })).toEqual({ code: 0, stdout: ':4\n', stderr: '' });
  expect(existsSync(join(folder, 'started'))).toBe(false);
  expect(await wire.requests()).toEqual([]);
});

test('B95: TAB asks no server for tags', async ({ linkctl, service }) => {
  await service.close();
  expect(await linkctl(['__complete', 'shorten', '--tag', ''])).toEqual({ code: 0, stdout: ':4\n', stderr: '' });
});

test('B93: every flag of every command that takes a value leads to an answer', async ({ linkctl }) => {
  const root = await wholeProgram();
  for (const command of root.commands) {
    for (const { long, required } of command.options) {
      if (!long || !required) continue;
      const ran = await linkctl(['__complete', command.name(), long, '']);
      expect(ran, `${command.name()} ${long}`).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/:\d+\n$/) });
    }
  }
});

test.for([
  [['shorten', '-f'], 0],
  [['shorten', '--results'], 0],
  [['shorten', '--failed'], 0],
  [['list', '--hashes-from'], 0],
  [['list', '--api-key-file'], 0],
  [['list', '--ca-file'], 0],
  [['serve', '--data'], 16],
  [['serve', '--import'], 16],
  [['list'], 4],
  [['shorten'], 4],
  [['api', 'GET'], 4],
] as const)('B95: after %j the directive for files is %i', async ([words, directive], { linkctl }) => {
  expect((await linkctl(['__complete', ...words, ''])).stdout).toBe(`:${directive}\n`);
});

test.for([
  [['undo'], ['--dry-run'], ['--domain']],
  [['redo'], ['--dry-run'], ['--domain']],
  [['tags', 'delete'], ['--dry-run'], ['--domain']],
  [['tags', 'merge'], ['--dry-run'], ['--domain']],
  [['tags', 'list'], ['--dry-run', '--domain'], []],
  [['config', 'set'], ['--domain'], ['--dry-run']],
  [['auth', 'logout'], ['--domain'], ['--dry-run']],
  [['serve'], ['--domain'], ['--dry-run']],
  [['config'], ['--domain', '--dry-run'], []],
  [['list'], ['--domain', '--dry-run'], []],
  [[], ['--domain', '--dry-run'], []],
])(
  'B95: at %j the flags %j are offered, and %j, which it refuses, are not',
  async ([words = [], offered, refused], { linkctl }) => {
    const { stdout } = await linkctl(['__complete', ...words, '--d']);
    const flags = stdout.split('\n').map((line) => line.split('\t')[0]);
    expect(flags).toEqual(expect.arrayContaining(offered ?? []));
    expect(refused?.filter((flag) => flags.includes(flag))).toEqual([]);
  },
);

test.for([['bash'], ['zsh'], ['fish'], ['powershell']])(
  'B92: completion %s prints its script',
  async ([shell = ''], { linkctl }) => {
    const ran = await linkctl(['completion', shell]);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain(`${shell === 'powershell' ? 'PowerShell' : shell} completion for linkctl`);
  },
);

test('B95: a flag of a command that means something else than the global one is offered with its own meaning', async ({
  linkctl,
}) => {
  const { stdout } = await linkctl(['__complete', 'serve', '--username']);
  expect(stdout).toBe('--username\taccount to serve, and the name that clients must send (default: sandbox)\n:4\n');
});

test('B92: how to install a script is in the help', async ({ linkctl }) => {
  const { stdout } = await linkctl(['completion', '--help']);
  for (const line of ['source <(linkctl completion bash)', '~/.zfunc/_linkctl', 'completions/linkctl.fish', '$PROFILE']) {
    expect(stdout).toContain(line);
  }
});
