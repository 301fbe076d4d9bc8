import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { encodeLine } from '../../src/bulk/journal/lines.ts';
import { main } from '../../src/cli/main.ts';
import { faults } from '../support/faulty-steps.ts';
import { apiKey, test as base, type Linkctl, runnerIn, username } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { createTestSystem } from '../support/test-system.ts';
import { until } from '../support/until.ts';

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, columns: 160, env: { NO_COLOR: '1' } };

interface Shown {
  run: string;
  state: string;
  journal: string;
  [member: string]: unknown;
}

const test = base.extend<{
  /** Forty hashes. */
  hashes: string;
  /** A deletion of them that the quota of calls stopped after two batches of ten. */
  stopped: readonly string[];
  runs: () => Promise<Shown[]>;
}>({
  hashes: async ({ folder }, use) => {
    const path = join(folder, 'hashes.txt');
    writeFileSync(
      path,
      numbered(40)
        .map(({ custom_hash }) => custom_hash)
        .join('\n'),
    );
    await use(path);
  },
  stopped: async ({ linkctl, service, wire, hashes }, use) => {
    await store(service, numbered(40));
    const words = ['delete', '--hashes-from', hashes, '--batch-size', '10', '--concurrency', '1', '--yes'];
    const pass = { only: { method: 'DELETE' } };
    await wire.script([pass, pass, { ...faults.refuse(1303), ...pass }]);
    const ran = await linkctl(words);
    expect(ran.code).toBe(7);
    expect(ran.stderr).toMatch(/20 deleted, 20 not sent .*\nto resume run/s);
    await use(words);
  },
  runs: async ({ linkctl }, use) => {
    await use(async () => JSON.parse((await linkctl(['runs', '--json'])).stdout).runs);
  },
});

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('a run that a limit stopped is listed, shown, and resumes by the same command', async ({
    linkctl,
    stopped,
    runs,
    service,
    hashes,
  }) => {
    const [run] = await runs();
    expect(run).toMatchObject({ state: 'unfinished', operation: 'delete', rows: 40, input: hashes });
    const line = await linkctl(['runs']);
    expect(line).toMatchObject({ code: 0, stderr: '' });
    expect(line.stdout).toMatch(new RegExp(`^${run?.run}\tunfinished\tdelete\t40\t`));
    const drawn = await linkctl(['runs'], { terminal: { stdout: true }, columns: 80 });
    expect(drawn.stdout).toContain('  delete --hashes');
    const shown = JSON.parse((await linkctl(['runs', 'show', run?.run ?? '', '-o', 'json'])).stdout);
    expect(shown).toMatchObject({ run: run?.run, deleted: 20, not_sent: 20, last_end: 'quota' });
    expect(existsSync(shown.journal)).toBe(true);
    const block = await linkctl(['runs', 'show', run?.run ?? ''], watched);
    expect(block.stdout).toMatch(/^state: +unfinished$/m);
    expect(block.stdout).not.toMatch(/: *$/m);
    // As the list of the runs has it.
    const begun = (await linkctl(['runs', '--fields', 'begun'])).stdout;
    expect(begun).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n$/);
    expect(block.stdout.match(/^begun: +(.*\n)/m)?.[1]).toBe(begun);
    expect((await linkctl(['runs', 'show', 'last', '-o', 'tsv'])).stdout).toContain(`\nbegun\t${begun}`);
    const on = await linkctl(stopped);
    expect(on.code).toBe(0);
    expect(on.stderr).toMatch(/^resuming run \S+: 20 of 40 rows are done\ndeleting 20 rows of /m);
    expect(on.stderr).toMatch(/^40 rows: 40 deleted/m);
    expect(await stored(service)).toEqual([]);
    expect(await runs()).toMatchObject([{ run: run?.run, state: 'finished' }]);
    // What is deleted may be made and deleted again: a finished run is no reason to refuse.
    expect(await linkctl(stopped)).toMatchObject({ code: 5, stderr: expect.stringContaining('40 of 40 rows failed') });
  });
});

