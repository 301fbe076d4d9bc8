import { execFile, spawn, spawnSync } from 'node:child_process';
import { once as emitted } from 'node:events';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, test as base, beforeAll, describe, expect } from 'vitest';
import { programPath, runProgram, type StartedProgram, startProgram, written } from '../support/built-program.ts';
import { type FaultyHost, startFaultyHost } from '../support/faulty-process.ts';
import { faults } from '../support/faulty-steps.ts';
import { leave, needs } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { readResults, resultsPath } from './deeds.ts';
import { type FaultWorld, openFaultWorld } from './fault-world.ts';
import { hurriedArguments, startHurried } from './hurried-program.ts';

/** R 3.3, F63 to F67, and how long is waited: keyed runs of ten rows, two in a call, one call at a time. */
const rows = 10;
const onPost = { only: { method: 'POST' } } as const;
const noAnswer = { ...faults.silentBefore, ...onPost };

let host: FaultyHost;
beforeAll(async () => {
  host = await startFaultyHost();
});
afterAll(() => host.close());

interface LocalWorld extends FaultWorld {
  readonly file: string;
  readonly argv: readonly string[];
  start(): StartedProgram;
  posts(): Promise<number>;
  /** Resolves when so many POSTs were read. */
  reach(posts: number): Promise<void>;
  /** How many links each row has. */
  links(): Promise<number[]>;
  /** Statuses in the results file, by row: `created created not_sent`. */
  reported(): string;
  /** A run that stopped in the middle, by the quota of calls. */
  stopInTheMiddle(): Promise<void>;
}

const test = base.extend<{ world: LocalWorld }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads a fixture's needs from this pattern
  world: async ({}, use) => {
    const world = localWorld(await openFaultWorld(host));
    await use(world);
    await world.close();
  },
});

function localWorld(world: FaultWorld): LocalWorld {
  const file = join(world.folder, 'links.txt');
  writeFileSync(file, Array.from({ length: rows }, (_, row) => `https://example.com/${row}\n`).join(''));
  const flags = ['--generate-hashes', '--batch-size', '2', '--concurrency', '1', '--results', resultsPath(world)];
  const argv = ['shorten', '-f', file, ...flags];
  const posts = async (): Promise<number> => (await world.server.requests()).filter(({ method }) => method === 'POST').length;
  return {
    ...world,
    file,
    argv,
    start: () => startHurried(argv, world.env),
    posts,
    async reach(count) {
      await until(async () => (await posts()) >= count, `${count} POSTs are read`);
    },
    async links() {
      const stored = await world.stored();
      return Array.from(
        { length: rows },
        (_, row) => stored.filter(({ long_url }) => long_url === `https://example.com/${row}`).length,
      );
    },
    reported: () =>
      readResults(world)
        .map(({ status }) => status)
        .join(' '),
    async stopInTheMiddle() {
      await world.server.script([
        { ...onPost, times: 4 },
        { ...faults.refuse(1303), ...onPost },
      ]);
      expect(await startHurried(argv, world.env).ended).toMatchObject({ code: 7 });
      await world.server.script([]);
    },
  };
}

const once = new Array(rows).fill(1);
const allCreated = new Array(rows).fill('created').join(' ');

async function expectDone(world: LocalWorld): Promise<void> {
  expect(await world.start().ended).toMatchObject({ code: 0 });
  expect(await world.links()).toEqual(once);
  expect(world.reported()).toBe(allCreated);
}

describe('F63: a journal that is damaged', () => {
  test('F63: a torn last line is cut off, and the run is resumed', async ({ world }) => {
    await world.stopInTheMiddle();
    appendFileSync(world.journal() ?? '', '0123456789abcdef {"type":"int');
    await expectDone(world);
  });

  test.for<[string, (path: string, text: string) => void]>([
    ['a flipped bit in the middle', (path, text) => writeFileSync(path, text.replace('"intent"', '"ijtent"'))],
    ['no bytes at all', (path) => truncateSync(path, 0)],
    ['two beginnings', (path, text) => writeFileSync(path, `${text.split('\n', 1)[0]}\n${text}`)],
  ])('F63: %s: exit 9, and nothing is sent', async ([, damage], { world }) => {
    await world.stopInTheMiddle();
    const path = world.journal() ?? '';
    damage(path, readFileSync(path, 'utf8'));
    const before = await world.posts();
    const { code, stderr } = await world.start().ended;
    expect({ code, posts: await world.posts() }).toEqual({ code: 9, posts: before });
    expect(stderr).toMatch(/^error: the journal .* is damaged/m);
  });
});

