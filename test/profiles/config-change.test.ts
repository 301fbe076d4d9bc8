import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { newMark } from '../../src/files/process-mark.ts';
import { changeConfig } from '../../src/profiles/config-change.ts';
import { readConfig } from '../../src/profiles/config-file.ts';
import { buildChild, type ChildProgram, ended } from '../support/child-program.ts';
import { asSomebody } from '../support/somebody.ts';
import { test, work } from './config-fixture.ts';

/** `npm run fuzz` does as much as G6 asks for. */
const isLong = process.env.LINKCTL_FUZZ_ANSWERS !== undefined;

let child: ChildProgram;
beforeAll(async () => {
  child = await buildChild(join(import.meta.dirname, 'change-child.ts'));
});
afterAll(() => child.remove());

test('B66: the first write makes a folder 0700 and a file 0600', async ({ config }) => {
  await changeConfig(config.system(), (draft) => {
    draft.profiles.work = { ...work };
    draft.current_profile = 'work';
  });
  expect(statSync(config.folder).mode & 0o777).toBe(0o700);
  expect(statSync(config.path).mode & 0o777).toBe(0o600);
  expect(readConfig(config.system())).toMatchObject({ currentProfile: 'work', profiles: new Map([['work', work]]) });
  expect(readdirSync(config.folder).sort()).toEqual(['config.json', 'lock']);
});

test('R-X13: only what is changed changes; what this version does not know is kept', async ({ config }) => {
  const before = {
    later: { a: 1 },
    profiles: { work: { ...work, shiny: [1] }, other: { username: 'bob' } },
    current_profile: 'work',
  };
  config.put(before);
  await changeConfig(config.system(), (draft) => {
    draft.profiles.other = { ...draft.profiles.other, output: 'json' };
  });
  expect(JSON.parse(config.text())).toEqual({
    ...before,
    profiles: { ...before.profiles, other: { username: 'bob', output: 'json' } },
  });
});

test('E65: where files get another owner as soon as they are made, no key is stored', async ({ config }) => {
  const home = dirname(config.folder);
  await asSomebody([home], async (userId) => {
    const system = { ...config.system(), userId: userId + 1 };
    const store = changeConfig(system, ({ profiles }) => {
      profiles.work = { ...work };
    });
    await expect(store).rejects.toMatchObject({
      exitCode: 9,
      message: `files made in ${join(config.folder, 'lock')} belong to another user (uid ${userId}), so nothing was stored`,
      hint: expect.stringContaining('set LINKCTL_CONFIG_DIR'),
    });
  });
  expect(readdirSync(config.folder)).toEqual(['lock']);
  expect(readdirSync(join(config.folder, 'lock'))).toEqual([]);
});

test('R-25: a corrupt file is not overwritten', async ({ config }) => {
  config.put('{"profiles": {');
  await expect(changeConfig(config.system(), () => undefined)).rejects.toMatchObject({ exitCode: 9 });
  expect(config.text()).toBe('{"profiles": {');
});

test('R-25: a file of a newer version is read, and not written', async ({ config }) => {
  config.put({ version: 2, current_profile: 'work', profiles: { work } });
  const before = config.text();
  await expect(changeConfig(config.system(), () => undefined)).rejects.toMatchObject({
    message: expect.stringContaining('newer linkctl (file version 2)'),
    hint: 'install the newer linkctl',
  });
  expect(config.text()).toBe(before);
});

test('R-33: a hostile name or a value that does not belong is not stored', async ({ config }) => {
  config.put({ profiles: { work } });
  const before = config.text();
  for (const name of ['__proto__', 'constructor', 'a.b', '']) {
    const change = changeConfig(config.system(), (draft) => {
      draft.profiles[name] = {};
    });
    await expect(change).rejects.toThrow('is not a valid profile name');
  }
  const change = changeConfig(config.system(), (draft) => {
    draft.profiles.work = { ...work, batch_size: 0 };
  });
  await expect(change).rejects.toThrow('batch_size: expected a whole number');
  expect(config.text()).toBe(before);
});

