import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { System } from '../../src/base/system.ts';
import { type KeySource, readKey } from '../../src/profiles/key-source.ts';
import { buildChild, ended } from '../support/child-program.ts';
import { until } from '../support/until.ts';
import { test } from './config-fixture.ts';

const canary = 'CANARY-4f1d2c3b4a59687786a5';
const node = (script: string): KeySource => ({ kind: 'command', argv: [process.execPath, '-e', script] });

async function failureOf(source: KeySource, system: System) {
  const error = await readKey(source, system).then(
    () => undefined,
    (failure) => failure,
  );
  expect(`${error?.message} ${error?.hint} ${error?.stack}`).not.toContain('CANARY');
  return error;
}

/** A world in which the time limit of a command is over at once, when `over` says so. */
const impatient = (system: System, over: Promise<unknown>): System => ({ ...system, sleep: async () => void (await over) });

test('R-38: what a command prints on stdout is the key', async ({ config }) => {
  expect(await readKey(node(`console.log(' ${canary} ')`), config.system())).toEqual({ value: canary, warnings: [] });
});

test('R-38: a command gets its words as they are; no shell looks at them', async ({ config }) => {
  const source: KeySource = {
    kind: 'command',
    argv: [process.execPath, '-e', 'console.log(process.argv[1])', '$(id) `id` *;"\''],
  };
  expect((await readKey(source, config.system())).value).toBe('$(id) `id` *;"\'');
});

test('R-44: a command does not see our secrets, and sees the rest', async ({ config }) => {
  const script = 'console.log([process.env.LINKCTL_API_KEY, process.env.linkctl_api_key, process.env.OTHER])';
  const system = config.system({ env: { LINKCTL_API_KEY: canary, linkctl_api_key: canary, OTHER: 'seen' } });
  expect((await readKey(node(script), system)).value).toBe("[ undefined, undefined, 'seen' ]");
});

test.for<[string, KeySource, string]>([
  ['fails', node(`console.log('${canary}'); process.exitCode = 1`), 'ended with exit code 1'],
  ['is killed', node(`console.log('${canary}'); process.kill(process.pid, 'SIGTERM')`), 'ended with SIGTERM'],
  ['prints nothing', node(''), 'the key is empty'],
  ['prints white space', node(`console.log(' \\n ')`), 'the key is empty'],
  ['prints two lines', node(`console.log('${canary}\\nuser: ann')`), 'expected only the key, on one line'],
  ['prints 10 MB', node(`process.stdout.write('${canary}'.repeat(400_000))`), 'printed more than 64 KiB'],
  ['writes the key to stderr', node(`console.error('${canary}')`), 'the key is empty'],
  ['prints bytes that are no text', node(`process.stdout.write(Buffer.from([65, 0xff]))`), 'not UTF-8'],
  ['does not exist', { kind: 'command', argv: ['no-such-program-here', canary] }, 'no-such-program-here was not found'],
  ['is not executable', { kind: 'command', argv: ['/', canary] }, '/ is not executable'],
])('F73: a command that %s is exit 4, and the key is in no message', async ([_what, source, reason], { config }) => {
  const system = config.system();
  const failure = await failureOf(source, system);
  expect(failure).toMatchObject({ exitCode: 4, message: expect.stringContaining(reason) });
  expect(failure.message).toMatch(/^api_key_command: /);
});

test('F73: a command that hangs is killed when the time is over', async ({ config }) => {
  mkdirSync(config.folder);
  const file = join(config.folder, 'process-id');
  const script = `require('node:fs').writeFileSync('${file}', String(process.pid)); setTimeout(() => {}, 60_000)`;
  const started = until(() => processIdIn(file) !== undefined, 'the command writes its process id');
  expect(await failureOf(node(script), impatient(config.system(), started))).toMatchObject({
    exitCode: 4,
    message: expect.stringContaining('did not finish within 10 s'),
  });
  await until(() => !isRunning(processIdIn(file) as number), 'the command is killed');
});

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