test('runs forget asks before an unfinished run, and afterwards the first row is the first again', async ({
  linkctl,
  stopped,
  runs,
  service,
}) => {
  const [{ run = '' } = {}] = await runs();
  expect((await linkctl(['runs', 'forget', run])).stderr).toBe(
    'error: --yes required when not running interactively\nhint: add --yes to the command\n',
  );
  const declined = await linkctl(['runs', 'forget', run], { ...watched, stdin: 'n\n' });
  expect(declined).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/is unfinished; 20 rows were not sent\. Its changes stay: 20 deleted\..*Delete\s+the record\?/),
  });
  expect(await linkctl(['runs', 'forget', run, '-y'], watched)).toMatchObject({
    code: 0,
    stdout: `✓ Deleted the record of run ${run}\n`,
  });
  expect(await runs()).toEqual([]);
  const afresh = await linkctl(stopped);
  expect(afresh).toMatchObject({ code: 3, stderr: expect.stringContaining('40 rows: 20 deleted, 20 failed') });
  expect(await stored(service)).toEqual([]);
});

test.for(['csv', 'tsv', 'jsonl', 'json'] as const)(
  'B16, B18, B20, B21: runs forget prints the run as %s as other commands do, and forgets nothing with an unknown field',
  async (format, { linkctl, runs }) => {
    await linkctl(['tags', 'add', 'one']);
    const [{ run = '' } = {}] = await runs();
    const refused = await linkctl(['runs', 'forget', run, '-y', '--fields', 'nosuch']);
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('fields: run\n') });
    expect(await runs()).toHaveLength(1);
    const lines = { csv: `run\n${run}`, tsv: `run\n${run}`, jsonl: `{"run":"${run}"}`, json: `{"forgotten":[{"run":"${run}"}]}` };
    const ran = await linkctl(['runs', 'forget', run, '-y', '--header', '-o', format]);
    expect(ran).toEqual({ code: 0, stdout: `${lines[format]}\n`, stderr: '' });
  },
);

test('a finished run is forgotten without a question; a name that is none is exit 5', async ({
  linkctl,
  service,
  hashes,
  runs,
}) => {
  await store(service, numbered(40));
  await linkctl(['edit', '--hashes-from', hashes, '--note', 'x']);
  const [{ run = '' } = {}] = await runs();
  expect(await linkctl(['runs', 'forget', run])).toEqual({ code: 0, stdout: `${run}\n`, stderr: '' });
  for (const verb of ['show', 'verify', 'forget']) {
    expect(await linkctl(['runs', verb, run])).toMatchObject({
      code: 5,
      stderr: `error: no run "${run}"\nhint: linkctl runs list\n`,
    });
  }
});

test('R-X10: runs verify reads again what an edit left, and changes nothing', async ({
  linkctl,
  service,
  hashes,
  runs,
  wire,
}) => {
  await store(service, numbered(40));
  await linkctl(['edit', '--hashes-from', hashes, '--note', 'x']);
  const [{ run = '' } = {}] = await runs();
  expect(await linkctl(['runs', 'verify', run])).toEqual({
    code: 0,
    stdout: '',
    stderr: '40 links checked: 0 missing or changed\n',
  });
  await linkctl(['delete', 'h3', '-y']);
  await linkctl(['edit', 'h7', '--url', 'https://other.example/']);
  const before = (await wire.requests()).length;
  const ran = await linkctl(['runs', 'verify', run]);
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('2 missing or changed') });
  expect(ran.stdout.trimEnd().split('\n').sort()).toEqual(['h3\tmissing\t', 'h7\tchanged\thttps://other.example/']);
  expect((await wire.requests()).slice(before).every(({ method }) => method === 'GET')).toBe(true);
});

