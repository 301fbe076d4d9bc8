import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { encodeLine } from '../../src/bulk/journal/lines.ts';
import { startProgram } from '../support/built-program.ts';
import type { FaultyServer } from '../support/faulty-server.ts';
import { faults, type Step } from '../support/faulty-steps.ts';
import { apiKey, arrived, type Linkctl, runnerIn, sure, test } from '../support/linkctl.ts';
import { numbered, store, stored, visit } from '../support/stored-links.ts';
import { openTerminal } from '../support/terminal.ts';
import { changes, foreign, killed, newestFile, redoLast, runs, undoLast, values } from './undo-world.ts';

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, env: { NO_COLOR: '1' } };
const edit = ['edit', '--note', 'n', 'h0', 'h1', 'h2'];

test('U5, E8: undo stops at a change that was not kept, names it and the run before it, and passes by a check', async ({
  linkctl,
  service,
  wire,
  folder,
}) => {
  await store(service, numbered(8));
  expect(await linkctl(['undo'], watched)).toMatchObject({ code: 5, stderr: expect.stringContaining('nothing to undo') });
  expect((await linkctl(edit)).code).toBe(0);
  const [{ run = '' } = {}] = await runs(linkctl);
  const hint = new RegExp(`\nhint: the run before it that can be undone \\(edit 3 links, \\d{4}-.*Z\\): linkctl undo ${run}\n$`);
  const hashes = join(folder, 'hashes.txt');
  writeFileSync(hashes, 'h0\nh1\n');
  expect((await linkctl(['edit', '--note', 'm', '--hashes-from', hashes, '--no-undo'])).code).toBe(0);
  const from = (await wire.requests()).length;
  const refused = await undoLast(linkctl);
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('the previous state of its links was not recorded'),
  });
  expect(refused.stderr).toContain('it was run with --no-undo, or by an earlier version');
  expect(refused.stderr).toMatch(hint);
  expect((await linkctl(['check', 'none'])).code).toBe(5);
  const check = await undoLast(linkctl);
  expect(check.stderr).toBe(refused.stderr);
  expect(await changes(wire, from)).toEqual([]);
  expect((await values(service)).h2).toMatchObject({ note: 'n' });
});

test('U3: counters that were reset are named where somebody asks for them back', async ({ linkctl, service, folder, wire }) => {
  await store(service, numbered(7));
  await visit(service, 'h6', 3);
  const hashes = join(folder, 'hashes.txt');
  writeFileSync(hashes, 'h6\nh0\nh1\nh2\nh3\nh4\nh5\n');
  expect((await linkctl(['stats', '--reset', '--hashes-from', hashes, '--yes'])).code).toBe(0);
  const from = (await wire.requests()).length;
  const refused = await undoLast(linkctl);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('cannot be undone: counters cannot be restored');
  expect(refused.stderr).toContain('the counters before it:');
  expect(refused.stderr).toMatch(/localhost\/h6: 3 clicks, 1 unique/);
  expect(refused.stderr).not.toContain('hint:');
  expect(refused.stderr).toContain(`and 2 more in ${await newestFile(linkctl, folder, 'before.log')}`);
  expect(await changes(wire, from)).toEqual([]);
});

test('B45, U6: off a terminal the command in the hint can be pasted, and is about a run that can be undone', async ({
  linkctl,
  service,
  folder,
}) => {
  await store(service, numbered(3));
  const file = join(folder, 'edits.csv');
  writeFileSync(file, 'hash,note\nh0,n\n');
  expect((await linkctl(['edit', '-f', file])).code).toBe(0);
  const [{ run = '' } = {}] = await runs(linkctl);
  const named = await linkctl(['undo', '--yes']);
  expect(named).toMatchObject({ code: 2, stdout: '' });
  expect(named.stderr).toMatch(new RegExp(`\nhint: the newest \\(edit -f .*edits\\.csv\\): linkctl undo ${run} --yes\n$`));
  expect((await linkctl(['stats', 'h1', 'h2', '--reset', '--yes'])).code).toBe(0);
  const reset = await linkctl(['undo', '--yes']);
  expect(reset).toMatchObject({ code: 2, stdout: '' });
  expect(reset.stderr).toMatch(/\nthe newest run, \S+ \(reset.*\), cannot be undone\n/);
  expect(reset.stderr).toMatch(
    new RegExp(`\nhint: the run before it that can be undone \\(edit -f .*edits\\.csv, .*Z\\): linkctl undo ${run} --yes\n$`),
  );
  expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0, stdout: 'h0\n' });
});

