import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { startService } from '../../src/service/service.ts';
import { type Ended, runProgram, startProgram } from '../support/built-program.ts';
import { freePort } from '../support/free-port.ts';
import { test as base } from '../support/linkctl.ts';
import { clusterFolder, createCluster, freshDatabase, holdImport } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const password = 'correct-horse-battery-staple';

interface Serving {
  readonly baseUrl: string;
  readonly processId: number;
  stop(): Promise<Ended>;
}

const test = base.extend<{
  database: string;
  serve: (flags: readonly string[], env?: Record<string, string>) => Promise<Serving>;
}>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the pattern
  database: async ({}, use) => use(await freshDatabase()),
  /** `linkctl serve` as a process of its own, once it listens. */
  serve: async ({ homeEnv }, use) =>
    use(async (flags, env = {}) => {
      const program = startProgram(['serve', '--port', '0', '--drain', '0', '-o', 'json', ...flags], { ...homeEnv, ...env });
      onTestFinished(() => void program.process.kill('SIGKILL'));
      let said = '';
      program.process.stdout?.on('data', (text: string) => {
        said += text;
      });
      const early = program.ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
      await Promise.race([until(() => said.includes('\n'), 'serve listened'), early]);
      return {
        baseUrl: (JSON.parse(said) as { base_url: string }).base_url,
        processId: program.process.pid as number,
        stop: () => {
          early.catch(() => {});
          program.process.kill('SIGTERM');
          return program.ended;
        },
      };
    }),
});

const keyIn = (data: string): string => readFileSync(join(data, 'api-key'), 'utf8').trim();

async function shorten(baseUrl: string, key: string, item: object): Promise<void> {
  const headers = { authorization: `Basic ${Buffer.from(`sandbox:${key}`).toString('base64')}` };
  const body = JSON.stringify({ urls: [{ long_url: 'https://example.com/', ...item }] });
  expect((await fetch(`${baseUrl}/urls`, { method: 'POST', headers, body })).status).toBe(200);
}

/** The service in this process, as that of a folder before its links are imported. */
const account = { edition: 'a', username: 'sandbox', apiKey: 'k'.repeat(32), redirects: true } as const;

const withPassword = (url: string): string => url.replace('linkctl@', `linkctl:${password}@`);

test('S1: serve --store keeps links in the database, and a password in its URL is shown nowhere', async ({
  serve,
  database,
  folder,
}) => {
  const key = ['--api-key-file', join(folder, 'key.txt')];
  await writeFile(join(folder, 'key.txt'), 'k'.repeat(32), { mode: 0o600 });
  const first = await serve(['--store', withPassword(database), ...key]);
  expect(readFileSync(`/proc/${first.processId}/cmdline`, 'utf8')).not.toContain(password);
  const headers = { authorization: `Basic ${Buffer.from(`sandbox:${'k'.repeat(32)}`).toString('base64')}` };
  const body = JSON.stringify({ urls: [{ long_url: 'https://example.com/', custom_hash: 'abc' }] });
  expect((await fetch(`${first.baseUrl}/urls`, { method: 'POST', headers, body })).status).toBe(200);
  const ended = await first.stop();
  expect([ended.code, ended.stderr.includes(password)]).toEqual([0, false]);
  const second = await serve(key, { LINKCTL_STORE: database });
  const { urls } = (await (await fetch(`${second.baseUrl}/urls`, { headers })).json()) as { urls: { hash: string }[] };
  expect(urls.map(({ hash }) => hash)).toEqual(['abc']);
  await second.stop();
});

test('S1: a database that cannot be used is exit 8 with the reason, without the password', async ({ homeEnv, database }) => {
  for (const [url, reason] of [
    [withPassword(database).replace('host=', 'host=%2Fnowhere'), 'connect ENOENT'],
    [withPassword(database).replace('/postgres?', '/nothing?'), 'database "nothing" does not exist'],
    [`postgresql://ann:${password}@127.0.0.1:1/links`, 'connect ECONNREFUSED'],
  ] as const) {
    const { code, stderr } = await runProgram(['serve', '--port', '0', '--debug', '--store', url], homeEnv);
    expect([code, stderr]).toEqual([8, expect.stringContaining(`error: cannot use the database: ${reason}`)]);
    expect(stderr).not.toContain(password);
  }
});