test('R-X10: runs verify reads links again too that were not made as they were asked for', async ({
  linkctl,
  runs,
  wire,
  folder,
}) => {
  const file = join(folder, 'links.csv');
  writeFileSync(file, 'long_url,custom_hash,note\nhttps://a.example/,a,n\nhttps://b.example/,b,\n');
  await wire.script([{ only: { method: 'POST' }, times: 'all', alter: { each: { note: '' } } }]);
  expect(await linkctl(['shorten', '-f', file])).toMatchObject({ code: 3 });
  const [{ run = '' } = {}] = await runs();
  const verified = () => linkctl(['runs', 'verify', run]);
  expect(await verified()).toMatchObject({ code: 0, stderr: '2 links checked: 0 missing or changed\n' });
  await linkctl(['delete', 'a', '-y']);
  expect(await verified()).toMatchObject({ code: 1, stdout: 'a\tmissing\t\n' });
});

test('runs verify of a deletion has nothing to read, exit 2', async ({ linkctl, stopped, runs }) => {
  expect(stopped).toBeDefined();
  const [{ run = '' } = {}] = await runs();
  expect(await linkctl(['runs', 'verify', run])).toMatchObject({
    code: 2,
    stderr: `error: run ${run} left no links that could be read back: there is nothing to verify\n`,
  });
});

test('R-18, B41: Ctrl-C ends a deletion after the batch in progress, and the same command resumes', async ({
  env,
  linkctl,
  service,
  wire,
  hashes,
  runs,
}) => {
  await store(service, numbered(40));
  const words = ['delete', '--hashes-from', hashes, '--batch-size', '10', '--concurrency', '1', '--yes'];
  await wire.script([{ only: { method: 'DELETE' }, held: true }]);
  const system = createTestSystem({ env });
  const running = main(words, system);
  await wire.held();
  system.raise('SIGINT');
  await wire.release();
  await running;
  expect(system.deaths).toEqual(['SIGINT']);
  const { stdout, stderr } = system.printed();
  expect(stdout.trimEnd().split('\n')).toHaveLength(10);
  expect(stderr).toMatch(/^interrupted: waiting for the batches in progress/m);
  expect(stderr).toMatch(/^40 rows: 10 deleted, 30 not sent/m);
  expect(stderr).toMatch(/^to resume run/m);
  expect(await runs()).toMatchObject([{ state: 'unfinished' }]);
  expect(await linkctl(words)).toMatchObject({ code: 0 });
  expect(await stored(service)).toEqual([]);
});

describe('B41: a signal while the server asks to wait ends the run at once, as nothing is in flight', () => {
  const wait = { ...faults.tooMany('60'), only: { method: 'DELETE' } };
  const passed = { only: { method: 'DELETE' } };
  const lost = { ...faults.dropAfter, ...passed };
  // What is unknown has the precedence of exit 10.
  test.for([
    ['a batch that was refused is not sent', [passed, wait], '10 deleted, 30 not sent', 130],
    ['a batch that may have been applied before is unknown', [passed, lost, wait], '10 deleted, 10 unknown, 20 not sent', 10],
    ['batches that wait together end together', [wait, wait], '40 not sent', 130, '4'],
  ] as const)('%s', async ([, script, counts, code, concurrency = '1'], { env, linkctl, service, wire, hashes }) => {
    await store(service, numbered(40));
    const words = ['delete', '--hashes-from', hashes, '--batch-size', '10', '--concurrency', concurrency, '--yes'];
    await wire.script([...script, { ...wait, times: 'all' }]);
    let isWaiting = false;
    const system = createTestSystem({
      env,
      sleep: async (milliseconds, signal) => {
        isWaiting ||= milliseconds >= 60_000;
        await delay(milliseconds, undefined, { signal });
      },
    });
    const running = main(words, system);
    await until(() => isWaiting, 'a call waits');
    const { length: requests } = await wire.requests();
    const since = performance.now();
    system.raise('SIGINT');
    expect(await running).toBe(code);
    expect(performance.now() - since).toBeLessThan(2000);
    expect(system.printed().stderr).toMatch(new RegExp(`^40 rows: ${counts} \\(.*\nto resume run`, 'ms'));
    if (concurrency === '1') expect(await wire.requests()).toHaveLength(requests);
    await wire.script([]);
    expect(await linkctl(words)).toMatchObject({ code: 0 });
    expect(await stored(service)).toEqual([]);
  });
});