describe('F64: a disk that takes no more', () => {
  test.for([1, 2])(
    'F64: no file grows beyond %i KiB: exit 9, what was done is reported, and it can be resumed',
    async (size, { world }) => {
      const ended = await limited(size, world);
      expect(ended.code).toBe(9);
      expect(ended.stderr).toMatch(/^error: .*the file would exceed the size limit/m);
      const links = await world.links();
      // Where the disk is full after the first row, which is sent twice, its link is in both places.
      const reported = [
        ...ended.stdout.matchAll(/s\.ex\/\w+/g),
        ...ended.stderr.matchAll(/(?<=^line \d+: created .*)s\.ex\/\w+/gm),
      ];
      expect(new Set(reported.map(String)).size).toBe(links.filter((count) => count > 0).length);
      await expectDone(world);
    },
  );
});

test('F64: a disk without room for the rows that were checked: exit 9, and nothing is sent', async ({ world }) => {
  writeFileSync(world.file, Array.from({ length: 200 }, (_, row) => `https://example.com/${row}\n`).join(''));
  const { code, stderr } = await limited(4, world);
  expect({ code, posts: await world.posts() }).toEqual({ code: 9, posts: 0 });
  expect(stderr).toMatch(/^error: cannot store the checked rows in .*: the file would exceed the size limit$/m);
});

function remedyIn(state: string): string {
  return `free space in ${state} or make it writable, then run the same command again`;
}

test.for([
  ['a resume', ({ argv }: LocalWorld) => argv],
  ['an undo', ({ journal }: LocalWorld) => ['undo', basename(dirname(journal() ?? '')), '--yes']],
] as const)(
  'F64, R 1.4: %s on a full disk is not advised to use another state folder, which does not have the run',
  async ([, argvOf], { world }) => {
    await world.stopInTheMiddle();
    const before = await world.links();
    const { code, stderr } = await limited(0, { ...world, argv: argvOf(world) });
    const state = join(dirname(world.journal() ?? ''), '..', '..');
    expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining(`\nhint: ${remedyIn(state)}\n`) });
    expect(await world.links()).toEqual(before);
    await expectDone(world);
  },
);

/** A mount of its own, that only this command line sees, where the kernel lets everybody have one. */
const mounted = 'mount -t tmpfs -o "$0" none "$1" && shift && exec "$@"';
const canMount = spawnSync('unshare', ['-rm', 'bash', '-c', mounted, 'ro', '/mnt', 'true']).status === 0;

/** Runs a command line for which a folder is a file system with these options. */
function inMount(
  [options, path]: readonly [string, string],
  argv: readonly string[],
  env: Record<string, string>,
  stdin = '',
): Promise<{ code: unknown; stderr: string }> {
  if (!canMount) leave('a mount of its own is not allowed');
  mkdirSync(path, { recursive: true });
  const command = ['-rm', 'bash', '-c', mounted, options, path, process.execPath, programPath, ...argv];
  return new Promise((resolve) => {
    const child = execFile('unshare', command, { env }, (error, _, stderr) => {
      resolve({ code: error ? error.code : 0, stderr });
    });
    child.stdin?.end(stdin);
  });
}

test('F64: a disk with room for the rows, and none for the journal: exit 9, what to do, and nothing is sent', async ({
  world,
}) => {
  const home = join(world.folder, 'home');
  const { code, stderr } = await inMount(['size=4k', home], world.argv, { ...world.env, HOME: home });
  expect({ code, posts: await world.posts() }).toEqual({ code: 9, posts: 0 });
  expect(stderr).toMatch(/^error: cannot write the journal .*: no space left on the disk$/m);
  expect(stderr).toContain(`\nhint: ${remedyIn(join(home, '.local', 'state', 'linkctl'))}\n`);
});

