import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { wholeTree } from '../../src/cli/program.ts';
import { helpPages } from '../../src/help/pages.ts';
import { storedPages } from '../../src/help/stored-pages.ts';
import { programFolder, programPath, runProgram } from '../support/built-program.ts';
import { test } from '../support/linkctl.ts';

const run = promisify(execFile);
const folder = dirname(dirname(programPath));

interface Loaded {
  /** Files of ours and of packages, from the program's folder. */
  readonly files: string[];
  /** Modules of Node beyond those of an empty program. */
  readonly builtins: string[];
}

/** What of Node an empty program loads: the same for all. */
let empty: Set<string> | undefined;

/** What the built program has loaded when it ends: its files by what was read, Node's by `process.moduleLoadList`. */
async function loadedBy(argv: readonly string[], env: Record<string, string>): Promise<Loaded> {
  const probe = join(env.HOME as string, 'probe.cjs');
  writeFileSync(
    probe,
    `const fs = require('fs');
    const files = new Set();
    for (const name of ['openSync', 'readFileSync']) {
      const call = fs[name];
      fs[name] = (path, ...rest) => {
        if (/\\.c?js$/.test(path) && !/\\/code\\//.test(path)) files.add(path);
        return call(path, ...rest);
      };
    }
    process.once('exit', () => fs.writeFileSync(process.env.PROBE_RESULT, JSON.stringify({
      files: [...files], builtins: process.moduleLoadList })));`,
  );
  const read = async (result: string, ...command: string[]): Promise<Loaded> => {
    const PROBE_RESULT = join(env.HOME as string, result);
    // Some lines fail, and load what says so.
    await run(process.execPath, ['--require', probe, ...command], { env: { ...env, PROBE_RESULT } }).catch(() => undefined);
    return JSON.parse(readFileSync(PROBE_RESULT, 'utf8'));
  };
  empty ??= new Set((await read('empty.json', '--eval', '0')).builtins);
  const usual = empty;
  const { files, builtins } = await read('full.json', programPath, ...argv);
  return {
    files: files.filter((file) => file !== probe && dirname(file) !== dirname(programPath)),
    builtins: builtins.filter((name) => !usual.has(name)).map((name) => name.replace(/^\w+ /, '')),
  };
}

