import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { type Behaviour, login } from './behaviour.ts';

/** D. Errors. */
export const errorBehaviours: readonly Behaviour[] = [
  [
    'B45',
    'An error is one line that names the thing and the API code, then at most details and a hint with a command.',
    async ({ run }) => {
      const { stdout, stderr } = await run(['list', 'nope']);
      expect({ stdout, stderr }).toEqual({
        stdout: '',
        stderr: expect.stringMatching(/^error: [a-z].*"nope".* \[API 1306\]\n(hint: .*\n)?$/),
      });
    },
  ],
  [
    'B46',
    'Every error code has a sentence of ours; of a code that is not listed the number and the words of the server are shown.',
    async ({ run, wire }) => {
      // Of every code in client/api-messages.test.ts.
      await wire.script([faults.refuse(1217, 400, 'SERVER')]);
      expect((await run(['account'])).stderr).toMatch(/^error: the account "ann" .* \[API 1217\]\n/);
      await wire.script([faults.refuse(9999, 400, 'SERVER')]);
      expect(await run(['account'])).toMatchObject({ code: 1, stderr: expect.stringMatching(/9999: SERVER/) });
    },
  ],
  [
    'B47',
    'An error about credentials names the profile or variable that they came from, and the command that fixes it.',
    async ({ run, wire, env }) => {
      await login(run, wire.baseUrl, env);
      await wire.script([faults.refuse(1300), faults.refuse(1300)]);
      expect(await run(['list'])).toMatchObject({ code: 4, stderr: expect.stringContaining('LINKCTL_API_KEY') });
      const { stderr } = await run(['list', '-p', 'work']);
      expect(stderr).toMatch(/^error: .*"work".*config\.json[\s\S]*\nhint: linkctl auth login --profile work\n$/);
    },
  ],
  [
    'B48',
    'There is never a stack trace, except with `--debug`.',
    async ({ run, wire }) => {
      await wire.script([{ answer: { status: 200, body: '{"error":' } }]);
      const { code, stderr } = await run(['list', '--retries', '0']);
      expect(code).toBe(8);
      expect(stderr).not.toMatch(/^\s+at /m);
    },
  ],
  [
    'B49',
    'With `-o json` or `jsonl` a failure is one JSON line on stderr.',
    async ({ run, wire }) => {
      await wire.script([faults.refuse(1300)]);
      const { stdout, stderr } = await run(['list', '-o', 'jsonl']);
      expect(stdout).toBe('');
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: 4, kind: 'auth', api_code: 1300 } });
    },
  ],
  [
    'B50',
    'Errors of one kind are grouped: at most five lines, then how many more.',
    async ({ run, service, folder }) => {
      await store(service, numbered(8));
      const rows = numbered(8).map(({ custom_hash }) => `https://other.example/,${custom_hash}`);
      writeFileSync(join(folder, 'links.csv'), `long_url,custom_hash\n${rows.join('\n')}\n`);
      const { stderr } = await run(['shorten', '-f', join(folder, 'links.csv')]);
      expect(stderr.match(/^error: .*links\.csv:\d:/gm)).toHaveLength(5);
      expect(stderr).toMatch(/3 more/);
    },
  ],
  [
    'B51',
    'A bad input file is reported with every place before anything is sent: exit 2.',
    async ({ run, folder, calls }) => {
      writeFileSync(join(folder, 'links.csv'), 'long_url,expiration_date\nnope,\nhttps://example.com/,2025-02-30\n');
      const { code, stderr } = await run(['shorten', '-f', join(folder, 'links.csv')]);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/links\.csv:2:[\s\S]*links\.csv:3:/) });
      expect(await calls()).toEqual([]);
    },
  ],
  [
    'B52',
    'A network error names host and cause; an answer that is not JSON is shown by status, type and beginning.',
    async ({ run, wire }) => {
      await wire.script([faults.htmlBefore]);
      expect(await run(['list', '--retries', '0'])).toMatchObject({ code: 8, stderr: expect.stringMatching(/text\/html/) });
      const refused = await run(['list', '--retries', '0'], { env: { LINKCTL_BASE_URL: 'http://127.0.0.1:9/api/3' } });
      expect(refused).toMatchObject({ code: 8, stderr: expect.stringMatching(/127\.0\.0\.1:9/) });
    },
  ],
  [
    'B53',
    'What an edition does not have is refused here, without a call.',
    async ({ run, calls }) => {
      for (const argv of [['domains'], ['log'], ['list', '--domain', 's.ex'], ['shorten', 'https://e.com/', '--max-clicks', '3']])
        expect(await run(argv, { env: { LINKCTL_EDITION: 'b' } })).toMatchObject({
          code: 2,
          stderr: expect.stringContaining('edition B'),
        });
      expect(await calls()).toEqual([]);
    },
  ],
];