test('B65: a change that fails on its way leaves the file byte-identical, and the lock free', async ({ config }) => {
  config.put({ profiles: { work } });
  const before = config.text();
  const change = changeConfig(config.system(), (draft) => {
    draft.current_profile = 'work';
    throw new Error('declined');
  });
  await expect(change).rejects.toThrow('declined');
  expect(config.text()).toBe(before);
  expect(readdirSync(join(config.folder, 'lock'))).toEqual([]);
});

test('F69: where the folder cannot be made the path is named', async ({ config }) => {
  config.put({});
  const system = config.system({ env: { LINKCTL_CONFIG_DIR: join(config.path, 'below') } });
  await expect(changeConfig(system, () => undefined)).rejects.toMatchObject({
    exitCode: 9,
    message: expect.stringContaining(join(config.path, 'below')),
  });
});

test('R-24: what a killed writer left, secrets and all, is gone after the next write', async ({ config }) => {
  config.put({ profiles: { work } });
  const dead = newMark(config.system()).replace(/^(\d+)\.\d+/, '$1.1');
  writeFileSync(`${config.path}.${dead}.tmp`, config.text());
  await changeConfig(config.system(), () => undefined);
  expect(readdirSync(config.folder).sort()).toEqual(['config.json', 'lock']);
});

test('R-X13, G6: of two processes that write at once no key is lost', async ({ config }) => {
  const count = isLong ? 200 : 40;
  const writers = ['a', 'b'].map((name) => ended(child.start([name, String(count)], { LINKCTL_CONFIG_DIR: config.folder })));
  expect(await Promise.all(writers)).toMatchObject([{ code: 0 }, { code: 0 }]);
  expect(readConfig(config.system()).profiles.size).toBe(2 * count);
});

test('R-23, G6: whenever a writer is killed, the file is whole and keeps what was stored', async ({ config }) => {
  config.put({ profiles: { work } });
  for (let kill = 0; kill < (isLong ? 200 : 5); kill++) {
    const before = readConfig(config.system()).profiles.size;
    const writer = child.start([`k${kill}_`, '1000000'], { LINKCTL_CONFIG_DIR: config.folder });
    const end = ended(writer);
    await new Promise((resolve) => writer.stdout?.once('data', resolve));
    await delay(Math.random() * 30);
    writer.kill('SIGKILL');
    expect(await end).toMatchObject({ signal: 'SIGKILL', stderr: '' });
    const { profiles } = readConfig(config.system());
    expect(profiles.size).toBeGreaterThan(before);
    expect(profiles.get('work')).toEqual(work);
  }
});

test('R 0.1, R-23: where the disk takes only a part of it, the old configuration is kept', ({ config }) => {
  config.put({ profiles: { work: { ...work, note: 'x'.repeat(20_000) } } });
  const before = readFileSync(config.path, 'utf8');
  const limited = 'ulimit -f 8; exec "$0" "$@"';
  const env = { ...process.env, LINKCTL_CONFIG_DIR: config.folder };
  expect(() => execFileSync('sh', ['-c', limited, process.execPath, child.file, 'k', '1'], { env, stdio: 'pipe' })).toThrow(
    `cannot write ${config.path}: the file would exceed the size limit`,
  );
  expect(config.text()).toBe(before);
  expect(readdirSync(config.folder).sort()).toEqual(['config.json', 'lock']);
});

test('B66: a change says what it found open to others', async ({ config }) => {
  config.put({}, 0o640);
  chmodSync(config.folder, 0o750);
  expect(await changeConfig(config.system(), () => undefined)).toEqual([
    expect.stringContaining(`${config.path} was accessible to other users (0640)`),
    `${config.folder} is accessible to other users (0750): chmod 700 ${config.folder}`,
  ]);
});