test.for([
  ['SIGHUP', 129, 'jsonl'],
  ['SIGINT', 130, 'json'],
  ['SIGTERM', 143, 'jsonl'],
] as const)(
  'B49: a run that dies of %s says %i in its JSON error',
  async ([signal, code, format], { env, service, wire, hashes }) => {
    await store(service, numbered(20));
    const words = ['delete', '--hashes-from', hashes, '--batch-size', '10', '--concurrency', '1', '--yes', '-o', format];
    await wire.script([{ only: { method: 'DELETE' }, held: true }]);
    const system = createTestSystem({ env });
    const running = main(words, system);
    await wire.held();
    system.raise(signal);
    await wire.release();
    expect(await running).toBe(code);
    expect(system.deaths).toEqual([signal]);
    const [last = ''] = system.printed().stderr.trimEnd().split('\n').slice(-1);
    expect(JSON.parse(last)).toEqual({ error: { code, kind: 'interrupted', message: 'interrupted' } });
  },
);

test('D55: runs are listed newest first, and 80 columns hold the day and the time of each', async ({
  linkctl,
  folder,
  clock,
}) => {
  const today = Math.floor(clock.now() / 1000) * 1000;
  const timeOf = (daysAgo: number): string => new Date(today - daysAgo * 86_400_000).toISOString();
  const times = { 9: timeOf(9), 1: timeOf(1), 5: timeOf(5) };
  // In the order in which they are made, whatever the clock says.
  for (const [daysAgo, time] of Object.entries(times).reverse()) {
    const file = join(folder, `a-file-of-${daysAgo}-days-ago.txt`);
    const count = daysAgo === '1' ? 1200 : 1;
    writeFileSync(file, Array.from({ length: count }, (_, n) => `https://example.com/${daysAgo}/${n}\n`).join(''));
    expect((await linkctl(['shorten', '-f', file], { now: () => Date.parse(time) })).code).toBe(0);
  }
  const newestFirst = [times[1], times[5], times[9]].map((time) => time.replace(/\.\d+/, ''));
  const begun = (await linkctl(['runs', '--fields', 'begun'])).stdout.trimEnd().split('\n');
  expect(begun).toEqual(newestFirst);
  const { stdout } = await linkctl(['runs'], { ...watched, columns: 80 });
  const [head = '', first = '', ...others] = stdout.trimEnd().split('\n');
  expect(head).toMatch(/^RUN +WHAT +UNDO +STATE +ROWS +BEGUN$/);
  expect(first).toMatch(
    new RegExp(
      `^\\d{8}-\\d{6}-\\w{8} +shorten a-file-of\\S*… +yes +finished +1,200 +${times[1].slice(5, 16).replace('T', ' ')}$`,
    ),
  );
  expect(others).toHaveLength(2);
});

test('U4: a run of more links than its description names counts the others', async ({ linkctl, service }) => {
  await store(service, numbered(5, { long_url: 'https://127.0.0.1/' }));
  const what = async (...hashes: string[]): Promise<string> => {
    await linkctl(['check', ...hashes]);
    return JSON.parse((await linkctl(['runs', 'show', 'last', '--json'])).stdout).what;
  };
  expect(await what('h0', 'h1', 'h2', 'h3', 'h4')).toBe('check h0 h1 h2 and 2 more');
  expect(await what('h0', 'h1', 'h2')).toBe('check h0 h1 h2');
});

/** Characters of a name that say when. */
const secondLength = 15;