test('F64, B90, R-19: the disk of the results is full in mid-run: what is in flight is finished and recorded, and it can be resumed', async ({
  world,
}) => {
  const count = 300;
  const { folder, file, env } = world;
  writeFileSync(file, Array.from({ length: count }, (_, row) => `https://example.com/${'a'.repeat(300)}/${row}\n`).join(''));
  const results = join(folder, 'small', 'results.csv');
  const argv = ['shorten', '-f', file, '--generate-hashes', '--batch-size', '10', '--results', results];
  const { code, stderr } = await inMount(['size=40k', dirname(results)], argv, env);
  const created = (await world.stored()).length;
  expect(created).toBeLessThan(count);
  expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining(`\nerror: cannot write ${results}: no space`) });
  expect(stderr).toContain(`\n${count} rows: ${created} created, ${count - created} not sent (`);
  expect(stderr).toMatch(/^to undo it: linkctl undo \S+\nto resume run \S+, run the same command again$/m);
  expect(readFileSync(world.journal() ?? '', 'utf8')).toMatch(/"type":"end".*\n$/);
  expect(await startProgram(argv, env).ended).toMatchObject({ code: 0 });
  expect(await world.stored()).toHaveLength(count);
});

test('F64, B90: the same for the results of a check', async ({ world }) => {
  const { folder, env } = world;
  await world.create(Array.from({ length: 300 }, (_, row) => ({ long_url: `https://127.0.0.1/${'a'.repeat(300)}/${row}` })));
  const results = join(folder, 'small', 'results.csv');
  const { code, stderr } = await inMount(['size=40k', dirname(results)], ['check', '--all', '--results', results], env);
  expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining(`\nerror: cannot write ${results}: no space`) });
  expect(stderr).toMatch(/^300 links: 300 skipped .*\nto resume run \S+, run the same command again$/m);
});

describe('F64: a file system that is read-only', () => {
  const inReadOnly = (argv: readonly string[], { folder, env }: LocalWorld, stdin = ''): Promise<object> => {
    const home = join(folder, 'home');
    return inMount(['ro', home], argv, { ...env, HOME: home }, stdin);
  };
  const state = 'home/.local/state/linkctl: the file system is read-only';
  const remedy = ({ folder }: LocalWorld): string => remedyIn(join(folder, 'home', '.local', 'state', 'linkctl'));

  test('F64: rows cannot be kept: exit 9, the reason and what to do, and nothing is sent', async ({ world }) => {
    expect(await inReadOnly(world.argv, world)).toEqual({
      code: 9,
      stderr: [`error: cannot store the checked rows in ${world.folder}/${state}`, `hint: ${remedy(world)}`, ''].join('\n'),
    });
    expect(await world.posts()).toBe(0);
  });

  test.for([
    ['edit', 'aa', '--note', 'z', '-n'],
    ['delete', 'aa', '-n', '-v'],
    ['edit', '-f', 'links.csv', '-n'],
    ['apply', '-f', 'links.csv', '-n'],
    ['rewrite', '--all', '--set-param', 'a=b', '-n'],
    ['diff', '-f', 'links.csv', '--base', 'links.csv'],
  ])('B60, B70: %s %s %s only reads', async (argv, { world }) => {
    await world.create([{ long_url: 'https://example.com/', custom_hash: 'aa' }]);
    const file = join(world.folder, 'links.csv');
    writeFileSync(file, 'hash,long_url,note\naa,https://example.com/,z\n');
    const paths = argv.map((word) => (word === 'links.csv' ? file : word));
    expect(await inReadOnly(paths, world)).toMatchObject({ code: 0 });
  });

  test('B60, F64: a dry run of a file needs no room, that of a pipe says where it can get it', async ({ world }) => {
    expect(await inReadOnly(['shorten', '-f', world.file, '--dry-run'], world)).toMatchObject({ code: 0 });
    expect(await inReadOnly(['shorten', '-f', '-', '--dry-run'], world, 'https://example.com/')).toEqual({
      code: 9,
      stderr: [
        `error: cannot store a copy of stdin in ${world.folder}/${state}`,
        `hint: ${remedy(world)}; for --dry-run or a listing, you can use a file instead of a pipe`,
        '',
      ].join('\n'),
    });
  });
});