function processIdIn(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

test('F73: what a hanging command started and left behind keeps us from nothing', async ({ config }) => {
  const child = await buildChild(join(import.meta.dirname, 'key-child.ts'));
  onTestFinished(() => child.remove());
  const file = join(config.folder, 'process-id');
  mkdirSync(config.folder);
  expect(await ended(child.start([file, 'sh', '-c', `sleep 600 & echo $! > ${file}; wait`]))).toEqual({
    code: 4,
    signal: null,
    stderr: 'api_key_command: sh did not finish within 10 s\n',
  });
  const leftBehind = processIdIn(file) as number;
  expect(isRunning(leftBehind)).toBe(true);
  process.kill(leftBehind);
});

test.for<[string, string | Uint8Array, string]>([
  ['empty', '', 'the key is empty'],
  ['of white space', '\ufeff \n', 'the key is empty'],
  ['of two lines', `${canary}\nann`, 'expected only the key'],
  ['with an escape sequence', `\x1b[2J${canary}`, 'expected only the key'],
  ['in UTF-16', Buffer.from(`\ufeff${canary}`, 'utf16le'), 'expected only the key'],
  ['that is huge', 'k'.repeat(70_000), 'more than 64 KiB'],
])('a key file %s is exit 9 with its path', async ([_what, content, reason], { config }) => {
  mkdirSync(config.folder);
  const path = join(config.folder, 'key');
  writeFileSync(path, content, { mode: 0o600 });
  const failure = await failureOf({ kind: 'file', path }, config.system());
  expect(failure).toMatchObject({ exitCode: 9 });
  expect(failure.message).toContain(path);
  expect(failure.message).toContain(reason);
});

test('a key file that is missing, a folder or foreign is exit 9', async ({ config }) => {
  mkdirSync(config.folder);
  const path = join(config.folder, 'key');
  expect(await failureOf({ kind: 'file', path }, config.system())).toMatchObject({ exitCode: 9, hint: expect.anything() });
  expect((await failureOf({ kind: 'file', path: config.folder }, config.system())).message).toContain('it is a folder');
  writeFileSync(path, canary, { mode: 0o600 });
  const system = config.system();
  if (system.userId === 0) execFileSync('chown', ['54321', path]);
  const failure = await failureOf({ kind: 'file', path }, { ...system, userId: 4321 });
  expect(failure.message).toContain('belongs to another user');
});

test('R-24: a key file that others can read is used, with a warning that holds the chmod', async ({ config }) => {
  mkdirSync(config.folder);
  const path = join(config.folder, "ann's key");
  writeFileSync(path, `\ufeff${canary}\r\n`);
  chmodSync(path, 0o644);
  expect(await readKey({ kind: 'file', path }, config.system())).toEqual({
    value: canary,
    warnings: [`${path} is accessible to other users (0644): chmod 600 '${config.folder}/ann'\\''s key'`],
  });
});

test('a key may come through a pipe, as from <(pass show linkctl)', async ({ config }) => {
  mkdirSync(config.folder);
  const path = join(config.folder, 'pipe');
  execFileSync('mkfifo', ['-m', '600', path]);
  const writer = spawn('sh', ['-c', `printf %s ${canary} > "$0"`, path]);
  expect(await readKey({ kind: 'file', path }, config.system())).toEqual({ value: canary, warnings: [] });
  writer.kill();
});

test('a variable of white space or with a control character is exit 2 under its name', async ({ config }) => {
  for (const value of ['  ', `${canary}\n${canary}`, `${canary}\0`]) {
    const failure = await failureOf({ kind: 'variable', name: 'LINKCTL_API_KEY', value }, config.system());
    expect(failure).toMatchObject({ exitCode: 2, message: expect.stringMatching(/^LINKCTL_API_KEY: /) });
  }
});

test('a stored key with a line break is exit 9 and names the login', async ({ config }) => {
  const failure = await failureOf({ kind: 'stored', profile: 'work', value: `${canary}\n1` }, config.system());
  expect(failure).toMatchObject({ exitCode: 9, hint: 'linkctl auth login --profile work' });
});