/** Three runs, the second and third in the same second; their names, newest first. */
async function threeRuns(linkctl: Linkctl, folder: string, now: number): Promise<string[]> {
  const began = Math.floor(now / 1000) * 1000;
  for (const [index, at] of [began - 1000, began + 200, began + 700].entries()) {
    const file = join(folder, `links-${index}.txt`);
    writeFileSync(file, `https://example.com/${index}\n`);
    expect((await linkctl(['shorten', '-f', file], { now: () => at })).code).toBe(0);
  }
  return (await linkctl(['runs', '--fields', 'run'])).stdout.trimEnd().split('\n');
}

test('U4: last and a beginning that no other run has name a run, wherever one is named', async ({ linkctl, folder, clock }) => {
  const [newest = '', second = '', oldest = ''] = await threeRuns(linkctl, folder, clock.now());
  const shown = async (text: string): Promise<unknown> => JSON.parse((await linkctl(['runs', 'show', text, '--json'])).stdout);
  expect(await shown('last')).toMatchObject({ run: newest, what: 'shorten links-2.txt' });
  expect(await shown(oldest.slice(0, secondLength))).toMatchObject({ run: oldest, what: 'shorten links-0.txt' });
  expect(await shown(second.slice(0, -1))).toMatchObject({ run: second, what: 'shorten links-1.txt' });
  expect(await linkctl(['runs', 'verify', 'last'])).toMatchObject({ code: 0 });
  expect(await linkctl(['runs', 'forget', 'last'])).toMatchObject({ code: 0, stdout: `${newest}\n` });
  expect(await linkctl(['runs', 'forget', 'last'])).toMatchObject({ code: 0, stdout: `${second}\n` });
});

test('U4: a beginning that several runs have is exit 2 and names them; an empty one names no run', async ({
  linkctl,
  folder,
  clock,
}) => {
  const names = await threeRuns(linkctl, folder, clock.now());
  const beginning = names[0]?.slice(0, secondLength) ?? '';
  const ran = await linkctl(['runs', 'forget', beginning, '-y']);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toBe(
    `error: several run IDs begin with ${beginning}\n${names[0]}  shorten links-2.txt\n${names[1]}  shorten links-1.txt\nhint: give a longer prefix\n`,
  );
  expect(await linkctl(['runs', 'forget', '', '-y'])).toMatchObject({ code: 5, stderr: expect.stringContaining('no run ""') });
  expect((await linkctl(['runs', '--fields', 'run'])).stdout.trimEnd().split('\n')).toEqual(names);
});

test('U4: last without a run is exit 5', async ({ linkctl }) => {
  expect(await linkctl(['runs', 'show', 'last'])).toEqual({
    code: 5,
    stdout: '',
    stderr: 'error: no run is recorded yet\nhint: linkctl runs list\n',
  });
});

test('U4: runs say whether they can be undone: not without what was there before, not counters, not twice', async ({
  linkctl,
  folder,
  service,
  hashes,
}) => {
  await store(service, numbered(40));
  const links = join(folder, 'links.txt');
  writeFileSync(links, 'https://example.com/\n');
  for (const words of [
    ['shorten', '-f', links],
    ['edit', '--hashes-from', hashes, '--note', 'x'],
    ['edit', '--hashes-from', hashes, '--note', 'y', '--no-undo'],
    ['stats', '--reset', '--hashes-from', hashes, '--yes'],
    ['delete', '--hashes-from', hashes, '--yes'],
    ['delete', '--hashes-from', hashes, '--yes'],
  ]) {
    await linkctl(words);
  }
  const undo = async (): Promise<string[]> =>
    (await linkctl(['runs', '--fields', 'undo'])).stdout.trimEnd().split('\n').reverse();
  expect(await undo()).toEqual(['yes', 'yes', 'no', 'no', 'yes', 'no']);
  const run = (await linkctl(['runs', '--fields', 'run'])).stdout.split('\n')[4] ?? '';
  const journal = join(folder, '.local', 'state', 'linkctl', 'runs', run, 'journal.log');
  appendFileSync(journal, encodeLine({ type: 'undone', by: '20310131-120905-897533f8', at: '2031-01-31T12:09:05Z' }));
  expect((await undo())[1]).toBe('undone by 20310131-120905-897533f8');
  const shown = JSON.parse((await linkctl(['runs', 'show', run, '--json'])).stdout);
  expect(shown).toMatchObject({ undo: 'undone by 20310131-120905-897533f8', undoes: null });
  expect((await linkctl(['runs'], { ...watched, columns: 90 })).stdout).toMatch(/ undone /);
});