/** The signal of the limit ignored, so that the write itself fails, as on a full disk. */
async function limited(kibibytes: number, { argv, env }: LocalWorld): Promise<{ code: number; stdout: string; stderr: string }> {
  needs('bash');
  const command = ['trap "" XFSZ; ulimit -f "$0"; exec "$@"', String(kibibytes), process.execPath, ...hurriedArguments(argv)];
  return await new Promise((resolve) => {
    execFile('bash', ['-c', ...command], { env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

describe('F65: a file that changes', () => {
  test('F65: between two starts: exit 9, and nothing is sent', async ({ world }) => {
    await world.stopInTheMiddle();
    const before = await world.posts();
    appendFileSync(world.file, 'https://example.com/more\n');
    const { code, stderr } = await world.start().ended;
    expect({ code, posts: await world.posts() }).toEqual({ code: 9, posts: before });
    expect(stderr).toContain('links.txt changed since the unfinished run');
  });

  test('F65, R-X9: while its rows are sent: exit 9, every row is reported, and with the old file it is resumed', async ({
    world,
  }) => {
    const before = readFileSync(world.file, 'utf8');
    await world.server.script([{ ...onPost, held: true }]);
    const { ended } = world.start();
    await world.server.held();
    writeFileSync(world.file, before.replaceAll('example.com', 'example.net'));
    await world.server.release();
    const { code, stderr } = await ended;
    expect({ code, errors: stderr.match(/^error: .*$/gm) }).toEqual({
      code: 9,
      errors: [`error: ${world.file} changed after it was checked: the rest was not sent`],
    });
    const created = (await world.links()).filter((count) => count === 1).length;
    expect(created).toBeGreaterThan(0);
    expect(world.reported()).toBe(
      [...new Array(created).fill('created'), ...new Array(rows - created).fill('not_sent')].join(' '),
    );
    expect(readResults(world).map(({ long_url }) => long_url)).toEqual(before.trimEnd().split('\n'));
    expect(stderr).toContain(`${rows} rows: ${created} created, ${rows - created} not sent`);
    writeFileSync(world.file, before);
    await expectDone(world);
    expect((await world.stored()).filter(({ long_url }) => long_url.includes('example.net'))).toEqual([]);
  });

  test('F65, R-X9: a file of hashes that is cut while they are sent: exit 9, and every row is reported', async ({ world }) => {
    // More than is read at a time.
    const hashes = Array.from({ length: 40_000 }, (_, row) => `h${row}\n`).join('');
    writeFileSync(world.file, hashes);
    await world.server.script([{ only: { method: 'GET', path: 'hashes=' }, held: true }]);
    const argv = ['delete', '--hashes-from', world.file, '--ignore-missing', '--yes', '--results', resultsPath(world)];
    const { ended } = startHurried(argv, world.env);
    await world.server.held();
    truncateSync(world.file, 7);
    await world.server.release();
    expect(await ended).toMatchObject({ code: 9 });
    expect(readResults(world).map(({ row }) => Number(row))).toEqual(Array.from({ length: 40_000 }, (_, row) => row + 1));
    expect(readResults(world).at(-1)).toMatchObject({ status: 'not_sent' });
  });
});

describe('F66: two processes', () => {
  test('F66: at the same run at the same moment: one does it, the other says so, and every row has one link', async ({
    world,
  }) => {
    const ended = await Promise.all([world.start().ended, world.start().ended]);
    const codes = ended.map(({ code }) => code).sort();
    expect(codes[0]).toBe(0);
    // The other came too late, or found it under way, or found it finished when it had waited for its turn.
    expect([0, 2, 9]).toContain(codes[1]);
    expect(await world.links()).toEqual(once);
  });

  test('F66: the one that is at it is stopped: the other does not take it for dead', async ({ world }) => {
    await world.server.script([{ ...onPost, held: true }]);
    const first = world.start();
    await world.server.held();
    first.process.kill('SIGSTOP');
    const second = await world.start().ended;
    expect(second).toMatchObject({ code: 9, stderr: expect.stringContaining('in use by another linkctl') });
    await world.server.release();
    first.process.kill('SIGCONT');
    expect(await first.ended).toMatchObject({ code: 0 });
    expect(await world.links()).toEqual(once);
  });
});

describe('F67: signals', () => {
  test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'R-18, F67: %s: what is under way is finished, every row is reported, it dies of the signal, and the same command resumes',
    async (signal, { world }) => {
      await world.server.script([
        { ...onPost, times: 3 },
        { ...onPost, held: true },
      ]);
      // Not in a hurry: what is under way has its ten seconds.
      const { process: child, ended } = startProgram(world.argv, world.env);
      await world.server.held();
      child.kill(signal);
      await written(child, 'interrupted: ');
      await world.server.release();
      expect(await ended).toMatchObject({ signal, stderr: expect.stringContaining('run the same command again') });
      expect(world.reported()).toMatch(/^(created ){4,}not_sent( not_sent)*$/);
      const created = world
        .reported()
        .split(' ')
        .filter((status) => status === 'created').length;
      expect((await world.links()).filter((count) => count === 1)).toHaveLength(created);
      await expectDone(world);
    },
  );

  test('R-18, F67: an answer that does not come is given up, and its rows are unknown', async ({ world }) => {
    await world.server.script([{ ...onPost, times: 3 }, noAnswer]);
    const { process: child, ended } = world.start();
    await world.reach(4);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 10 });
    expect(world.reported()).toMatch(/^(created ){2}(unknown ){2}not_sent/);
    await expectDone(world);
  });

  test('R-18, F67: a second signal ends it at once', async ({ world }) => {
    await world.server.script([{ ...onPost, times: 3 }, noAnswer]);
    const { process: child, ended } = world.start();
    await world.reach(4);
    child.kill('SIGINT');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ signal: expect.toBeOneOf(['SIGINT', 'SIGTERM']) });
    await expectDone(world);
  });
});

