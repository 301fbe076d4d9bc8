import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { System } from '../../src/base/system.ts';
import { type CredentialFlags, describeSource } from '../../src/profiles/given-set.ts';
import { resolveCredentials, type ServerCredentials } from '../../src/profiles/resolved-credentials.ts';
import { test, work } from './config-fixture.ts';

const env = {
  LINKCTL_BASE_URL: 'https://env.example/v3/',
  LINKCTL_USERNAME: 'eve',
  LINKCTL_API_KEY: ' CANARY-environment \n',
};
const stored = { current_profile: 'work', profiles: { work, test: { ...work, base_url: 'https://test.example' } } };

function server(flags: CredentialFlags, system: System): ServerCredentials {
  const credentials = resolveCredentials(flags, system);
  if (credentials.kind !== 'server') throw new Error('the sandbox was chosen');
  return credentials;
}

const keyOf = async (credentials: ServerCredentials): Promise<string> => (await credentials.readKey()).value;

test('B61: the current profile is used where nothing else is given', async ({ config }) => {
  config.put({ ...stored, profiles: { work: { ...work, output: 'json', domain: 's.example' } } });
  const credentials = server({}, config.system());
  expect(credentials).toMatchObject({ profile: 'work', baseUrl: work.base_url, username: 'ann', edition: 'b' });
  expect(credentials.settings).toEqual({ output: 'json', domain: 's.example' });
  expect(await keyOf(credentials)).toBe(work.api_key);
  expect(describeSource(credentials.sources.apiKey)).toBe(`profile "work" (${config.path})`);
  expect(JSON.stringify(credentials)).not.toContain('CANARY');
});

test('B61: LINKCTL_PROFILE beats the current profile, --profile beats both', ({ config }) => {
  config.put({ ...stored, profiles: { ...stored.profiles, third: work } });
  const system = config.system({ env: { LINKCTL_PROFILE: 'test' } });
  expect(server({}, system).profile).toBe('test');
  expect(server({ profile: 'third' }, system).profile).toBe('third');
});

test('B62, B63: a whole set in the environment beats the current profile, and a note says so', async ({ config }) => {
  config.put(stored);
  const credentials = server({}, config.system({ env }));
  expect(credentials).toMatchObject({ profile: undefined, baseUrl: 'https://env.example/v3', username: 'eve', edition: 'a' });
  expect(await keyOf(credentials)).toBe('CANARY-environment');
  expect(credentials.note).toBe('using LINKCTL_API_KEY from the environment; profile "work" is not used');
  expect(credentials.settings).toEqual({});
});

test('B61: --profile beats a whole set in the environment', async ({ config }) => {
  config.put(stored);
  const credentials = server({ profile: 'test' }, config.system({ env: { ...env, LINKCTL_EDITION: 'a' } }));
  expect(credentials).toMatchObject({ profile: 'test', baseUrl: 'https://test.example', edition: 'b' });
  expect(credentials.note).toBeUndefined();
  expect(await keyOf(credentials)).toBe(work.api_key);
});

test('B61: flags beat variables one by one; each part says where it came from', ({ config }) => {
  const { baseUrl, username, edition, sources } = server(
    { baseUrl: 'https://flag.example', edition: 'b' },
    config.system({ env: { ...env, LINKCTL_EDITION: 'a' } }),
  );
  expect({ baseUrl, username, edition }).toEqual({ baseUrl: 'https://flag.example', username: 'eve', edition: 'b' });
  expect(Object.values(sources).map(describeSource)).toEqual(['--base-url', 'LINKCTL_USERNAME', 'LINKCTL_API_KEY', '--edition']);
});