/** The packages that the files were made of, by their source maps. */
function packagesIn(files: readonly string[]): Set<string> {
  const sources = files.flatMap((file) => (file.startsWith(programFolder) ? sourcesOf(file) : [file]));
  return new Set(sources.flatMap((source) => /.*\bnode_modules\/(?!\.)((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []));
}

function sourcesOf(file: string): string[] {
  const { sources } = JSON.parse(readFileSync(`${file}.map`, 'utf8'));
  return sources.map((source: string) => join(dirname(file), source));
}

const heavy = ['@fastify/busboy', '@photostructure/sqlite', 'ajv', 'chalk', 'cli-table3', 'conf', 'csv-parse', 'undici'];

test('B98, T12: shortening one URL loads four files, and no library but the one that reads the command line', async ({ env }) => {
  const { files, builtins } = await loadedBy(['shorten', 'https://nodejs.org/'], env);
  expect(files.length).toBeLessThanOrEqual(4);
  expect([...packagesIn(files)]).toEqual(['commander']);
  expect(builtins).toContain('http');
  expect(
    builtins.filter((name) => ['child_process', 'crypto', 'fs/promises', 'tls', 'https', 'sqlite', 'zlib'].includes(name)),
  ).toEqual([]);
});

test('T12: the sandbox is asked by a function call, so nothing of Node that HTTP needs is loaded', async ({ env }) => {
  const { builtins } = await loadedBy(['-p', 'sandbox', 'shorten', 'https://nodejs.org/'], env);
  expect(builtins.filter((name) => ['http', 'cluster', 'child_process', 'dgram', 'dns'].includes(name))).toEqual([]);
});

/** The modules of ours that the files were made of, as they are called below `src`. */
function modulesIn(files: readonly string[]): string[] {
  const sources = files.filter((file) => file.startsWith(programFolder)).flatMap(sourcesOf);
  return sources.flatMap((source) => /.*\bsrc\/(.+)/.exec(source)?.[1] ?? []).sort();
}

/** Nothing where no more than so many thousand bytes in so many files were loaded; else what came in. */
function beyond(files: readonly string[], [kilobytes, count]: readonly [number, number]): object {
  const bytes = files.reduce((sum, file) => sum + readFileSync(file).length, 0);
  if (bytes <= kilobytes * 1000 && files.length <= count) return {};
  return { bytes, files: files.length, modules: modulesIn(files) };
}

/** Needed by a call that fails, is in doubt, meets a taken hash, or is of many links: never by one that is answered. */
const seldom = [
  'bulk/checked/newest-links.ts',
  'bulk/checked/newness.ts',
  'bulk/operations/conflicts.ts',
  'bulk/execution/batch-loop.ts',
  'bulk/sending/doubt.ts',
  'bulk/sending/resolving.ts',
  'bulk/checked/possible-links.ts',
  'client/answers/faults.ts',
  'client/api-messages.ts',
  'client/call/doubtful-fault.ts',
  'client/failure-messages.ts',
  'client/http/undici-transport.ts',
  'commands/edit/edited-file.ts',
  'change/rows/file.ts',
  'commands/qr/qr-pictures.ts',
  'commands/shorten/shortened-file.ts',
  'change/selection.ts',
  'help/usage-error.ts',
  'input/csv/csv-reader.ts',
  'input/hash-file.ts',
];

describe.for([
  { argv: ['shorten', 'https://nodejs.org/'], bound: [196, 4] },
  { argv: ['shorten', 'https://nodejs.org/', '--hash', 'mine'], bound: [214, 7] },
  { argv: ['list', '--limit', '500'], bound: [178, 7] },
  { argv: ['stats', 'h'], bound: [178, 8] },
  { argv: ['edit', 'h', '--note', 'x'], bound: [271, 12] },
  { argv: ['delete', 'h', '--yes'], bound: [296, 14] },
  { argv: ['--version'], bound: [24, 1] },
  { argv: ['shorten', '--help'], bound: [24, 1] },
  { argv: ['__complete', 'shor'], bound: [27, 2] },
  { argv: ['shorten', '--nosuch'], bound: [96, 4] },
] as const)('a command of one call: $argv', ({ argv, bound }) => {
  test(`loads no more than ${bound[0]} kB in ${bound[1]} files, and nothing that only a failure, doubt, files or many links need`, async ({
    env,
    linkctl,
  }) => {
    await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'h']);
    const { files } = await loadedBy(argv, env);
    const isMistyped = argv.some((word) => word === '--nosuch');
    const unwanted = seldom.filter((module) => !isMistyped || module !== 'help/usage-error.ts');
    expect(modulesIn(files).filter((module) => unwanted.includes(module))).toEqual([]);
    expect(beyond(files, bound)).toEqual({});
  });
});

test('of the folder for long runs, shortening one URL loads what its one record needs', async ({ env }) => {
  const { files } = await loadedBy(['shorten', 'https://nodejs.org/'], env);
  expect(modulesIn(files).filter((module) => module.startsWith('bulk/'))).toEqual([
    'bulk/execution/execution.ts',
    'bulk/execution/run-output.ts',
    'bulk/journal/journal.ts',
    'bulk/journal/ledger.ts',
    'bulk/journal/lines.ts',
    'bulk/journal/new-run.ts',
    'bulk/journal/small-journal.ts',
    'bulk/matching/answer-items.ts',
    'bulk/matching/matching.ts',
    'bulk/matching/row-verdict.ts',
    'bulk/operations/batches.ts',
    'bulk/operations/made-hashes.ts',
    'bulk/operations/modes.ts',
    'bulk/operations/operation.ts',
    'bulk/operations/shortening.ts',
    'bulk/past-runs/run-names.ts',
    'bulk/results/printed-row.ts',
    'bulk/results/row-outcome.ts',
    'bulk/run-plan.ts',
    'bulk/run.ts',
    'bulk/sending/batch-sender.ts',
    'bulk/sending/limiter.ts',
    'bulk/sending/settling.ts',
    'bulk/sending/stop.ts',
  ]);
});

test.for([
  ['list'],
  ['list', '-o', 'csv'],
  ['list', '--json'],
  ['tags'],
  ['stats'],
  ['edit', 'a', '--note', 'x'],
  ['delete', 'a', '--yes'],
  ['config', 'list'],
  ['runs'],
])(
  'B98: linkctl %j loads no library that only tables, bulk files, proxies or the sandbox need',
  async (argv, { env, linkctl }) => {
    await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'a']);
    const packages = packagesIn((await loadedBy(argv, env)).files);
    expect(heavy.filter((name) => packages.has(name))).toEqual([]);
  },
);

test('a table brings its library, so the test above would see one', async ({ env, linkctl }) => {
  await linkctl(['shorten', 'https://nodejs.org/']);
  expect(packagesIn((await loadedBy(['list', '-o', 'table'], env)).files)).toContain('cli-table3');
});