describe('what comes through a pipe', () => {
  const lines = 'https://example.com/canary-of-the-input\n'.repeat(20_000);

  test.for(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
    'F60, F67: %s while it is copied: nothing of it stays on the disk',
    async (signal, { world }) => {
      const argv = [programPath, 'shorten', '-f', '-'];
      const child = spawn(process.execPath, argv, { env: world.env, stdio: ['pipe', 'ignore', 'ignore'] });
      // More than a pipe holds: when it is taken, most of it was copied.
      await new Promise<void>((resolve) => child.stdin.write(lines, () => resolve()));
      child.kill(signal);
      expect(await emitted(child, 'close')).toEqual([null, signal]);
      expect(filesBelow(join(world.folder, '.local'))).toEqual([]);
    },
  );

  test('F60: SIGKILL while its rows are sent: what stays is in the folder of the run', async ({ world }) => {
    await world.server.script([noAnswer]);
    const { process: child, ended } = startProgram(['shorten', '-f', '-', '--generate-hashes'], world.env, lines);
    await world.reach(1);
    child.kill('SIGKILL');
    await ended;
    const run = dirname(world.journal() ?? '');
    const holding = filesBelow(join(world.folder, '.local')).filter((path) => readFileSync(path).includes('canary-of-the-input'));
    expect(holding.filter((path) => path !== join(run, 'input'))).toEqual([]);
    expect(readFileSync(join(run, 'input'), 'utf8')).toBe(lines);
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe('patience', () => {
  test('G7, R-6: a server that is dead sees at most twelve requests more of a run of 2,000 batches', async ({ world }) => {
    writeFileSync(world.file, Array.from({ length: 2000 }, (_, row) => `https://example.com/${row}\n`).join(''));
    await world.server.script([
      { ...onPost, times: 10 },
      { ...faults.badGatewayBefore, times: 'all' },
    ]);
    const argv = ['shorten', '-f', world.file, '--generate-hashes', '--batch-size', '1', '--max-wait', '1'];
    expect(await startHurried(argv, world.env).ended).toMatchObject({ code: expect.toBeOneOf([8, 10]) });
    const requests = await world.server.requests();
    const last = requests.findLastIndex(({ step }) => step.answer === undefined);
    expect(requests.length - 1 - last).toBeLessThanOrEqual(12);
  });

  test('R-5, G8: the released program comes back no earlier than Retry-After says', async ({ world }) => {
    await world.server.script([{ ...faults.tooMany('1'), ...onPost }]);
    expect(await runProgram(['shorten', 'https://example.com/'], world.env)).toMatchObject({ code: 0 });
    const [first, second] = await world.server.requests();
    expect((second?.time ?? 0) - (first?.time ?? 0)).toBeGreaterThanOrEqual(1000);
  });
});
