import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { isExecutable, runProgram, runShell, startProgram } from './support/built-program.ts';
import { faults } from './support/faulty-steps.ts';
import { runInjected } from './support/injected.ts';
import { arrived, sent, test } from './support/linkctl.ts';
import { until } from './support/until.ts';

/** Enough rows for more than a pipe holds. */
async function manyLinks(linkctl: (argv: readonly string[], world?: object) => Promise<unknown>, count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, index) => `https://example.com/a/rather/long/path/for/a/link/${index}`);
  await linkctl(['shorten', '-f', '-', '-q'], { stdin: lines.join('\n') });
}

test('B98: the built program runs, and its exit code is the one of main', async ({ env }) => {
  expect(await runProgram(['--version'], env)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^linkctl \d/) });
  expect(await runProgram(['list', 'nowhere'], env)).toMatchObject({ code: 5, stdout: '' });
});

test('4.1.2, 4.1.3: the built program reads both encodings of forms', async ({ homeEnv, folder }) => {
  const key = 'k'.repeat(32);
  writeFileSync(join(folder, 'key'), key, { mode: 0o600 });
  const argv = ['serve', '--port', '0', '--drain', '0', '-o', 'json', '--api-key-file', join(folder, 'key')];
  const { process: serving, ended } = startProgram(argv, homeEnv);
  let said = '';
  serving.stdout?.on('data', (text: string) => {
    said += text;
  });
  const early = ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
  await Promise.race([until(() => said.includes('\n'), 'serve listened'), early]);
  early.catch(() => {});
  const { base_url } = JSON.parse(said) as { base_url: string };
  const authorization = `Basic ${Buffer.from(`sandbox:${key}`).toString('base64')}`;
  const errorOf = async (path: string, body: URLSearchParams | FormData, more = {}): Promise<number> => {
    const answer = await fetch(base_url + path, { method: 'POST', headers: { authorization, ...more }, body });
    return ((await answer.json()) as { error: { code: number } }).error.code;
  };
  const multipart = new FormData();
  multipart.append('label', 'two');
  const codes = [
    await errorOf('/tags', new URLSearchParams({ label: 'one' })),
    await errorOf('/tags', multipart),
    await errorOf('/tags/two', new URLSearchParams({ label: 'three' }), { 'x-http-method-override': 'PATCH' }),
  ];
  serving.kill('SIGTERM');
  await ended;
  expect(codes).toEqual([0, 0, 0]);
});

describe('B48: what is wrong with the machine is no bug', () => {
  const data = (folder: string) => join(folder, 'data', 'linkctl');
  const spoilt = [
    ['cannot create the folder', 'a file with this name already exists', (folder: string) => writeFileSync(data(folder), '')],
    [
      'cannot use the data folder',
      'file is not a database',
      (folder: string) => {
        mkdirSync(data(folder));
        writeFileSync(join(data(folder), 'links-a.db'), 'x'.repeat(5000));
      },
    ],
  ] as const;

  test.for(spoilt)('B67: %s of the sandbox: %s', async ([what, reason, spoil], { homeEnv, folder }) => {
    mkdirSync(dirname(data(folder)));
    spoil(folder);
    const env = { ...homeEnv, XDG_DATA_HOME: dirname(data(folder)) };
    const stderr = `error: ${what} ${data(folder)}: ${reason}\n`;
    expect(await runProgram(['-p', 'sandbox', 'list'], env)).toMatchObject({ code: 9, stdout: '', stderr });
    if (what === 'cannot use the data folder') return;
    expect(await runProgram(['serve', '--port', '0'], env)).toMatchObject({ code: 9, stdout: '', stderr });
  });

  test('B67: a place where no folder can be made is reported, and nothing loops', async ({ homeEnv }) => {
    for (const [name, line] of [
      ['XDG_DATA_HOME', ['-p', 'sandbox', 'list']],
      ['LINKCTL_CONFIG_DIR', ['config', 'set', 'output', 'json', '-p', 'sandbox']],
    ] as const) {
      const { code, stderr } = await runProgram(line, { ...homeEnv, [name]: '/proc/none' });
      expect({ code, stderr }).toEqual({
        code: 9,
        stderr: expect.stringMatching(/^error: cannot create the folder \/proc\/none\S*: /),
      });
    }
  });

  test('B67: a current folder that was deleted takes no file, and says so', async ({ homeEnv }) => {
    const lines = [
      ['-p sandbox shorten -f ../links.txt --results r.csv', 'cannot use ../links.txt: the current folder no longer exists'],
      ['-p sandbox shorten https://example.com/ --qr-file q/r', 'cannot make q/r: no such file or folder'],
      ['serve --port 0 --data q/r', 'cannot create the folder q/r: no such file or folder'],
    ];
    for (const [line, message] of lines) {
      const gone = 'echo https://example.com/ > "$HOME/links.txt"; mkdir -p "$HOME/gone"; cd "$HOME/gone"; rmdir "$HOME/gone"';
      const { code, stderr } = await runShell(`${gone}; $linkctl ${line}`, homeEnv);
      expect({ code, stderr }).toEqual({ code: 9, stderr: `error: ${message}\n` });
    }
  });

  test('F64: a sandbox without room on the disk says why it fails', async ({ homeEnv }) => {
    await runProgram(['-p', 'sandbox', 'shorten', 'https://example.com/'], homeEnv);
    const line = 'trap "" XFSZ; ulimit -f 40; $linkctl -p sandbox shorten $(seq -f https://example.com/%g 300) --retries 0';
    const { code, stderr } = await runShell(line, homeEnv);
    expect(code).toBe(10);
    expect(stderr).toMatch(/^warning: sandbox error: (database or disk is full|disk I\/O error)$/m);
  });

  test('B11: a setting that cannot be read ends a call of the sandbox as it ends any other', async ({ homeEnv }) => {
    const ran = await runProgram(['-p', 'sandbox', 'list'], { ...homeEnv, LINKCTL_TIMEOUT: 'abc' });
    expect(ran).toMatchObject({ code: 2, stderr: 'error: LINKCTL_TIMEOUT: expected seconds from 0.001 to 2147483, got "abc"\n' });
  });
});