test('U4: a terminal asks before the record goes that could undo a run; a script is not asked', async ({
  linkctl,
  service,
  hashes,
  runs,
}) => {
  await store(service, numbered(40));
  await linkctl(['edit', '--hashes-from', hashes, '--note', 'x']);
  const declined = await linkctl(['runs', 'forget', 'last'], { ...watched, stdin: '\n' });
  expect(declined).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/cannot be undone without its record\. Its changes stay: 40 changed\. Delete the record\?/),
  });
  expect(await runs()).toHaveLength(1);
  expect(await linkctl(['runs', 'forget', 'last'])).toMatchObject({ code: 0, stderr: '' });
  expect(await runs()).toEqual([]);
});

test('U4: TAB offers last and the runs, newest first, with what they are; a damaged journal by its name alone', async ({
  linkctl,
  folder,
  clock,
}) => {
  const names = await threeRuns(linkctl, folder, clock.now());
  writeFileSync(join(folder, '.local', 'state', 'linkctl', 'runs', names[2] ?? '', 'journal.log'), 'damaged');
  const tab = await linkctl(['__complete', 'runs', 'show', '']);
  expect(tab).toEqual({
    code: 0,
    stdout: `last\tthe newest run: shorten links-2.txt\n${names[0]}\tshorten links-2.txt\n${names[1]}\tshorten links-1.txt\n${names[2]}\n:36\n`,
    stderr: '',
  });
  expect((await linkctl(['__complete', 'runs', 'verify', names[2]?.slice(0, secondLength) ?? ''])).stdout).toBe(
    `${names[2]}\n:36\n`,
  );
});

test('U4: after undo and redo, last is what they take without a run, and TAB says so', async ({ linkctl }) => {
  expect((await linkctl(['shorten', 'https://example.com/', '--hash', 'one'])).code).toBe(0);
  const lastOf = async (command: string) => (await linkctl(['__complete', command, ''])).stdout.split('\n')[0];
  expect([await lastOf('undo'), await lastOf('redo')]).toEqual([
    'last\tthe newest change that is not undone',
    'last\tthe newest undo',
  ]);
});

test('U4: after undo, TAB offers no checks, which change nothing', async ({ linkctl }) => {
  expect((await linkctl(['shorten', 'https://example.com/', '--hash', 'one'])).code).toBe(0);
  expect((await linkctl(['check', 'none'])).code).toBe(5);
  const checks = async (...words: string[]) =>
    (await linkctl(['__complete', ...words, ''])).stdout.match(/\tcheck none/g)?.length;
  expect([await checks('runs', 'show'), await checks('undo'), await checks('redo')]).toEqual([1, undefined, undefined]);
});

test('B69: the runs of an unknown profile are exit 9 with the known ones', async ({ env, homeEnv, service }) => {
  const home = runnerIn(homeEnv);
  for (const words of [['runs'], ['runs', 'list']]) {
    expect(await home([...words, '-p', 'wrok'])).toMatchObject({
      code: 9,
      stdout: '',
      stderr: expect.stringMatching(/^error: no profile "wrok" in .*; known: sandbox\n/),
    });
  }
  expect(await home(['runs', '-p', 'sandbox'])).toEqual({ code: 0, stdout: '', stderr: '' });
  await store(service, numbered(1));
  const login = ['auth', 'login', '-p', 'work', '--base-url', env.LINKCTL_BASE_URL ?? '', '--username', username, '--with-key'];
  await home(login, { stdin: `${apiKey}\n` });
  expect(await home(['runs', '-p', 'work'])).toEqual({ code: 0, stdout: '', stderr: '' });
  expect((await home(['edit', 'h0', '--note', 'x'])).code).toBe(0);
  await home(['auth', 'logout', 'work']);
  // The runs of a profile stay after its logout.
  expect(await home(['runs', '-p', 'work'])).toMatchObject({ code: 0, stdout: expect.stringContaining('\tedit') });
});