test.for<[string, CredentialFlags, Record<string, string>, string]>([
  ['a key alone', {}, { LINKCTL_API_KEY: 'k' }, 'LINKCTL_API_KEY without --base-url (LINKCTL_BASE_URL) and --username'],
  ['a username alone', { username: 'u' }, {}, '--username without --base-url (LINKCTL_BASE_URL) and --api-key-file'],
  ['no key', {}, { LINKCTL_USERNAME: 'u', LINKCTL_BASE_URL: 'https://x.example' }, 'without --api-key-file'],
  ['two keys', {}, { ...env, LINKCTL_API_KEY_FILE: '/f' }, 'only one of LINKCTL_API_KEY_FILE and LINKCTL_API_KEY'],
  ['a profile and a username', { profile: 'work', username: 'u' }, {}, 'specify only one of --profile and --username'],
  ['a profile and a key file', { profile: 'work', apiKeyFile: '/f' }, {}, 'specify only one of --profile and --api-key-file'],
  ['another origin', { baseUrl: 'https://evil.example' }, {}, 'the API key is not sent there'],
  ['another scheme', { profile: 'work', baseUrl: 'http://api.example.com' }, {}, 'the API key is not sent there'],
  ['another port', {}, { LINKCTL_BASE_URL: 'https://api.example.com:8443' }, 'LINKCTL_BASE_URL is not the server'],
  ['another edition', { edition: 'a' }, {}, '--edition is edition a, but profile "work" is edition b'],
  ['no such edition', {}, { ...env, LINKCTL_EDITION: 'c' }, 'LINKCTL_EDITION: expected one of {a|b}, got "c"'],
  ['an empty flag', { username: '' }, {}, '--username: expected a value'],
  ['userinfo', { baseUrl: 'https://u:CANARY@x.example' }, {}, '--base-url: expected a URL such as'],
  ['a colon in the username', {}, { ...env, LINKCTL_USERNAME: 'a:b' }, 'LINKCTL_USERNAME: expected a name without colons'],
  ['an address for the sandbox', { profile: 'sandbox', baseUrl: 'https://x.example' }, {}, 'no base URL'],
])('B62, B74: %s is exit 2', ([_what, flags, variables, reason], { config }) => {
  config.put(stored);
  const resolve = () => resolveCredentials(flags, config.system({ env: variables }));
  expect(resolve).toThrow(expect.objectContaining({ exitCode: 2, message: expect.stringContaining(reason) }));
  expect(resolve).not.toThrow('CANARY');
});

test.for<[string, CredentialFlags, Record<string, string>]>([
  ['remove --edition', { edition: 'a', profile: 'work' }, {}],
  ['unset LINKCTL_EDITION', {}, { LINKCTL_EDITION: 'a' }],
])('B45: an edition that is not that of the profile is taken for the mistake: %s', ([hint, flags, variables], { config }) => {
  config.put(stored);
  expect(() => resolveCredentials(flags, config.system({ env: variables }))).toThrow(expect.objectContaining({ hint }));
});

test('B74: another path of the same origin gets the stored key', async ({ config }) => {
  config.put(stored);
  const credentials = server({ baseUrl: 'https://api.example.com/v4/' }, config.system());
  expect(credentials).toMatchObject({ profile: 'work', baseUrl: 'https://api.example.com/v4' });
  expect(describeSource(credentials.sources.baseUrl)).toBe('--base-url');
});

test('B69: no profile at all is exit 4 and names both ways in', ({ config }) => {
  expect(() => resolveCredentials({}, config.system())).toThrow(
    expect.objectContaining({ exitCode: 4, hint: 'with an account: linkctl auth login; without one: linkctl -p sandbox' }),
  );
});

test('B69: no current profile is exit 4; one that is stored is offered first', ({ config }) => {
  config.put({ ...stored, current_profile: null });
  expect(() => resolveCredentials({}, config.system())).toThrow(
    expect.objectContaining({
      exitCode: 4,
      hint: 'with an account: linkctl auth switch <profile>; without one: linkctl -p sandbox',
    }),
  );
});

test('B69: an unknown profile is exit 9 with the known ones, and never another instead', ({ config }) => {
  config.put(stored);
  for (const [flags, variables] of [
    [{ profile: 'wrok' }, {}],
    [{}, { LINKCTL_PROFILE: 'wrok' }],
    [{ profile: '__proto__' }, {}],
    [{ profile: 'toString' }, {}],
    [{ profile: '' }, {}],
  ] as const) {
    expect(() => resolveCredentials(flags, config.system({ env: variables }))).toThrow(
      expect.objectContaining({
        exitCode: 9,
        message: expect.stringMatching(/no profile "\w*" in .*; known: work, test, sandbox$/),
      }),
    );
  }
});