describe('E71: links on a network disk', () => {
  const place = (folder: string) => join(folder, '.local/share/linkctl/links-a.db');

  test.for([
    ['gives programs no memory in common', 'mmap', 'ENODEV'],
    ['takes no file for it', 'openat', 'EACCES'],
  ])('E71: that %s are kept without the log that needs it', async ([, call = '', error], { homeEnv, folder }) => {
    const world = { calls: [call], answer: `error=${error}`, path: `${place(folder)}-shm` };
    const shorten = ['-p', 'sandbox', 'shorten', 'https://example.com/'];
    expect(await runInjected([...shorten, '--hash', 'one'], homeEnv, world)).toMatchObject({ code: 0, stderr: '' });
    expect(await runInjected([...shorten, '--hash', 'two'], homeEnv, world)).toMatchObject({ code: 0, stderr: '' });
    const list = ['-p', 'sandbox', 'list', '--fields', 'hash'];
    expect(await runInjected(list, homeEnv, world)).toMatchObject({ code: 0, stdout: 'two\none\n' });
    // The same folder on a disk of this computer, and back.
    expect(await runProgram(list, homeEnv)).toMatchObject({ code: 0, stdout: 'two\none\n' });
    expect(await runInjected(list, homeEnv, world)).toMatchObject({ code: 0, stdout: 'two\none\n' });
  });

  test('E71: that refuses locks are given up once, with a way out', async ({ homeEnv, folder }) => {
    const world = { calls: ['fcntl'], answer: 'error=ENOLCK', path: place(folder) };
    const ran = await runInjected(['-p', 'sandbox', 'list'], homeEnv, world);
    expect(ran).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('database is locked\nhint: if this is a network disk: set XDG_DATA_HOME'),
    });
  });
});

test('R 1.4, CLI 3.2: a run into the sandbox resumes, although its service has another port', async ({ homeEnv, folder }) => {
  const file = join(folder, 'links.txt');
  writeFileSync(file, Array.from({ length: 300 }, (_, index) => `https://example.com/${index}`).join('\n'));
  const shorten = ['-p', 'sandbox', 'shorten', '-f', file, '--generate-hashes', '--batch-size', '100'];
  expect((await runProgram([...shorten, '--budget', '6'], homeEnv)).code).toBe(7);
  const on = await runProgram(shorten, homeEnv);
  expect(on).toMatchObject({ code: 0, stderr: expect.stringMatching(/^resuming run /) });
  expect(on.stdout.trimEnd().split('\n')).toHaveLength(300);
  expect((await runProgram(['-p', 'sandbox', 'list', '--limit', '1', '--json'], homeEnv)).stdout).toContain('"total_count":300');
  expect((await runProgram(shorten, homeEnv)).code).toBe(2);
});