test('S1: the user in the address of a database is no secret, so that paths and commands with that name are shown whole', async ({
  linkctl,
  folder,
}) => {
  const file = join(folder, 'linkctl', 'key');
  const { stderr } = await linkctl(['serve', '--store', 'postgresql://linkctl@db.example:5432/links', '--api-key-file', file]);
  expect(stderr).toContain(`cannot read the key file ${file}: `);
});

test('S1: an address of something else, and --import without a database, are refused', async ({ linkctl }) => {
  const other = await linkctl(['serve', '--store', `mysql://ann:${password}@db.example/links`]);
  expect([other.code, other.stderr]).toEqual([
    2,
    expect.stringContaining('--store: expected an address that begins with postgresql://'),
  ]);
  expect(other.stderr).not.toContain(password);
  expect(await linkctl(['serve', '--import', 'links'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--import requires --store'),
  });
});

test('S6, E56: --import says what it moved, serves it, and moves nothing when it is repeated, and says what it had moved', async ({
  serve,
  database,
  folder,
}) => {
  const data = join(folder, 'moved');
  await mkdir(data);
  const before = await startService({ ...account, data });
  await shorten(before.baseUrl, account.apiKey, { custom_hash: 'abc', tags: ['x', 'y'] });
  await before.close();
  const first = await serve(['--store', database, '--import', data]);
  expect((await fetch(first.baseUrl.replace('/api/3', '/abc'), { redirect: 'manual' })).status).toBe(303);
  expect((await first.stop()).stderr).toContain('imported 1 link, 2 tags, 0 clicks and 1 line of the log');
  const again = await serve(['--store', database, '--import', data]);
  expect((await again.stop()).stderr).toContain(
    'nothing to import: already imported 1 link, 2 tags, 0 clicks and 1 line of the log',
  );
});

test('S6: a folder that is being served is not imported, and later links of an imported one are named', async ({
  serve,
  database,
  folder,
}) => {
  const data = join(folder, 'served');
  const make = ({ baseUrl }: Serving, custom_hash: string) => shorten(baseUrl, keyIn(data), { custom_hash });
  const old = ['--data', data, '--public-url', 'https://s.ex'];
  const before = await serve(old);
  await make(before, 'one');
  const move = ['--store', database, '--import', data];
  const refusal = `cannot import: ${data} is being served as https://s.ex: stop that process first, or wait half a minute if it was killed`;
  await expect(serve(move)).rejects.toThrow(refusal);
  await make(before, 'two');
  await before.stop();
  expect((await (await serve(move)).stop()).stderr).toContain('imported 2 links, ');
  const again = await serve(old);
  await make(again, 'three');
  await again.stop();
  expect((await (await serve(move)).stop()).stderr).toContain(
    `warning: ${data} is not imported: 2 links were imported before, from this folder as it was then or from another one; ` +
      'to move what is in it now, serve it on another port and use "linkctl copy"\n',
  );
});

test('S6: a damaged folder is not imported, and the folder is named instead of the database', async ({
  serve,
  database,
  folder,
}) => {
  await writeFile(join(folder, 'links-a.db'), 'no store');
  await expect(serve(['--store', database, '--import', folder])).rejects.toThrow(
    `cannot import: ${folder}: file is not a database`,
  );
});

/** A folder with one link, and a database into which another process seems to import for as long as `free` is not called. */
async function slowImport(database: string, folder: string) {
  const data = join(folder, 'moved');
  await mkdir(data);
  const before = await startService({ ...account, data });
  await shorten(before.baseUrl, account.apiKey, { custom_hash: 'abc' });
  await before.close();
  await (await startService({ ...account, store: { url: database, environment: {} } })).close();
  const [port, metricsPort] = [await freePort(), await freePort()];
  const keys = join(folder, 'keys');
  const flags = ['--port', `${port}`, '--metrics-port', `${metricsPort}`, '--api-key-file', keys, '--drain', '0'];
  const free = await holdImport(database);
  return {
    keys,
    baseUrl: `http://127.0.0.1:${port}/api/3`,
    free,
    /** Serves with the keys of the file `keys`; resolves during the import. */
    begin: async (env: Record<string, string>) => {
      const program = startProgram(['serve', ...flags, '--store', database, '--import', data], env);
      onTestFinished(() => void program.process.kill('SIGKILL'));
      const health = () => fetch(`http://127.0.0.1:${metricsPort}/healthz`).then((answer) => answer.text(), String);
      await expect.poll(health, { timeout: 60_000 }).toBe('starting\n');
      return program;
    },
  };
}

test('E49, S6: keys that change while a folder is imported are in use after it, and SIGTERM ends an import at once', async ({
  homeEnv,
  database,
  folder,
}) => {
  const { keys, baseUrl, free, begin } = await slowImport(database, folder);
  const [old, next] = ['o'.repeat(32), 'n'.repeat(32)];
  await writeFile(keys, old, { mode: 0o600 });
  const stopped = await begin(homeEnv);
  stopped.process.kill('SIGTERM');
  expect((await stopped.ended).signal).toBe('SIGTERM');
  const serving = await begin(homeEnv);
  let said = '';
  serving.process.stderr?.on('data', (text: string) => {
    said += text;
  });
  await writeFile(keys, next);
  serving.process.kill('SIGHUP');
  await delay(300);
  expect(said).toBe('');
  await free();
  await until(() => said.includes('SIGHUP: reloaded'), 'the keys are read again');
  const code = async (key: string) => {
    const headers = { 'x-tinycc-user': 'sandbox', 'x-tinycc-key': key };
    const answer = await fetch(`${baseUrl}/urls/abc`, { headers });
    return ((await answer.json()) as { error: { code: number } }).error.code;
  };
  expect([await code(old), await code(next)]).toEqual([1300, 0]);
});

test('E50: a service that stops while its database is gone says how many clicks are lost: 8, and logs them', async ({
  serve,
  folder,
}) => {
  const cluster = createCluster(clusterFolder());
  const log = join(folder, 'access.log');
  const serving = await serve(['--data', folder, '--store', cluster.url, '--access-log', log]);
  await shorten(serving.baseUrl, keyIn(folder), { custom_hash: 'one' });
  const visit = async () => (await fetch(serving.baseUrl.replace('/api/3', '/one'), { redirect: 'manual' })).status;
  expect(await visit()).toBe(303);
  cluster.stop('immediate');
  expect(await visit()).toBe(303);
  const { code, stderr } = await serving.stop();
  const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { error: { message: string } };
  expect([code, error.message]).toEqual([8, expect.stringMatching(/^[12] clicks? could not be stored: /)]);
  expect(readFileSync(log, 'utf8').match(/GET \/one /g)).toHaveLength(2);
});

test('S6: a call during an import is certain to have done nothing: shorten repeats it and makes its link once', async ({
  homeEnv,
  database,
  folder,
}) => {
  const { keys, baseUrl, free, begin } = await slowImport(database, folder);
  await writeFile(keys, account.apiKey, { mode: 0o600 });
  await begin(homeEnv);
  const credentials = ['--base-url', baseUrl, '--username', 'sandbox', '--api-key-file', keys];
  const call = ['shorten', 'https://example.com/new', ...credentials];
  const impatient = await runProgram([...call, '--retries', '0'], homeEnv);
  expect(impatient).toMatchObject({ code: 8, stderr: expect.stringContaining('does not accept this request at the moment') });
  const shortened = runProgram([...call, '-v'], homeEnv);
  await delay(1000);
  await free();
  const { code, stderr } = await shortened;
  expect([code, stderr]).toEqual([0, expect.stringMatching(/POST \/urls.* 429 /)]);
  const listed = await runProgram(['list', ...credentials, '-o', 'tsv', '--fields', 'long_url'], homeEnv);
  expect(listed.stdout).toBe('https://example.com/new\nhttps://example.com/\n');
});