test('U2: a run of another account, server or edition is refused by name; so is one that is forgotten', async ({
  linkctl,
  other,
  service,
  wire,
}) => {
  await store(service, numbered(3));
  expect((await linkctl(edit)).code).toBe(0);
  const [{ run = '' } = {}] = await runs(linkctl);
  const elsewhere = await other(['undo', run, '--yes']);
  expect(elsewhere).toMatchObject({ code: 2, stdout: '' });
  expect(elsewhere.stderr).toContain(`run ${run} belongs to ann on ${wire.baseUrl}, not to ann on `);
  const moved = await other(['runs', 'verify', run]);
  expect(moved).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(`warning: run ${run} changed links on ${wire.baseUrl}; `),
  });
  const verifier = await linkctl(['runs', 'verify', run], { env: { LINKCTL_USERNAME: 'bob' } });
  expect(verifier).toMatchObject({ code: 2, stderr: expect.stringContaining('belongs to ann on ') });
  const stranger = await linkctl(['undo', run, '--yes'], { env: { LINKCTL_USERNAME: 'bob' } });
  expect(stranger).toMatchObject({ code: 2, stderr: expect.stringContaining('belongs to ann on ') });
  for (const command of ['undo', 'redo']) {
    expect((await linkctl([command, run, '--yes'])).code).toBe(0);
    for (const next of ['undo', 'redo']) {
      const refused = await linkctl([next, run, '--yes'], { env: { LINKCTL_USERNAME: 'bob' } });
      expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`run ${run} belongs to ann on `) });
    }
  }
  expect(await linkctl(['undo', '20310131', '--yes'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('no run "20310131"'),
  });
  expect((await linkctl(['runs', 'forget', run, '--yes'])).code).toBe(0);
  expect((await linkctl(['undo', run, '--yes'])).code).toBe(5);
  expect(await changes(wire)).toHaveLength(3);
});

test('U2, B45: the hint about a run of the other edition of the sandbox names the edition', async ({ homeEnv }) => {
  const sandbox = runnerIn(homeEnv);
  await sandbox(['-p', 'sandbox', '--edition', 'b', 'shorten', 'https://a.example', '--hash', 'x']);
  const [{ run = '' } = {}] = await runs(sandbox);
  const refused = await sandbox(['-p', 'sandbox', 'undo', run, '--yes']);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('\nhint: add --edition b\n') });
  expect(await sandbox(['-p', 'sandbox', 'undo', run, '--yes', '--edition', 'b'])).toMatchObject({ code: 0 });
});

test('U2, B45: the hint about a run of the account that a profile had before blames the profile, not its edition', async ({
  homeEnv,
  folder,
  wire,
  service,
}) => {
  const home = runnerIn(homeEnv);
  const login = (baseUrl: string) => ['auth', 'login', '-p', 'work', '--base-url', baseUrl, '--username', 'ann', '--with-key'];
  await home(login(wire.baseUrl), { stdin: apiKey });
  expect((await home(['shorten', 'https://a.example'])).code).toBe(0);
  const [{ run = '' } = {}] = await runs(home);
  const config = join(folder, '.config', 'linkctl', 'config.json');
  const { profiles } = JSON.parse(readFileSync(config, 'utf8'));
  const work = { ...profiles.work, base_url: service.baseUrl, edition: 'b' };
  writeFileSync(config, JSON.stringify({ current_profile: 'work', profiles: { work } }));
  const refused = await home(['undo', run, '--yes']);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('\nhint: profile work has another account now: linkctl auth list\n');
});

describe('U2: an undo whose record of the links cannot be trusted sends nothing: exit 9', () => {
  test.for([
    ['a line that was changed', (text: string) => text.replace('example.com', 'exemple.com'), 'is damaged'],
    ['a line that is gone', (text: string) => text.slice(text.indexOf('\n') + 1), 'is damaged (nothing of row 1)'],
    ['a line of something else', (text: string) => encodeLine({ type: 'signal', at: '' }) + text, 'is damaged (byte 0)'],
  ] as const)('%s', async ([, damage, message], { linkctl, service, wire, folder }) => {
    await store(service, numbered(4));
    const edits = join(folder, 'edits.csv');
    writeFileSync(edits, 'hash,note\nh0,n\nh1,n\nh2,n\nh3,n\n');
    expect((await linkctl(['edit', '-f', edits, '--batch-size', '2', '--concurrency', '1'])).code).toBe(0);
    const path = await newestFile(linkctl, folder, 'before.log');
    writeFileSync(path, damage(readFileSync(path, 'utf8')));
    const from = (await wire.requests()).length;
    const refused = await undoLast(linkctl);
    expect(refused).toMatchObject({ code: 9, stdout: '', stderr: expect.stringContaining(message) });
    expect(refused.stderr).toContain('copy the record, which may show them as they were, before you delete it');
    expect(await changes(wire, from)).toEqual([]);
  });

  test('no file at all', async ({ linkctl, service, wire, folder }) => {
    await store(service, numbered(3));
    expect((await linkctl(['rewrite', 'https://example.com', 'https://new.example', ...sure])).code).toBe(0);
    rmSync(await newestFile(linkctl, folder, 'before.log'));
    const from = (await wire.requests()).length;
    expect(await undoLast(linkctl)).toMatchObject({ code: 9, stdout: '' });
    expect(await changes(wire, from)).toEqual([]);
  });
});

