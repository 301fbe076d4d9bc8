import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { wholeProgram } from '../../src/cli/program.ts';
import { test } from '../support/linkctl.ts';

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

test('B95: TAB asks no server', async ({ linkctl, service }) => {
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
  [['list'], 4],
  [['shorten'], 4],
  [['api', 'GET'], 4],
] as const)('B95: after %j the directive for files is %i', async ([words, directive], { linkctl }) => {
  expect((await linkctl(['__complete', ...words, ''])).stdout).toBe(`:${directive}\n`);
});

test.for([['bash'], ['zsh'], ['fish'], ['powershell']])(
  'B92: completion %s prints its script',
  async ([shell = ''], { linkctl }) => {
    const ran = await linkctl(['completion', shell]);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain(`${shell === 'powershell' ? 'PowerShell' : shell} completion for linkctl`);
  },
);

test('B92: how to install a script is in the help', async ({ linkctl }) => {
  const { stdout } = await linkctl(['completion', '--help']);
  for (const line of ['source <(linkctl completion bash)', '~/.zfunc/_linkctl', 'completions/linkctl.fish', '$PROFILE']) {
    expect(stdout).toContain(line);
  }
});