/** E. Questions and confirmation. */
export const questionBehaviours: readonly Behaviour[] = [
  [
    'B54',
    'A question is asked only on a terminal, without `--yes`, `--no-input` or `CI`; elsewhere exit 2 names the flag.',
    async ({ run, open, service }) => {
      await store(service, numbered(1));
      const refused = { code: 2, stderr: expect.stringContaining('--yes') };
      expect(await run(['delete', 'h0'])).toMatchObject(refused);
      const { code, shown } = await open(['delete', 'h0'], { env: { CI: 'true' } }).ended();
      expect({ code, isNamed: shown.includes('--yes') }).toEqual({ code: 2, isNamed: true });
      expect(await stored(service)).toHaveLength(1);
      expect((await run(['delete', 'h0', '--yes'])).code).toBe(0);
    },
  ],
  [
    'B55',
    'Nothing can be answered by a question alone: each has a flag.',
    async ({ run }) => {
      const { code, stderr } = await run(['auth', 'login'], {
        env: { LINKCTL_BASE_URL: '', LINKCTL_USERNAME: '', LINKCTL_API_KEY: '' },
      });
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/--(base-url|profile)/) });
    },
  ],
  [
    'B56',
    'Confirmation grows: one link is shown, several are counted with five examples, a selection by tag needs its number typed.',
    'test/commands/delete.test.ts',
  ],
  [
    'B57',
    '`--max-affected` stops before the first change; in a script `--by-tags` needs it beside `--yes`.',
    async ({ run, service }) => {
      await store(service, numbered(3, { tags: ['old'] }));
      expect((await run(['delete', '--by-tags', 'old', '--yes'])).code).toBe(2);
      expect((await run(['delete', '--by-tags', 'old', '--yes', '--max-affected', '2'])).code).toBe(2);
      expect((await run(['delete', 'h0', 'h1', 'h2', '--yes', '--max-affected', '2'])).code).toBe(2);
      expect(await stored(service)).toHaveLength(3);
    },
  ],
  [
    'B58',
    'Questions and summaries of runs name profile or account, host and domain.',
    async ({ run, wire, folder }) => {
      writeFileSync(join(folder, 'links.txt'), 'https://example.com/1\n');
      const { stderr } = await run(['shorten', '-f', join(folder, 'links.txt')]);
      const summary = stderr.split('\n').find((line) => line.includes('1 created')) ?? '';
      expect(summary).toContain(new URL(wire.baseUrl).host);
      expect(summary).toContain('localhost');
    },
  ],
  ['B59', 'An answer of no is exit 1, and nothing is changed.', 'test/terminal/questions.test.ts'],
  [
    'B60',
    '`--dry-run` sends nothing that changes anything and shows what would happen; JSON has the requests.',
    async ({ run, service, calls }) => {
      await store(service, numbered(1));
      expect(await run(['delete', 'h0', '-n'])).toMatchObject({ code: 0, stdout: expect.stringContaining('h0') });
      const { stdout } = await run(['edit', 'h0', '--note', 'x', '-n', '-o', 'json']);
      expect(JSON.parse(stdout)).toMatchObject({
        dry_run: true,
        requests: [{ method: 'PATCH', body: { urls: [{ note: 'x' }] } }],
      });
      expect((await calls()).filter((call) => !call.startsWith('GET'))).toEqual([]);
    },
  ],
];

