import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { processExists } from '../../src/base/system.ts';
import { startProgram, written } from '../support/built-program.ts';
import { sent } from '../support/linkctl.ts';
import { screenOf } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { test } from './world.ts';

const slowly = { times: 'all', delay: 400 } as const;

function links(folder: string, count: number): string {
  const file = join(folder, 'links.txt');
  writeFileSync(file, Array.from({ length: count }, (_, index) => `https://example.com/${index}`).join('\n'));
  return file;
}

describe('Ctrl-C', () => {
  test('B41: ends a listing at once, by the signal, with a word and the terminal as it was', async ({ open, wire }) => {
    await wire.script([{ times: 'all', end: 'silent' }]);
    const terminal = open(['list']);
    await until(async () => (await sent(wire)).length > 0, 'a request is sent');
    terminal.type('\u0003');
    const { code, signal, shown } = await terminal.ended();
    expect({ code, signal, screen: screenOf(shown) }).toEqual({ code: null, signal: 'SIGINT', screen: ['^Cinterrupted', ''] });
    expect(terminal.settings()).toEqual(expect.arrayContaining(['echo', 'icanon', 'isig']));
  });

  test('B41: its word has a line of its own, also within a JSON document', async ({ open, linkctl, wire }) => {
    await linkctl(['shorten', 'https://a.example/', 'https://b.example/']);
    await wire.script([{ only: { path: '/urls' } }, { times: 'all', end: 'silent' }]);
    const terminal = open(['list', '--all', '--page-size', '1', '-o', 'json']);
    await terminal.sees('"long_url": "https://b.example/"');
    terminal.type('\u0003');
    const { signal, shown } = await terminal.ended();
    expect(signal).toBe('SIGINT');
    expect(screenOf(shown)).toContainEqual(expect.stringMatching(/^(\^C)?interrupted$/));
  });

  test('B41: a shell sees 130', async ({ open, wire }) => {
    await wire.script([{ times: 'all', end: 'silent' }]);
    const terminal = open([], { shell: 'trap : INT; $linkctl list; echo "code $?"' });
    await until(async () => (await sent(wire)).length > 0, 'a request is sent');
    terminal.type('\u0003');
    expect((await terminal.ended()).shown).toContain('code 130');
  });

  test.for([
    ['stdout', ['list', '--all', '-o', 'json'], 1],
    ['stderr', ['list', '--all', '-o', 'json', '--debug'], 2],
  ] as const)(
    'B41: a blocked reader of %s does not keep a listing alive',
    async ([name, argv, times], { env, linkctl, wire }) => {
      const lines = Array.from({ length: 6000 }, (_, index) => `https://example.com/a/rather/long/path/for/a/link/${index}`);
      await linkctl(['shorten', '-f', '-', '-q'], { stdin: lines.join('\n') });
      await wire.script([{ times: 2 }, { times: 'all', end: 'silent' }]);
      const before = (await sent(wire)).length;
      const { process: child, ended } = startProgram(argv, env);
      child[name]?.pause();
      await until(async () => (await sent(wire)).length > before, 'a request is sent');
      await delay(1000);
      const died = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
      child.kill('SIGINT');
      // Two that come before the program runs again are one signal: the second is sent until it has come.
      if (times > 1) await until(() => child.signalCode !== null || !child.kill('SIGINT'), 'the program ends');
      expect(await died).toBe('SIGINT');
      child[name]?.resume();
      child.kill('SIGKILL');
      const { stderr } = await ended;
      if (name === 'stdout') expect(stderr).toBe('interrupted\n');
    },
  );

  test.for([
    ['R-18, B41: a signal ends a run', ['shorten'], 'SIGTERM', null],
    ['R-9, R-18: --max-time ends a run', ['shorten', '--max-time', '4'], null, 8],
    ['R-9: --max-time ends a listing', ['list', '--all', '--max-time', '4'], null, 8],
  ] as const)('%s whose output nobody reads', async ([, words, signal, code], { env, folder, linkctl, wire }) => {
    const isRun = words[0] === 'shorten';
    const file = links(folder, 4000);
    if (!isRun) await linkctl(['shorten', '-f', file, '-q']);
    const argv = isRun ? ['-f', file, '--batch-size', '100'] : [];
    const { process: child, ended } = startProgram([...words, ...argv, '-o', 'json'], env);
    child.stdout?.pause();
    const died = once(child, 'exit');
    if (signal) await until(() => pausesIn(wire), 'nothing is sent any more');
    if (signal) child.kill(signal);
    expect(await died).toEqual([code, signal]);
    child.stdout?.resume();
    const { stderr } = await ended;
    if (code) expect(stderr).toContain('"message":"not completed within 4 s (--max-time)"');
    if (!isRun) return;
    expect(stderr).toMatch(/^4000 rows: \d+ created, \d+ not sent .*\n(.+\n)*to resume run .*\n/m);
    const again = await linkctl(['shorten', '-f', file, '--fields', 'hash', '--no-header']);
    expect(new Set(again.stdout.trim().split('\n')).size).toBe(4000);
    const made = Number(/^4000 rows: (\d+)/m.exec(stderr)?.[1]);
    expect(again.stderr).toContain(`: ${made} of 4000 rows are done`);
  });

  test('R-18: a run that is complete, and whose output nobody reads, says so and how to see its rows', async ({
    env,
    folder,
    wire,
  }) => {
    const { process: child, ended } = startProgram(['shorten', '-f', links(folder, 3000), '-o', 'json'], env);
    child.stdout?.pause();
    const died = once(child, 'exit');
    await until(() => pausesIn(wire), 'nothing is sent any more');
    child.kill('SIGTERM');
    expect(await died).toEqual([9, null]);
    child.stdout?.resume();
    const { stderr } = await ended;
    expect(stderr).toContain('"message":"not all of the output was read"');
    expect(stderr).toContain('3000 rows: 3000 created');
    expect(stderr).toContain('run the same command again to print its rows');
  });

  test('R-18: stops a shortening run after the batches in progress; the same command resumes', async ({ open, folder, wire }) => {
    const file = links(folder, 2000);
    await wire.script([{ times: 'all', held: true, only: { method: 'POST' } }]);
    const terminal = open(['shorten', '-f', file, '--batch-size', '20', '--results', join(folder, 'done.csv'), '--no-color']);
    await wire.held();
    terminal.type('\u0003');
    await terminal.sees('interrupted: waiting for the batches in progress');
    await wire.release();
    const { signal, shown } = await terminal.ended();
    expect(signal).toBe('SIGINT');
    const screen = screenOf(shown);
    expect(screen).toContainEqual(expect.stringContaining('interrupted: waiting for the batches in progress'));
    expect(screen).toContainEqual(expect.stringMatching(/^2000 rows: \d+ created, \d+ not sent/));
    expect(screen).toContainEqual(expect.stringMatching(/^to resume run /));
    expect(terminal.settings()).toEqual(expect.arrayContaining(['echo', 'icanon', 'isig']));
    const created = Number(/rows: (\d+) created/.exec(shown)?.[1]);
    expect(created).toBe(20 * posts(await sent(wire)));
    await wire.script([]);
    const again = await open(['shorten', '-f', file]).ended();
    expect(again).toMatchObject({ code: 0, shown: expect.stringContaining(`${created} of 2000 rows are done`) });
  });

  test('R-18: a second one ends a run at once, and says how to resume it', async ({ open, folder, wire }) => {
    await wire.script([{ times: 'all', only: { method: 'POST' }, end: 'silent' }]);
    const terminal = open(['shorten', '-f', links(folder, 100)]);
    await until(async () => posts(await sent(wire)) > 0, 'a POST is sent');
    terminal.type('\u0003');
    await terminal.sees('a second signal (Ctrl-C)');
    terminal.type('\u0003');
    expect(await terminal.ended()).toMatchObject({
      code: null,
      signal: 'SIGINT',
      shown: expect.stringMatching(/to resume run [\w-]+, run the same command again\r\n$/),
    });
  });

  test('R-18: SIGTERM after Ctrl-C does the same', async ({ env, folder, wire }) => {
    await wire.script([{ times: 'all', only: { method: 'POST' }, end: 'silent' }]);
    const { process: child, ended } = startProgram(['shorten', '-f', links(folder, 100)], env);
    const isWaiting = written(child, 'a second signal (Ctrl-C)');
    await until(async () => posts(await sent(wire)) > 0, 'a POST is sent');
    child.kill('SIGINT');
    await isWaiting;
    child.kill('SIGTERM');
    const { signal, stderr } = await ended;
    expect(signal).toBe('SIGTERM');
    expect(stderr).toMatch(/\nto resume run [\w-]+, run the same command again\n$/);
  });

  test('R-18: a blocked reader of stderr does not keep a run alive', async ({ env, folder, wire }) => {
    const post = { only: { method: 'POST' } };
    await wire.script([post, { times: 'all', end: 'silent', ...post }]);
    const { process: child } = startProgram(['shorten', '-f', links(folder, 1000), '--batch-size', '500', '--debug'], env);
    child.stderr?.pause();
    await until(async () => posts(await sent(wire)) > 1, 'the second POST is sent');
    const died = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
    // Two that come before the program runs again are one signal: the second is sent until it has come.
    await until(() => child.signalCode !== null || !child.kill('SIGINT'), 'the program ends');
    expect(await died).toBe('SIGINT');
    child.stderr?.resume();
  });

  test.for([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('B41: %s ends a listing by the signal: a shell sees %i', async ([signal, code], { open, wire }) => {
    await wire.script([{ times: 'all', end: 'silent' }]);
    const terminal = open([], { shell: '$linkctl list & echo "child $!."; wait $!; echo "code $?"' });
    await terminal.sees('child ');
    await until(async () => (await sent(wire)).length > 0, 'a request is sent');
    process.kill(Number(/child (\d+)/.exec(terminal.shown())?.[1]), signal);
    expect((await terminal.ended()).shown).toContain(`code ${code}`);
  });
});

describe('a terminal that goes away', () => {
  test.for([
    [
      'R-18: a run in the background ends as if it were there',
      'set -m;',
      'shorten -f $links --batch-size 20',
      0,
      /^to undo it: .*\n$/m,
    ],
    [
      'R-18: a change in the foreground says how it ended',
      '',
      'shorten https://a.example/',
      10,
      /^error: outcome unknown: .*\nhint: /m,
    ],
  ] as const)('%s, with its own code', async ([, setting, argv, code, said], { open, folder, wire }) => {
    const files = { links: links(folder, 40), code: join(folder, 'code'), stderr: join(folder, 'stderr') };
    const only = { method: 'POST' };
    await wire.script([code === 0 ? { only, delay: 1000 } : { only, end: 'silent' }]);
    const job = `trap : HUP; $linkctl ${argv}; echo $? > $code`;
    const terminal = open([], { shell: `${setting} bash -c '${job}' <&0 > /dev/null 2> $stderr & wait`, env: files });
    await until(async () => posts(await sent(wire)) > 0, 'a POST is sent');
    terminal.close();
    await until(() => existsSync(files.code) && readFileSync(files.code, 'utf8') !== '', 'the program ends');
    expect(readFileSync(files.code, 'utf8')).toBe(`${code}\n`);
    expect(readFileSync(files.stderr, 'utf8')).toMatch(said);
  });

  test('E49: the service stops', async ({ open, folder }) => {
    const terminal = open([], { shell: `$linkctl serve --port 0 --data ${folder}/service & echo "child $!."; wait` });
    await terminal.sees('http://127.0.0.1:');
    const child = Number(/child (\d+)/.exec(terminal.shown())?.[1]);
    terminal.close();
    await until(() => !processExists(child), 'it has stopped');
  });
});

describe('progress', () => {
  test('B89: a run of more than a second has one line that takes itself away', async ({ open, folder, wire }) => {
    await wire.script([{ ...slowly, only: { method: 'POST' } }]);
    const terminal = open(['shorten', '-f', links(folder, 120), '--batch-size', '20', '-o', 'tsv']);
    await terminal.sees('/6 batches · ');
    await terminal.sees(' failed');
    const { code, shown } = await terminal.ended();
    expect(code).toBe(0);
    expect(shown).toMatch(/\r\u001b\[K\d+\/6 batches · \d+\/120 · 0 failed( · ETA \d+s)?\r\u001b\[K/);
    expect(screenOf(shown).filter((line) => line.includes('batches ·'))).toEqual([]);
    expect(screenOf(shown).filter((line) => line.startsWith('http'))).toHaveLength(120);
  });

  test('B89: a listing of more than a second has it, too', async ({ open, linkctl, wire }) => {
    await linkctl(['shorten', '-f', '-', '-q'], { stdin: 'https://a.example/\nhttps://b.example/\nhttps://c.example/\n' });
    await wire.script([{ times: 'all', delay: 600 }]);
    const { shown } = await open(['list', '--all', '--page-size', '1']).ended();
    expect(shown).toMatch(/\r\u001b\[K\d\/3 links\r\u001b\[K/);
  });

  test('B22, B89: the line takes nothing away from a JSON document', async ({ open, linkctl, wire }) => {
    await linkctl(['shorten', '-f', '-', '-q'], { stdin: 'https://a.example/\nhttps://b.example/\nhttps://c.example/\n' });
    await wire.script([{ times: 'all', delay: 600 }]);
    const { shown } = await open(['list', '--all', '--page-size', '1', '-o', 'json']).ended();
    expect(shown).toContain('/3 links');
    expect(JSON.parse(screenOf(shown).join('\n')).urls).toHaveLength(3);
  });

  test.for([
    ['CI', 'true'],
    ['TERM', 'dumb'],
  ])('B89, B96: with %s=%s nothing moves', async ([name = '', value = ''], { open, folder, wire }) => {
    await wire.script([{ ...slowly, only: { method: 'POST' } }]);
    const { shown } = await open(['shorten', '-f', links(folder, 80), '--batch-size', '20', '--concurrency', '1', '--no-color'], {
      env: { [name]: value },
    }).ended();
    expect(shown).not.toContain('\u001b');
    expect(shown).not.toMatch(/batches (·|-)/);
  });

  test('B89: --progress plain is a whole line for each batch', async ({ open, folder, wire }) => {
    const { shown } = await open(['shorten', '-f', links(folder, 60), '--batch-size', '20', '-q', '--progress', 'plain']).ended();
    expect(shown).not.toContain('batches');
    await wire.script([]);
    const told = await open(['shorten', '-f', links(folder, 80), '--again', '--batch-size', '20', '--progress', 'plain']).ended();
    expect(screenOf(told.shown).filter((line) => /^\d\/4 batches · \d+\/80 · 0 failed/.test(line)).length).toBeGreaterThanOrEqual(
      4,
    );
  });

  test('B89: SIGUSR2 says once the state of a run, wherever stderr leads', async ({ env, folder, wire }) => {
    const only = { method: 'POST' };
    await wire.script([
      { only, times: 2 },
      { only, held: true },
    ]);
    const program = startProgram(['shorten', '-f', links(folder, 100), '--batch-size', '20', '--concurrency', '1'], env);
    await wire.held();
    program.process.kill('SIGUSR2');
    await written(program.process, '/5 batches · ');
    await wire.release();
    const { code, stderr } = await program.ended;
    expect(code).toBe(0);
    expect(stderr.match(/^\d+\/5 batches · \d+\/100 · 0 failed.*$/gm)).toHaveLength(1);
  });
});

/** True if the service got nothing new for half a second. */
async function pausesIn(wire: Parameters<typeof sent>[0]): Promise<boolean> {
  const before = (await sent(wire)).length;
  await delay(500);
  return before > 0 && (await sent(wire)).length === before;
}

const posts = (calls: readonly { readonly call: string }[]): number => calls.filter(({ call }) => call.startsWith('POST')).length;