test('B98: a stored profile is read without a library', async ({ env, homeEnv, wire }) => {
  const login = ['auth', 'login', '--profile', 'work', '--base-url', wire.baseUrl, '--username', 'ann', '--with-key'];
  expect((await runProgram(login, homeEnv, env.LINKCTL_API_KEY)).code).toBe(0);
  const { files } = await loadedBy(['list', '--profile', 'work'], homeEnv);
  expect([...packagesIn(files)]).toEqual(['commander']);
});

test('the sandbox brings its storage engine, so the test above would see one', async ({ homeEnv }) => {
  const { files } = await loadedBy(['-p', 'sandbox', 'list'], homeEnv);
  const packages = packagesIn(files);
  if (process.versions.node.startsWith('20.')) expect(packages).toContain('@photostructure/sqlite');
  expect(heavy.filter((name) => packages.has(name) && name !== '@photostructure/sqlite')).toEqual([]);
});

test.for([['--version'], ['--help'], ['help', 'shorten'], ['tags', 'add', '--help'], ['ls', '-h'], ['__complete', 'shor']])(
  'B98: linkctl %s loads no command, and no module for streams, connections or digests',
  async (argv, { env }) => {
    const { files, builtins } = await loadedBy(argv, env);
    expect(files.length).toBeLessThanOrEqual(2);
    expect([...packagesIn(files)]).toEqual([]);
    const unwanted = ['child_process', 'crypto', 'http', 'fs/promises', 'net', 'stream', 'tls', 'tty'];
    expect(builtins.filter((name) => unwanted.includes(name))).toEqual([]);
  },
);

test('B95: the build writes down the commands as the command tree has them', async () => {
  const [root, ...commands] = readFileSync(join(programFolder, 'commands.jsonl'), 'utf8')
    .split('\n')
    .map((line) => JSON.parse(line));
  expect({ ...root, commands }).toEqual(JSON.parse(JSON.stringify(await wholeTree())));
  expect(root.commands.map(({ name }: { name: string }) => name)).toEqual(commands.map(({ name }) => name));
});

test('B98: the build writes down the pages of help as the command tree makes them', async () => {
  expect(readFileSync(join(programFolder, 'pages.txt'), 'utf8')).toBe(storedPages(helpPages(await wholeTree())));
});

test.for([
  ['--version'],
  ['-V'],
  [],
  ['--help'],
  ['help'],
  ['help', 'rm'],
  ['tags', '--help'],
  ['help', 'tags', 'rename'],
  ['csv', '-h'],
  ['help', 'nosuch'],
  ['help', 'tags rename'],
  ['auth', 'ls', '-h'],
])('B1: linkctl %j says what it says where the commands were not written down', async (argv, { linkctl, env }) => {
  const { code, stdout, stderr } = await runProgram(argv, env);
  expect({ code, stdout, stderr }).toEqual(await linkctl(argv));
});

test('B48: with --debug the trace of a bug of ours names lines of the source', async ({ env, folder: home }) => {
  const bug = join(home, 'bug.cjs');
  writeFileSync(bug, "globalThis.AbortController = class { constructor() { throw new Error('boom'); } };");
  const { stderr } = await run(process.execPath, ['--require', bug, programPath, '--debug', 'list'], {
    env,
  }).catch((error) => error);
  expect(stderr).toContain('internal error: boom');
  expect(stderr).toMatch(/at .*src\/cli\/runner\.ts:\d+:\d+/);
});

test('every file of the built program can be loaded, and holds all that it exports', async () => {
  const files = readdirSync(programFolder).filter((name) => name.endsWith('.cjs'));
  const check = `for (const name of ${JSON.stringify(files)}) {
    const held = require(${JSON.stringify(programFolder)} + '/' + name);
    for (const key in held) if (held[key] === undefined) throw new Error(name + ' has no ' + key);
  }`;
  await run(process.execPath, ['--eval', check], { cwd: folder });
});

test('R-50, B52: the built program goes through the proxy that the environment names', async ({ env }) => {
  const server = { LINKCTL_BASE_URL: 'https://api.example.test/3', LINKCTL_USERNAME: 'ann', LINKCTL_API_KEY: 'k'.repeat(24) };
  const failed = run(process.execPath, [programPath, 'account', '--retries', '0'], {
    env: { ...env, ...server, https_proxy: 'http://127.0.0.1:9' },
  });
  await expect(failed).rejects.toMatchObject({ code: 8, stderr: expect.stringContaining('https_proxy') });
});