test('no runs: nothing in a pipe, a word on a terminal', async ({ linkctl }) => {
  expect(await linkctl(['runs', 'list'])).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await linkctl(['runs'], watched)).toMatchObject({ code: 0, stderr: 'no runs\n' });
  expect(JSON.parse((await linkctl(['runs', '-o', 'json'])).stdout)).toEqual({ runs: [] });
});

describe('several domains', () => {
  test.override({ domains: [{ name: 's.ex' }, { name: 't.ex' }] });

  test('4.1.7: a run of short URLs is verified on the domains where they are', async ({ linkctl, service, runs }) => {
    await store(service, numbered(2), 't.ex');
    expect((await linkctl(['edit', '--hashes-from', '-', '--note', 'x'], { stdin: 't.ex/h0\nt.ex/h1\n' })).code).toBe(0);
    const [{ run = '' } = {}] = await runs();
    expect(await linkctl(['runs', 'verify', run])).toMatchObject({ code: 0 });
  });
});

test('U4: a narrow terminal shows what each run did and whether it can be undone, also beside a run ID with a suffix', async ({
  linkctl,
  folder,
}) => {
  const now = Date.now();
  for (const again of [[], ['--again']]) {
    const file = join(folder, 'links.txt');
    writeFileSync(file, 'https://example.com/\n');
    expect((await linkctl(['shorten', '-f', file, ...again], { now: () => now })).code).toBe(0);
  }
  const narrow = await linkctl(['runs'], { ...watched, columns: 50 });
  expect(narrow.stdout).toMatch(/^RUN +WHAT +UNDO$/m);
  expect(narrow.stdout).toMatch(/^\S+-2 +shorten \S*… +yes$/m);
  const wider = await linkctl(['runs'], { ...watched, columns: 64 });
  expect(wider.stdout).toMatch(/^\S+-2 +shorten \S*… +yes +finished +1$/m);
});