test('U2: where the state folder takes nothing, nothing is sent: exit 9', async ({ linkctl, service, wire, folder }) => {
  await store(service, numbered(3));
  expect((await linkctl(edit)).code).toBe(0);
  const locks = join(folder, '.local', 'state', 'linkctl', 'locks');
  rmSync(locks, { recursive: true });
  writeFileSync(locks, '');
  const from = (await wire.requests()).length;
  expect(await undoLast(linkctl)).toMatchObject({ code: 9, stdout: '' });
  expect(await changes(wire, from)).toEqual([]);
  expect((await linkctl(['undo', '-n'])).code).toBe(0);
});

test('U2, J4: a run in progress is not undone, and two undos of one run do not meet: exit 9', async ({
  linkctl,
  service,
  wire,
  env,
}) => {
  await store(service, numbered(4));
  const words = ['rewrite', 'https://example.com', 'https://new.example', ...sure, '--batch-size', '2', '--concurrency', '1'];
  const hang = { only: { method: 'PATCH' }, ...faults.silentAfter };
  await wire.script([hang]);
  const busy = startProgram(words, env);
  await arrived(wire, 1, 'PATCH');
  const [{ run = '' } = {}] = await runs(linkctl);
  const early = await linkctl(['undo', run, '--yes']);
  expect(early).toMatchObject({
    code: 9,
    stdout: '',
    stderr: expect.stringMatching(/run \S+ is (in use|locked|held)|another process/),
  });
  busy.process.kill('SIGKILL');
  await busy.ended;
  await wire.script([hang]);
  const before = (await changes(wire)).length;
  const undoing = startProgram(['undo', run, '--yes', '--batch-size', '2', '--concurrency', '1'], env);
  await arrived(wire, before + 1, 'PATCH');
  const second = await linkctl(['undo', run, '--yes']);
  expect(second).toMatchObject({ code: 9, stdout: '' });
  const original = await linkctl(words);
  expect(original).toMatchObject({ code: 9, stdout: '' });
  undoing.process.kill('SIGKILL');
  await undoing.ended;
  await wire.script([]);
  expect((await undoLast(linkctl)).code).toBe(0);
  expect((await stored(service)).map(({ long_url }) => long_url)).toEqual(numbered(4).map(({ long_url }) => long_url));
});

test('U5: an undo that finds nothing to change names no other run, neither for links nor for tags', async ({
  linkctl,
  service,
}) => {
  await store(service, numbered(2));
  expect((await linkctl(['edit', 'h0', '--note', 'first'])).code).toBe(0);
  expect((await linkctl(['edit', 'h1', '--note', 'second'])).code).toBe(0);
  await foreign(service, 'PATCH', '/urls/h1', { note: '' });
  const alone = { code: 0, stderr: expect.stringMatching(/: nothing to change\n$/) };
  expect(await undoLast(linkctl)).toMatchObject(alone);
  expect((await linkctl(['tags', 'add', 'fresh'])).code).toBe(0);
  await foreign(service, 'DELETE', '/tags/fresh');
  expect(await undoLast(linkctl)).toMatchObject(alone);
});

test.for([
  ['links', ['edit', 'h0', 'h1', '--note', 'new']],
  ['tags', ['tags', 'add', 'new']],
] as const)(
  'U2, J4: an undo of %s that is confirmed after another undo and a redo changes nothing: exit 9',
  async ([, words], { linkctl, service, wire, env }) => {
    await store(service, numbered(2));
    expect((await linkctl([...words])).code).toBe(0);
    const [{ run = '' } = {}] = await runs(linkctl);
    const late = openTerminal(['undo', run], { env });
    try {
      await late.sees('? ');
      expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
      expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
      const from = (await wire.requests()).length;
      late.type('y\n');
      expect(await late.ended()).toMatchObject({ code: 9, shown: expect.stringContaining('another process') });
      expect(await changes(wire, from)).toEqual([]);
    } finally {
      late.close();
    }
    expect((await linkctl(['undo', run, '--yes'])).stderr).not.toContain('already undone');
    expect((await linkctl(['undo', run, '--yes'])).stderr).toContain('already undone');
  },
);

