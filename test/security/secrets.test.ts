import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isExecutable, runProgram } from '../support/built-program.ts';
import { holdsSecret, secretFaults } from '../support/canary.ts';
import { apiKey, test, username } from '../support/linkctl.ts';

const credentials = Buffer.from(`${username}:${apiKey}`).toString('base64');

test('the guard itself: the key is found in every form in which it travels', () => {
  const forms = [apiKey, encodeURIComponent(apiKey), JSON.stringify({ apiKey }), `Basic ${credentials}`];
  expect(forms.map(holdsSecret)).toEqual(forms.map(() => true));
  for (const name of ['', 'a', 'ab', 'abc', 'joe:']) {
    expect(holdsSecret(Buffer.from(name + apiKey).toString('base64')), name).toBe(true);
  }
  expect(holdsSecret('the key is none of these words, nor CANARY, nor Basic [redacted]')).toBe(false);
});

test.for([
  ['NODE_DEBUG', '*'],
  ['NODE_DEBUG_NATIVE', 'http2'],
  ['DEBUG', '*'],
])('R-40: %s=%s in the environment shows no key', async ([name = '', value = ''], { env }) => {
  const ran = await runProgram(['list'], { ...env, [name]: value });
  expect(ran).toMatchObject({ code: 0, stdout: '' });
});

test.skipIf(isExecutable).for([
  ['an error with the key in its message', `throw new Error('bad header ${apiKey}')`],
  ['an error with the header in a cause', `throw new Error('x', { cause: new TypeError('Basic ${credentials}') })`],
  [
    'an error with the header in a member',
    `throw Object.assign(new TypeError('Invalid URL'), { input: 'http://${username}:${apiKey}@x' })`,
  ],
  ['something that is no error', `throw { authorization: 'Basic ${credentials}' }`],
  ['a promise that nobody waits for', `Promise.reject(new Error('${apiKey}'))`],
])('R-40, B48: a crash by %s is one line without key and trace, exit 1', async ([_what, statement], { env, folder, wire }) => {
  await wire.script([{ times: 'all', end: 'silent' }]);
  // As if some event handler of ours or of a package had a bug, once the key is known.
  const preload = join(folder, 'crash.cjs');
  writeFileSync(preload, `setTimeout(() => { ${keylessly(statement)} }, 800);`);
  const crashing = { ...env, NODE_OPTIONS: `--require=${preload}` };
  const [ran, debugged] = await Promise.all([runProgram(['list'], crashing), runProgram(['list', '--debug'], crashing)]);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr.match(/^error: /gm)).toHaveLength(1);
  expect(ran.stderr).toMatch(/^error: internal error: /);
  expect(ran.stderr).not.toMatch(/^\s+at /m);
  expect(debugged.code).toBe(1);
});

test('R-40: an address that cannot be parsed is not repeated with its password', async ({ env, linkctl }) => {
  const ran = await linkctl(['list'], { env: { ...env, LINKCTL_BASE_URL: `https://${username}:${apiKey}@[bad/` } });
  expect(ran.code).toBe(2);
});

test.for([
  [['--debug'], {}],
  [[], { LINKCTL_DEBUG: '1' }],
] as const)('R-40, R-41: %j with %j in the environment shows the call and hides the key', async ([flags, env], { linkctl }) => {
  const { stderr } = await linkctl(['list', ...flags, '--search', apiKey.slice(0, 6)], { env });
  expect(stderr).toContain('> authorization: Basic [redacted]');
});

test('R-40: a password of a proxy is not reported when the proxy fails', async ({ env, linkctl }) => {
  const proxied = { ...env, LINKCTL_BASE_URL: 'https://api.example.test/', HTTPS_PROXY: `http://joe:${apiKey}@127.0.0.1:9` };
  const ran = await linkctl(['list', '--debug', '--retries', '0'], { env: proxied });
  expect(ran).toMatchObject({ code: 8, stderr: expect.stringContaining('HTTPS_PROXY') });
});

test('B64: what a command line holds is no key: ps shows none, and there is no flag for one', async ({ linkctl }) => {
  expect(await linkctl(['list', '--api-key', 'x'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--api-key') });
});

test('G10: what a run leaves behind holds no key', async ({ folder, linkctl, wire }) => {
  const error = { code: 1215, message: `not Basic ${credentials}`, details: apiKey };
  await wire.script([{ only: { method: 'POST' }, times: 'all', alter: { each: { error, note: apiKey } } }]);
  const ran = await linkctl(
    ['shorten', '-f', '-', '--results', join(folder, 'done.csv'), '--failed', join(folder, 'failed.csv')],
    {
      stdin: 'https://a.example/\nhttps://b.example/\n',
    },
  );
  expect(ran.code).toBe(6);
  expect(secretFaults(folder)).toEqual([]);
});

test('R-40: a link that holds the key of its owner is shortened as it is', async ({ linkctl, wire }) => {
  // The fixture would not let the key through: the server is asked.
  await linkctl(['shorten', `https://example.com/?key=${apiKey}`, '-q', '-o', 'json', '--fields', 'hash']);
  expect(JSON.parse((await wire.requests())[0]?.body ?? '')).toMatchObject({
    urls: [{ long_url: expect.stringContaining(apiKey) }],
  });
});

/** The preloaded file must not hold the key, or the fixture finds it there. */
function keylessly(statement = ''): string {
  return `eval(Buffer.from('${Buffer.from(statement).toString('hex')}', 'hex').toString())`;
}
