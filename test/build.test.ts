import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { copyBuilds, programFolder } from './support/built-program.ts';
import { test } from './support/linkctl.ts';

const root = join(import.meta.dirname, '..');
const { putInPlace } = await import(join(root, 'bin', 'build', 'put-in-place.mjs'));

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A checkout of its own, with the program as it was built last. */
function checkoutIn(
  folder: string,
  env: Record<string, string>,
): { checkout: string; run(argv: readonly string[], flags?: readonly string[]): Promise<Ran> } {
  const checkout = join(folder, 'checkout');
  mkdirSync(checkout);
  for (const name of ['bin', 'src', 'package.json', 'tsconfig.json'])
    cpSync(join(root, name), join(checkout, name), { recursive: true });
  copyBuilds(join(checkout, 'dist'));
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  const run = (argv: readonly string[], flags: readonly string[] = []): Promise<Ran> =>
    new Promise((resolve) => {
      execFile(process.execPath, [...flags, join(checkout, 'bin', 'linkctl.js'), ...argv], { env }, (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
      });
    });
  return { checkout, run };
}

test('all code of the program is ASCII, because it is loaded byte by byte', () => {
  const files = readdirSync(programFolder).filter((name) => name.endsWith('.cjs'));
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((name) => /[\u0080-\uffff]/.test(readFileSync(join(programFolder, name), 'utf8')))).toEqual([]);
});

/** Flags of Node that run `deed` when the program loads its CSV parser. */
function probe(folder: string, deed: string): string[] {
  const path = join(folder, 'probe.cjs');
  writeFileSync(
    path,
    `const fs = require('fs');
    const { openSync } = fs;
    fs.openSync = (path, ...rest) => {
      if (/csv-parse[^/]*\\.cjs$/.test(path)) {
        fs.openSync = openSync;
        ${deed};
      }
      return openSync(path, ...rest);
    };`,
  );
  return ['--require', path];
}

const preview = (folder: string): string[] => {
  const rows = join(folder, 'rows.csv');
  writeFileSync(rows, 'long_url\nhttps://example.com/\n');
  return ['shorten', '-f', rows, '--dry-run'];
};

describe('D43: a rebuild', () => {
  test('D43: a program that starts during a build is whole, and one that runs already keeps its parts', async ({
    folder,
    env,
  }) => {
    const { checkout, run } = checkoutIn(folder, env);
    const before = await run(preview(folder));
    expect(before).toMatchObject({ code: 0, stderr: expect.stringMatching(/nothing was sent\n$/) });
    const build = `require('child_process').execFileSync('npm', ['run', '--silent', 'build'], { cwd: ${JSON.stringify(checkout)} })`;
    let isOver = false;
    const old = run(preview(folder), probe(folder, build)).finally(() => {
      isOver = true;
    });
    let runs = 0;
    while (!isOver) {
      expect(await run(['config', 'path'])).toMatchObject({ code: 0, stderr: '' });
      runs += 1;
      // The build needs the machine, too.
      await delay(250);
    }
    expect(runs).toBeGreaterThan(2);
    expect(await old).toEqual(before);
    expect(readFileSync(join(checkout, 'dist', 'current'), 'utf8')).not.toBe(basename(programFolder));
    expect(await run(preview(folder))).toEqual(before);
  });

  test('D43: where a part of a running program is gone, one line says so', async ({ folder, env }) => {
    const { checkout, run } = checkoutIn(folder, env);
    const gone = `fs.rmSync(${JSON.stringify(join(checkout, 'dist'))}, { recursive: true })`;
    expect(await run(preview(folder), probe(folder, gone))).toEqual({
      code: 9,
      stdout: '',
      stderr: 'error: an update replaced linkctl while this command was running\nhint: run the same command again\n',
    });
    expect(await run(['--version'])).toEqual({ code: 9, stdout: '', stderr: 'error: linkctl is not built: npm ci builds it\n' });
  });

  test('D43: where the answer to a change is lost and a part is gone, the outcome is unknown, and the record says what was sent', async ({
    folder,
    env,
  }) => {
    const { checkout, run } = checkoutIn(folder, env);
    const path = join(folder, 'probe.cjs');
    writeFileSync(
      path,
      `const http = require('http');
      const { request } = http;
      http.request = (...given) => {
        const sent = request(...given);
        sent.on('response', () => {
          require('fs').rmSync(${JSON.stringify(join(checkout, 'dist'))}, { recursive: true });
          sent.destroy(new Error('lost'));
        });
        return sent;
      };`,
    );
    expect(await run(['shorten', 'https://example.com/'], ['--require', path])).toEqual({
      code: 10,
      stdout: '',
      stderr:
        'error: an update replaced linkctl while this command was running: the outcome of its changes is unknown\n' +
        'hint: before repeating the command, check with: linkctl list\n',
    });
    const [record = ''] = readdirSync(join(env.XDG_STATE_HOME ?? join(folder, '.local', 'state'), 'linkctl', 'runs'));
    expect(record).toMatch(/\.log$/);
  });

  test('D43: a build removes all but itself, the one before it and what is younger than an hour', ({ folder }) => {
    const long = new Date(statSync(folder).mtimeMs - 3 * 3_600_000);
    const make = (name: string): void => {
      mkdirSync(join(folder, name));
      utimesSync(join(folder, name), long, long);
    };
    make('first');
    putInPlace(folder, 'first');
    for (const name of ['second', 'killed']) make(name);
    putInPlace(folder, 'second');
    expect(readdirSync(folder).sort()).toEqual(['current', 'first', 'second']);
    mkdirSync(join(folder, 'beside'));
    make('third');
    putInPlace(folder, 'third');
    expect(readdirSync(folder).sort()).toEqual(['beside', 'current', 'second', 'third']);
    expect(readFileSync(join(folder, 'current'), 'utf8')).toBe('third');
    rmSync(join(folder, 'beside'), { recursive: true });
    expect(existsSync(join(folder, 'first'))).toBe(false);
  });
});