describe('a shortening run with rows in doubt', () => {
  const post = { only: { method: 'POST' } };
  /** The first row proves the server, twice. */
  const afterProof: Step[] = [post, post];
  /** Shortens the lines of a file and gets no answer after those of `answered`. Returns the command line. */
  const interrupted = async (
    { linkctl, wire, folder }: { linkctl: Linkctl; wire: FaultyServer; folder: string },
    [name, text, ...flags]: readonly [name: string, text: string, ...flags: string[]],
    answered: readonly Step[],
  ) => {
    const input = join(folder, name);
    writeFileSync(input, text);
    const words = ['shorten', '-f', input, ...flags];
    await wire.script([...answered, { ...post, ...faults.silentAfter, times: 'all' }]);
    expect((await linkctl([...words, '--timeout', '1', '--retries', '0'])).code).not.toBe(0);
    await wire.script([]);
    return words;
  };

  test('U2: under hashes of its own their links are found and deleted', async ({ linkctl, service, wire, folder }) => {
    const lines = 'https://a.example\nhttps://b.example\n';
    await interrupted({ linkctl, wire, folder }, ['urls.txt', lines, '--generate-hashes'], afterProof);
    expect(await stored(service)).toHaveLength(2);
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await stored(service)).toEqual([]);
  });

  test.for([
    ['under hashes of the file', 'custom_hash,long_url\nhash,https://a.example\nlast,https://b.example\n', []],
    ['with --dedupe', 'long_url\nhttps://a.example\nhttps://b.example\n', ['--dedupe', 'account', '--batch-size', '1']],
  ] as const)(
    'U2, U7, E16: %s undo would not find them, so it is refused until the command of the run has settled them',
    async ([, lines, flags], { linkctl, service, wire, folder }) => {
      const words = await interrupted({ linkctl, wire, folder }, ['links.csv', lines, ...flags], []);
      const [{ run = '' } = {}] = await runs(linkctl);
      const made = (await stored(service)).length;
      expect(made).toBeGreaterThan(0);
      const refused = await linkctl(['undo', run, '--yes']);
      expect(refused).toMatchObject({ code: 10, stdout: '' });
      expect(refused.stderr).toMatch(
        /outcome unknown for \d rows? of run .*: undo would not find their links; nothing was changed\n/,
      );
      expect(refused.stderr).toContain(
        `hint: repeat the command of the run (shorten links.csv), then: linkctl undo ${run}; to undo`,
      );
      expect(await stored(service)).toHaveLength(made);
      expect(await linkctl(words)).toMatchObject({ code: 0, stderr: expect.stringContaining(`resuming run ${run}`) });
      // With --dedupe, the link may be that of somebody else, who made it meanwhile.
      const isShared = flags.length > 0;
      expect((await linkctl(['undo', run, '--yes'])).code).toBe(isShared ? 3 : 0);
      if (isShared) expect((await linkctl(['undo', run, '--yes', '--force'])).code).toBe(0);
      expect(await stored(service)).toEqual([]);
    },
  );

  test('U7: after an undo that did not find them, links of these hashes are those of whoever made them', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    const input = join(folder, 'links.csv');
    writeFileSync(input, 'custom_hash,long_url\nhash,https://a.example\nlast,https://b.example\n');
    const words = ['shorten', '-f', input, '--on-conflict', 'update', '--batch-size', '1', '--concurrency', '1'];
    await wire.script([post, { ...post, ...faults.silentBefore, times: 'all' }]);
    expect((await linkctl([...words, '--timeout', '1', '--retries', '0'])).code).not.toBe(0);
    await wire.script([]);
    const [{ run = '' } = {}] = await runs(linkctl);
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(10);
    expect(await linkctl(words)).toMatchObject({ code: 0, stderr: expect.stringContaining('2 rows: 2 created') });
    const undone = await linkctl(['undo', run, '--yes']);
    expect(undone.stderr).toContain('somebody else may have created it (1): ');
    expect(await stored(service)).toHaveLength(2);
  });

  test('E16: with --force, others are said to be left alone, and that they may still come: exit 10', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    const lines = 'custom_hash,long_url\nhash,https://a.example\nlast,https://b.example\n';
    await interrupted({ linkctl, wire, folder }, ['links.csv', lines], afterProof);
    const undone = await undoLast(linkctl, ['--force']);
    expect(undone).toMatchObject({ code: 10, stdout: 'hash\n' });
    expect(undone.stderr).toContain('links of 1 row whose outcome is unknown are left unchanged\n');
    expect((await stored(service)).map(({ hash }) => hash)).toEqual(['last']);
    expect(undone.stderr).toContain('; check with: linkctl list\n');
    const [, { run = '' } = {}] = await runs(linkctl);
    expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0, stderr: expect.stringContaining('already undone') });
  });

  test.for([
    ['that was not answered', ['shorten', 'https://new.example/'], faults.silentAfter, 'check with: linkctl list'],
    [
      'with a hash that never arrived',
      ['shorten', 'https://new.example/', '--hash', 'mine'],
      faults.silentBefore,
      'check the links, then repeat: linkctl undo',
    ],
  ] as const)(
    'U5, U6: undo does not get past a typed link %s, except with --force: then the next undo goes further back',
    async ([, words, fault, hint], { linkctl, service, wire, env }) => {
      await store(service, numbered(1));
      expect((await linkctl(['edit', 'h0', '--note', 'earlier'])).code).toBe(0);
      await killed(words, { only: { method: 'POST' }, ...fault }, { wire, env });
      await wire.script([]);
      const count = (await stored(service)).length;
      for (const _ of ['first', 'again']) {
        const left = await undoLast(linkctl);
        expect(left).toMatchObject({ code: 10, stderr: expect.stringContaining('outcome unknown for 1 row ') });
        expect(left.stderr).toContain(`hint: ${hint}`);
        expect(left.stderr).toContain(` --force\n`);
      }
      const forced = await undoLast(linkctl, ['--force']);
      expect(forced).toMatchObject({ code: 10, stderr: expect.stringContaining('; check with: linkctl list\n') });
      expect(await stored(service)).toHaveLength(count);
      expect(await undoLast(linkctl)).toMatchObject({ code: 0, stderr: expect.stringContaining('undoing run') });
      expect((await stored(service)).find(({ hash }) => hash === 'h0')?.note).toBe('');
    },
  );
});