test('U4: with a profile, last is its newest run', async ({ linkctl, folder }) => {
  const sandbox = (words: readonly string[]) => linkctl(['-p', 'sandbox', ...words]);
  expect(await sandbox(['shorten', 'https://example.com/'])).toMatchObject({ code: 0 });
  const file = join(folder, 'links.txt');
  writeFileSync(file, 'https://example.com/\n');
  expect((await linkctl(['shorten', '-f', file])).code).toBe(0);
  const [newest = '', first = ''] = (await linkctl(['runs', '--fields', 'run'])).stdout.trimEnd().split('\n');
  for (const tab of [['runs', 'show'], ['undo']]) {
    const offered = (await linkctl(['__complete', '-p', 'sandbox', ...tab, ''])).stdout;
    expect(offered).toContain(`${first}\tshorten`);
    expect(offered).not.toContain(newest);
  }
  expect(JSON.parse((await sandbox(['runs', 'show', 'last', '--json'])).stdout)).toMatchObject({ run: first });
  expect(JSON.parse((await linkctl(['runs', 'show', 'last', '--json'])).stdout)).toMatchObject({ run: newest });
  expect(await sandbox(['runs', 'forget', 'last'])).toMatchObject({ code: 0, stdout: `${first}\n` });
  expect(await sandbox(['runs', 'show', 'last'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('no run of profile "sandbox" is recorded yet'),
  });
});

test('U4: last is a run of the profile in use, named by a flag, a variable or auth switch, as for undo', async ({
  homeEnv,
  wire,
  folder,
}) => {
  const linkctl = runnerIn(homeEnv);
  const login = ['auth', 'login', '--base-url', wire.baseUrl, '--username', username, '--edition', 'a', '--with-key'];
  for (const name of ['one', 'two']) {
    expect((await linkctl([...login, '-p', name], { stdin: apiKey })).code).toBe(0);
    writeFileSync(join(folder, `${name}.txt`), `https://${name}.example/\n`);
    expect((await linkctl(['-p', name, 'shorten', '-f', join(folder, `${name}.txt`)])).code).toBe(0);
  }
  const [two = '', one = ''] = (await linkctl(['runs', '--fields', 'run'])).stdout.trimEnd().split('\n');
  const last = async (env: Record<string, string>): Promise<string> =>
    JSON.parse((await linkctl(['runs', 'show', 'last', '--json'], { env })).stdout).run;
  expect(await last({ LINKCTL_PROFILE: 'one' })).toBe(one);
  expect(await last({ LINKCTL_PROFILE: 'two' })).toBe(two);
  expect((await linkctl(['runs', '--fields', 'run'], { env: { LINKCTL_PROFILE: 'one' } })).stdout).toBe(`${one}\n`);
  expect((await linkctl(['auth', 'switch', 'one'])).code).toBe(0);
  expect(await last({})).toBe(one);
  // Credentials in the environment belong to no profile.
  const ofEnvironment = { LINKCTL_USERNAME: username, LINKCTL_API_KEY: apiKey };
  const none = await linkctl(['runs', 'forget', 'last'], { env: ofEnvironment });
  expect(none).toMatchObject({ code: 5, stderr: expect.stringContaining('no run is recorded yet') });
  // Nor do those of flags.
  const ofFlags = ['--base-url', wire.baseUrl, '--username', username, '--api-key-file', join(folder, 'key')];
  expect(await linkctl(['runs', 'show', 'last', ...ofFlags])).toMatchObject({ code: 5, stdout: '' });
});

test('U4: a damaged record is listed for its profile, or for each if its first line cannot be read, and in order of time', async ({
  homeEnv,
  wire,
  folder,
}) => {
  const linkctl = runnerIn(homeEnv);
  const login = ['auth', 'login', '--base-url', wire.baseUrl, '--username', username, '--edition', 'a', '--with-key'];
  for (const name of ['one', 'two']) expect((await linkctl([...login, '-p', name], { stdin: apiKey })).code).toBe(0);
  const made: string[] = [];
  for (const [nth, profile] of ['one', 'two', 'one', 'two', 'one'].entries()) {
    const world = { now: () => Date.now() - (9 - nth) * 86_400_000 };
    expect((await linkctl(['-p', profile, 'shorten', `https://example.com/${nth}`], world)).code).toBe(0);
    made.push(JSON.parse((await linkctl(['-p', profile, 'runs', 'show', 'last', '--json'])).stdout).run);
  }
  const [a = '', b = '', known = '', unknown = '', e = ''] = made;
  const damage = (run: string, where: number): void => {
    const path = join(folder, '.local', 'state', 'linkctl', 'runs', `${run}.log`);
    writeFileSync(path, readFileSync(path, 'utf8').split('\n').toSpliced(where, 1, 'rubbish').join('\n'));
  };
  damage(known, 1);
  damage(unknown, 0);
  const listed = async (...words: string[]): Promise<string[]> =>
    (await linkctl(['runs', ...words, '--fields', 'run'])).stdout.trimEnd().split('\n');
  expect(await listed()).toEqual([e, unknown, known, b, a]);
  expect(await listed('-p', 'one')).toEqual([e, unknown, known, a]);
  expect(await listed('-p', 'two')).toEqual([unknown, b]);
  expect((await linkctl(['runs', '-p', 'three'])).code).toBe(9);
  for (const run of [e, unknown]) expect((await linkctl(['runs', 'forget', run, '--yes'])).code).toBe(0);
  expect(await linkctl(['-p', 'one', 'undo', '-n'])).toMatchObject({
    code: 9,
    stderr: expect.stringMatching(new RegExp(`damaged .*linkctl (-p one )?runs forget ${known}\n$`, 's')),
  });
});