test('R 1.4: a file that was done into the sandbox stays done when the sandbox was served, and its domain has another name', async ({
  homeEnv,
  folder,
}) => {
  writeFileSync(join(folder, 'links.txt'), 'https://example.com/1\n');
  const shorten = ['-p', 'sandbox', 'shorten', '-f', join(folder, 'links.txt')];
  expect((await runProgram(shorten, homeEnv)).code).toBe(0);
  await runShell(
    '$linkctl serve --port 0 > "$HOME/served" 2>&1 & until [ -s "$HOME/served" ]; do sleep 0.1; done; kill $!; wait',
    homeEnv,
  );
  expect((await runProgram(['-p', 'sandbox', 'domains', '--fields', 'domain'], homeEnv)).stdout).toMatch(/^localhost:\d+\n$/);
  expect(await runProgram(shorten, homeEnv)).toMatchObject({ code: 2, stderr: expect.stringContaining('was already completed') });
});

test('B40, F7: a reader that went away ends a listing quietly, and no further page is asked for', async ({
  env,
  linkctl,
  wire,
}) => {
  await manyLinks(linkctl, 3000);
  const before = (await sent(wire)).length;
  const ran = await runShell('set -o pipefail; $linkctl list -o jsonl --page-size 500 | head -1 > /dev/null', env);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect((await sent(wire)).length - before).toBeLessThanOrEqual(3);
});

test('P1, B40: a reader that went away does not make a difference equal', async ({ env, linkctl, folder }) => {
  await manyLinks(linkctl, 3);
  writeFileSync(join(folder, 'links.csv'), 'hash,long_url\n');
  const ran = await runShell('set -o pipefail; $linkctl diff -f "$HOME/links.csv" | true', env);
  expect(ran).toMatchObject({ code: 12, stderr: '' });
});

test('B40: nobody reads the help, and nothing is wrong with that', async ({ env }) => {
  const ran = await runShell('set -o pipefail; (sleep 0.3; $linkctl --help) | true', env);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
});

test('B40: a reader that went away stops a shortening run with exit 9 and says how to resume', async ({ env, folder, wire }) => {
  const file = join(folder, 'links.txt');
  writeFileSync(file, Array.from({ length: 8000 }, (_, index) => `https://example.com/${index}`).join('\n'));
  const ran = await runShell(
    'set -o pipefail; $linkctl shorten -f "$HOME/links.txt" --batch-size 100 | head -1 > /dev/null',
    env,
  );
  expect(ran).toMatchObject({ code: 9, stderr: expect.stringContaining('hint: run the same command again to resume') });
  const posts = (await sent(wire)).filter(({ call }) => call.startsWith('POST')).length;
  expect(posts).toBeLessThan(80);
  const done = Number(/closed after (\d+) of 8000 rows/.exec(ran.stderr)?.[1]);
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThanOrEqual(100 * posts);
  const rest = await runShell('$linkctl shorten -f "$HOME/links.txt" | sort -u | wc -l', env);
  expect(rest.stdout.trim()).toBe('8000');
  expect((await runProgram(['list', '--limit', '1', '-o', 'json'], env)).stdout).toContain('"total_count":8000');
});

describe('E73: Windows', () => {
  test.skipIf(isExecutable)('E73: Ctrl-C ends with 130 where there are no signals to die of', async ({ env, folder, wire }) => {
    const disguise = join(folder, 'windows.cjs');
    writeFileSync(disguise, "Object.defineProperty(process, 'platform', { value: 'win32' });");
    await wire.script([faults.silentBefore]);
    const { process: running, ended } = startProgram(['list'], { ...env, NODE_OPTIONS: `--require ${disguise}` });
    await arrived(wire, 1);
    running.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, signal: null });
  });

  test('E73: a path in a pipe has its backslashes as they are', async ({ homeEnv, folder }) => {
    const place = join(folder, 'C:\\Users\\ann');
    const env = { ...homeEnv, LINKCTL_CONFIG_DIR: place };
    expect((await runProgram(['config', 'path'], env)).stdout).toBe(`${place}/config.json\n`);
    const state = { ...homeEnv, XDG_STATE_HOME: place };
    await runProgram(['-p', 'sandbox', 'shorten', '-f', '-', '-q'], state, 'https://example.com/');
    expect((await runProgram(['runs', 'show', 'last'], state)).stdout).toContain(`\njournal\t${place}/linkctl/runs/`);
  });
});

describe('colour', () => {
  test('T3: a flag that names colour does not switch it on in a pipe', async ({ env }) => {
    const ran = await runShell('$linkctl --color never list | cat; $linkctl --help | cat', { ...env, FORCE_COLOR: '' });
    expect(ran.stdout).not.toContain('\u001b');
  });

  test('B36: NO_COLOR beats FORCE_COLOR, and Node has nothing to say about it', async ({ env }) => {
    const ran = await runProgram(['list', '--limit', 'x'], { ...env, NO_COLOR: '1', FORCE_COLOR: '1' });
    expect(ran.stderr).not.toContain('\u001b');
    expect(ran.stderr).not.toContain('NO_COLOR');
  });
});