test('a current profile that is gone is unknown, too', ({ config }) => {
  config.put({ current_profile: 'gone', profiles: {} });
  expect(() => resolveCredentials({}, config.system())).toThrow(expect.objectContaining({ exitCode: 9 }));
});

test('a profile without a key is exit 4 and names the login', ({ config }) => {
  config.put({ profiles: { work: { ...work, api_key: null, username: undefined } } });
  expect(() => resolveCredentials({ profile: 'work' }, config.system())).toThrow(
    expect.objectContaining({
      exitCode: 4,
      message: 'profile "work" has no username and no api_key',
      hint: 'linkctl auth login --profile work',
    }),
  );
});

test('CLI 3.2: the sandbox is there without any configuration, as edition A by default', ({ config }) => {
  expect(resolveCredentials({ profile: 'sandbox' }, config.system())).toMatchObject({ kind: 'sandbox', edition: 'a' });
  expect(resolveCredentials({ profile: 'sandbox', edition: 'b' }, config.system())).toMatchObject({ edition: 'b' });
  expect(resolveCredentials({}, config.system({ env: { LINKCTL_PROFILE: 'sandbox' } }))).toMatchObject({ kind: 'sandbox' });
  expect(resolveCredentials({ profile: 'sandbox' }, config.system({ env }))).toMatchObject({ kind: 'sandbox' });
});

test('the sandbox has defaults of its own', ({ config }) => {
  config.put({ current_profile: 'sandbox', profiles: { sandbox: { output: 'json', edition: 'b' } } });
  expect(resolveCredentials({}, config.system())).toMatchObject({ kind: 'sandbox', edition: 'b', settings: { output: 'json' } });
});

test('B70: with credentials from the environment an unusable configuration is a warning', ({ config }) => {
  config.put('{');
  expect(server({}, config.system({ env })).warnings).toEqual([`${config.path}:1:2: not valid JSON`]);
  expect(resolveCredentials({ profile: 'sandbox' }, config.system()).warnings).toHaveLength(1);
  expect(() => resolveCredentials({ profile: 'work' }, config.system({ env }))).toThrow(expect.objectContaining({ exitCode: 9 }));
  expect(() => resolveCredentials({}, config.system())).toThrow(expect.objectContaining({ exitCode: 9 }));
});

test('B74, R-43: http:// to another machine needs consent, and then warns every time', ({ config }) => {
  const plain = { ...work, base_url: 'http://api.example.com' };
  config.put({
    profiles: { plain, agreed: { ...plain, insecure_http: true }, here: { ...work, base_url: 'http://127.0.0.1:8080' } },
  });
  expect(() => server({ profile: 'plain' }, config.system())).toThrow(
    expect.objectContaining({ exitCode: 2, hint: expect.stringContaining('--insecure-http') }),
  );
  const warnings = ['the API key is sent unencrypted to http://api.example.com'];
  expect(server({ profile: 'plain', insecureHttp: true }, config.system()).warnings).toEqual(warnings);
  expect(server({ profile: 'agreed' }, config.system()).warnings).toEqual(warnings);
  expect(server({ profile: 'here' }, config.system()).warnings).toEqual([]);
  const open = { ...env, LINKCTL_BASE_URL: 'http://env.example' };
  expect(() => server({}, config.system({ env: open }))).toThrow(expect.objectContaining({ exitCode: 2 }));
});

test('R-24: warnings about permissions come along', ({ config }) => {
  config.put(stored, 0o604);
  expect(server({}, config.system()).warnings).toEqual([expect.stringContaining(`chmod 600 ${config.path}`)]);
});

test('a key file of the flags is read when the key is needed, not before', async ({ config }) => {
  mkdirSync(config.folder, { mode: 0o700 });
  const path = join(config.folder, 'key');
  const credentials = server({ baseUrl: 'https://x.example', username: 'u', apiKeyFile: path }, config.system());
  await expect(credentials.readKey()).rejects.toMatchObject({ exitCode: 9 });
  writeFileSync(path, 'CANARY-file\n');
  chmodSync(path, 0o600);
  expect(await keyOf(server({ baseUrl: 'https://x.example', username: 'u', apiKeyFile: path }, config.system()))).toBe(
    'CANARY-file',
  );
});