/** F. Configuration, profiles and credentials. */
export const profileBehaviours: readonly Behaviour[] = [
  [
    'B61',
    'A flag beats a variable, a variable beats the profile; `--profile` beats variables of credentials.',
    async ({ run, homeEnv, env, wire }) => {
      await login(run, wire.baseUrl, env);
      await run(['config', 'set', 'output', 'csv', '-p', 'work'], { env: homeEnv });
      const listing = async (extra: Record<string, string>, ...flags: string[]): Promise<string> =>
        (
          await run(['list', '-p', 'work', '--fields', 'hash', ...flags], {
            env: { LINKCTL_API_KEY: 'wrong-key-of-length', ...extra },
          })
        ).stdout;
      expect(await listing({})).toBe('hash\n');
      expect(await listing({ LINKCTL_OUTPUT: 'jsonl' })).toBe('');
      expect(await listing({ LINKCTL_OUTPUT: 'jsonl' }, '-o', 'csv')).toBe('hash\n');
    },
  ],
  [
    'B62',
    'Credentials are one set, taken whole from flags and variables or from one profile; a part of it is exit 2.',
    async ({ run, calls }) => {
      const part = { LINKCTL_BASE_URL: '', LINKCTL_USERNAME: '' };
      expect(await run(['list'], { env: part })).toMatchObject({ code: 2, stderr: expect.stringContaining('LINKCTL_USERNAME') });
      expect(await calls()).toEqual([]);
    },
  ],
  [
    'B63',
    'Where variables take the place of a stored profile, `-v` and a terminal say so.',
    async ({ run, env, wire }) => {
      await login(run, wire.baseUrl, env);
      expect((await run(['list', '-v'])).stderr).toMatch(/LINKCTL_API_KEY.*"work"/);
      expect((await run(['list'])).stderr).toBe('');
    },
  ],
  [
    'B64',
    'The key is never taken from the command line; a file, stdin, a command, a question or a variable gives it.',
    async ({ run, env, wire, folder, calls }) => {
      expect((await run(['list', '--api-key', 'secret-secret-secret'])).code).toBe(2);
      expect(await calls()).toEqual([]);
      writeFileSync(join(folder, 'key'), `${env.LINKCTL_API_KEY}\n`, { mode: 0o600 });
      const flags = ['--base-url', wire.baseUrl, '--username', 'ann', '--api-key-file', join(folder, 'key')];
      expect((await run(['list', ...flags], { env: { LINKCTL_API_KEY: '' } })).code).toBe(0);
    },
  ],
  [
    'B65',
    '`auth login` checks the key with the server before it stores anything.',
    async ({ run, env, wire, folder }) => {
      await wire.script([faults.refuse(1300)]);
      expect(await login(run, wire.baseUrl, env)).toBe(4);
      expect(() => readFileSync(join(folder, '.config/linkctl/config.json'))).toThrow('ENOENT');
      expect(await login(run, wire.baseUrl, env)).toBe(0);
    },
  ],
  [
    'B66',
    'The configuration is 0600 in a folder of 0700; looser ones are warned of with the command that fixes them.',
    async ({ shell, run, env, wire }) => {
      await login(run, wire.baseUrl, env);
      const modes = 'stat -c %a "$HOME/.config/linkctl" "$HOME/.config/linkctl/config.json"';
      expect((await shell(modes)).stdout).toBe('700\n600\n');
      const { stderr } = await shell('chmod 644 "$HOME/.config/linkctl/config.json"; $linkctl list -p work');
      expect(stderr).toContain('chmod 600');
    },
  ],
  [
    'B67',
    'The configuration is in `LINKCTL_CONFIG_DIR`, else below an absolute `XDG_CONFIG_HOME`, else below `~/.config`.',
    async ({ run, folder }) => {
      const path = async (env: Record<string, string>): Promise<string> => (await run(['config', 'path'], { env })).stdout;
      expect(await path({})).toContain(join(folder, '.config/linkctl/config.json'));
      expect(await path({ XDG_CONFIG_HOME: join(folder, 'x') })).toContain(join(folder, 'x/linkctl/config.json'));
      expect(await path({ XDG_CONFIG_HOME: 'relative' })).toContain(join(folder, '.config/linkctl/config.json'));
      expect(await path({ LINKCTL_CONFIG_DIR: join(folder, 'y') })).toContain(join(folder, 'y/config.json'));
    },
  ],
  [
    'B68',
    'Names of profiles are letters, digits, `_` and `-`.',
    async ({ run, env, wire }) => {
      expect(await login(run, wire.baseUrl, env, 'a.b')).toBe(2);
    },
  ],
  [
    'B69',
    'An unknown profile is exit 9 with the known ones; no profile at all is exit 4 with what to do.',
    async ({ run, env, wire }) => {
      const nobody = { LINKCTL_BASE_URL: '', LINKCTL_USERNAME: '', LINKCTL_API_KEY: '' };
      expect(await run(['list'], { env: nobody })).toMatchObject({
        code: 4,
        stderr: expect.stringMatching(/linkctl auth login[\s\S]*-p sandbox|-p sandbox[\s\S]*linkctl auth login/),
      });
      await login(run, wire.baseUrl, env);
      expect(await run(['list', '-p', 'wrok'])).toMatchObject({ code: 9, stderr: expect.stringContaining('work') });
    },
  ],
  [
    'B70',
    'Reading commands write nothing: they work without a home.',
    async ({ run, service }) => {
      await store(service, numbered(1));
      expect(await run(['list'], { env: { HOME: '/proc/none' } })).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^h0\t/),
      });
    },
  ],
  [
    'B71',
    'A corrupt configuration is exit 9 with path and line, and is never overwritten.',
    async ({ run, folder }) => {
      writeFileSync(join(folder, 'config.json'), '{"profiles": {},\n}');
      const env = { LINKCTL_CONFIG_DIR: folder };
      for (const argv of [
        ['list', '-p', 'work'],
        ['config', 'set', 'output', 'json', '-p', 'work'],
      ])
        expect(await run(argv, { env })).toMatchObject({ code: 9, stderr: expect.stringMatching(/config\.json.*2/) });
      expect(readFileSync(join(folder, 'config.json'), 'utf8')).toBe('{"profiles": {},\n}');
    },
  ],
  [
    'B72',
    '`auth status` and `config list` show every value with its source, and of a key only its end.',
    async ({ run, env }) => {
      const { code, stdout } = await run(['auth', 'status', '--offline', '--json']);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ username: 'ann', username_source: expect.stringContaining('LINKCTL_USERNAME') });
      expect(stdout).not.toContain(env.LINKCTL_API_KEY);
      expect((await run(['config', 'list', '--json'])).stdout).toMatch(/"source"/);
    },
  ],
  [
    'B73',
    'Secrets never reach logs: `--debug` shows none.',
    async ({ run, env }) => {
      const { stderr } = await run(['list', '--debug']);
      expect(stderr).toMatch(/authorization: Basic \[redacted\]/i);
      for (const secret of [env.LINKCTL_API_KEY ?? '-', Buffer.from(`ann:${env.LINKCTL_API_KEY}`).toString('base64')])
        expect(stderr).not.toContain(secret);
    },
  ],
  [
    'B74',
    'A stored key goes only to the server that it was stored for, and `http://` only to this machine unless it is allowed.',
    async ({ run, env, wire, service, calls }) => {
      await login(run, wire.baseUrl, env);
      const before = (await calls()).length;
      const nobody = { LINKCTL_BASE_URL: '', LINKCTL_USERNAME: '', LINKCTL_API_KEY: '' };
      expect((await run(['list', '-p', 'work', '--base-url', service.baseUrl], { env: nobody })).code).toBe(2);
      expect((await run(['list'], { env: { LINKCTL_BASE_URL: 'http://api.example.com/api/3' } })).code).toBe(2);
      expect((await calls()).length).toBe(before);
    },
  ],
];
