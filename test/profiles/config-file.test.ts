import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { LocalError } from '../../src/base/errors.ts';
import type { System } from '../../src/base/system.ts';
import { readConfig } from '../../src/profiles/config-file.ts';
import { runInjected } from '../support/injected.ts';
import { test, work } from './config-fixture.ts';

function failureOf(system: System): LocalError {
  try {
    readConfig(system);
  } catch (error) {
    if (error instanceof LocalError) return error;
    throw error;
  }
  throw new Error('the configuration was read');
}

test('F69: a missing file is an empty configuration, and reading makes nothing (B70)', ({ config }) => {
  expect(readConfig(config.system())).toMatchObject({ currentProfile: undefined, profiles: new Map(), warnings: [] });
  expect(() => statSync(config.folder)).toThrow('ENOENT');
});

test('CLI 3.8: profiles come back under their names, with a byte order mark and with what a newer version added', ({
  config,
}) => {
  config.put(`\ufeff${JSON.stringify({ version: 7, current_profile: 'work', profiles: { work: { ...work, shiny: [1] } } })}`);
  const { profiles, currentProfile } = readConfig(config.system());
  expect(currentProfile).toBe('work');
  expect(profiles.get('work')).toEqual({ ...work, shiny: [1] });
});

test.for([
  ['a cut file', '{"profiles": {"work": {\n  "api_key": "CANARY-1', ':2:23: not valid JSON'],
  ['a stray comma', '{"profiles": {},\n}', ':2:1: not valid JSON'],
  ['an empty file', '', ': the file is empty'],
  ['zero bytes, where Node names no place', '\0\0\0', ':1:1: not valid JSON'],
  ['nothing after a colon', '{\n"profiles":', ':2:12: not valid JSON'],
  ['nothing after a comma', '[1,', ':1:4: not valid JSON'],
  ['half a word', '{"a":tru}', ':1:9: not valid JSON'],
  ['a word that there is not', '{"a":CANARY-1}', ':1:6: not valid JSON'],
  ['half a number', '{"a":-', ':1:7: not valid JSON'],
  ['half an escape', '{"a":"\\u00', ':1:11: not valid JSON'],
  ['a bad escape', '{"a":"\\x"}', ':1:8: not valid JSON'],
  ['an object too many', '{"a":" in JSON at position 3"}{', ':1:31: not valid JSON'],
  ['something else than UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), ': not UTF-8 text'],
  ['an array', '[]', ': expected an object'],
  ['profiles as text', '{"profiles": "CANARY-1"}', ': profiles: expected an object'],
  ['a profile as a number', '{"profiles": {"work": 1}}', ': profiles.work: expected an object'],
  ['no profile under a name', '{"profiles": {"work": null, "other": []}}', ': profiles.work: expected an object'],
  [
    'an edition that there is not',
    '{"profiles": {"work": {"edition": "CANARY-1"}}}',
    ': profiles.work.edition: expected one of {a|b}',
  ],
  ['a current profile as a number', '{"current_profile": 5}', ': current_profile: expected the name of a profile'],
  ['a dotted name', '{"profiles": {"a.b": {}}}', ': profiles: "a.b" is not a valid profile name'],
  ['a hostile name', '{"profiles": {"__proto__": {}}}', ': profiles: "__proto__" is not a valid profile name'],
  ['a version as text', '{"version": "2"}', ': version: expected a whole number'],
])('B71: %s is exit 9 with path and place, quotes nothing and changes nothing', ([_what, content, place], { config }) => {
  config.put(content);
  const before = statSync(config.path);
  const failure = failureOf(config.system());
  expect(failure.exitCode).toBe(9);
  expect(failure.message).toBe(config.path + place);
  expect(JSON.stringify(failure) + failure.message + failure.stack).not.toContain('CANARY');
  expect(statSync(config.path)).toMatchObject({ mtimeMs: before.mtimeMs, size: before.size, ino: before.ino });
});

test('every fault of the values is reported at once', ({ config }) => {
  config.put({ profiles: { work: { ...work, batch_size: 1001, output: 'xml', insecure_http: 'yes' } } });
  expect(failureOf(config.system())).toMatchObject({
    message: `${config.path}: profiles.work.batch_size: expected a whole number from 1 to 1000`,
    details: [
      'profiles.work.output: expected one of {table|json|jsonl|csv|tsv}',
      'profiles.work.insecure_http: expected true or false',
    ],
  });
});

test('F69: a folder, a link in a circle, and a file where the folder should be are exit 9 with the path', ({ config }) => {
  mkdirSync(config.path, { recursive: true, mode: 0o700 });
  expect(failureOf(config.system()).message).toBe(`cannot read ${config.path}: it is not a regular file`);
  const circle = join(dirname(config.folder), 'circle');
  mkdirSync(circle);
  symlinkSync('config.json', join(circle, 'config.json'));
  expect(failureOf(config.system({ env: { LINKCTL_CONFIG_DIR: circle } })).message).toContain('symbolic links form a loop');
  const file = join(dirname(config.folder), 'file');
  writeFileSync(file, '');
  expect(failureOf(config.system({ env: { LINKCTL_CONFIG_DIR: file } })).message).toContain('not a folder');
});

test('F69: a link to a file of ours is read', ({ config }) => {
  config.put({ current_profile: 'work' });
  const linked = join(dirname(config.folder), 'linked');
  mkdirSync(linked, { mode: 0o700 });
  symlinkSync(config.path, join(linked, 'config.json'));
  expect(readConfig(config.system({ env: { LINKCTL_CONFIG_DIR: linked } })).currentProfile).toBe('work');
});

test('B66, R-24: a file that others can read is made private and said, once', ({ config }) => {
  config.put({ profiles: { work } }, 0o644);
  expect(readConfig(config.system()).warnings).toEqual([
    `${config.path} was accessible to other users (0644) and is now private (chmod 600 ${config.path})`,
  ]);
  expect(statSync(config.path).mode & 0o777).toBe(0o600);
  expect(readConfig(config.system()).warnings).toEqual([]);
});

test('E64: where chmod has no effect, no file is called private, and every command says the way out', async ({ config }) => {
  config.put({ profiles: { work } }, 0o777);
  const env = { HOME: config.folder, LINKCTL_CONFIG_DIR: config.folder, PATH: process.env.PATH ?? '' };
  for (const answer of ['retval=0', 'retval=0', 'error=EPERM']) {
    const ran = await runInjected(['auth', 'list'], env, { calls: ['chmod', 'fchmodat'], answer });
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('work') });
    expect(ran.stderr).toBe(
      answer === 'retval=0'
        ? `warning: ${config.path} is accessible to other users (0777), and chmod has no effect there: set LINKCTL_CONFIG_DIR to a folder on a disk that keeps owners and permissions\n`
        : `warning: ${config.path} is accessible to other users (0777): chmod 600 ${config.path}\n`,
    );
  }
});

test('B66: a folder that others can read is said with its chmod, and left as it is', ({ config }) => {
  config.put({});
  chmodSync(config.folder, 0o755);
  expect(readConfig(config.system()).warnings).toEqual([
    `${config.folder} is accessible to other users (0755): chmod 700 ${config.folder}`,
  ]);
  expect(statSync(config.folder).mode & 0o777).toBe(0o755);
});

test('R-24: a file of another user is refused', ({ config }) => {
  config.put({ profiles: { work } });
  // Root's files are accepted, so root gives the file away; anybody else looks at it as somebody else.
  const system = config.system();
  if (system.userId === 0) execFileSync('chown', ['54321', config.path]);
  expect(failureOf({ ...system, userId: 4321 }).message).toContain(`${config.path} belongs to another user`);
});