test('R-11: links that are restored count against the quota of the month', async ({ linkctl, service, wire }) => {
  await store(service, numbered(3));
  expect((await linkctl(['delete', 'h0', 'h1', 'h2', '--yes'])).code).toBe(0);
  const counters = { urls: { count: 0, limit: 100 }, month_urls: { count: 99, limit: 100 } };
  const low = { only: { path: '/account' }, answer: { body: { error: { code: 0, message: '' }, account: { counters } } } };
  await wire.script([low]);
  const from = (await wire.requests()).length;
  const refused = await undoLast(linkctl);
  expect(refused).toMatchObject({ code: 7, stdout: '', stderr: expect.stringContaining('3 links this month required, 1 left') });
  expect(await changes(wire, from)).toEqual([]);
  expect((await undoLast(linkctl)).code).toBe(0);
});

test('U2: a run whose undo is itself undone counts as done again', async ({ linkctl, service, folder }) => {
  const input = join(folder, 'urls.txt');
  writeFileSync(input, 'https://a.example\nhttps://b.example\n');
  expect((await linkctl(['shorten', '-f', input])).code).toBe(0);
  expect((await undoLast(linkctl)).code).toBe(0);
  expect((await redoLast(linkctl)).code).toBe(0);
  expect(await linkctl(['shorten', '-f', input])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('already completed'),
  });
  expect(await stored(service)).toHaveLength(2);
});

test('U2: an old copy of the state does not undo what is as before, nor what somebody else did', async ({
  linkctl,
  service,
  folder,
}) => {
  await store(service, numbered(3));
  const before = await values(service);
  expect((await linkctl(edit)).code).toBe(0);
  const state = join(folder, '.local', 'state', 'linkctl');
  cpSync(state, join(folder, 'copy'), { recursive: true });
  expect((await undoLast(linkctl)).code).toBe(0);
  await foreign(service, 'PATCH', '/urls/h1', { note: 'since' });
  rmSync(state, { recursive: true });
  cpSync(join(folder, 'copy'), state, { recursive: true });
  expect((await undoLast(linkctl)).code).toBe(3);
  expect(await values(service)).toEqual({ ...before, h1: { ...before.h1, note: 'since' } });
});
