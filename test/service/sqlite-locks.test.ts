import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { type Connection, openConnection, retryWhileBusy } from '../../src/files/sqlite.ts';
import { buildChild, type ChildProgram } from '../support/child-program.ts';
import { test as base, type Client, connect, many } from './running-service.ts';

/** A data folder that another program has locked, or whose disk is full. */

const url = 'https://example.com/';

const test = base.extend<{ client: Client; other: Connection }>({
  client: async ({ start, folder }, use) => use(await start({ data: folder, onFailure: () => {}, metricsPort: 0 })),
  /** Another program that has the same file open. */
  other: async ({ client, folder }, use) => {
    await client.shorten({ long_url: url, custom_hash: 'abc' });
    const connection = await openConnection(folder, 'links-a.db');
    await use(connection);
    connection.close();
  },
});

let program: ChildProgram;

beforeAll(async () => {
  program = await buildChild(join(import.meta.dirname, 'service-child.ts'));
});

afterAll(() => program.remove());

const post = async (client: Pick<Client, 'call'>) =>
  (await client.call('POST', '/urls', { urls: [{ long_url: url }] })).body.error.code;

const health = async (port: number | string | undefined) => (await fetch(`http://127.0.0.1:${port}/healthz`)).status;

test('E42: visits and reads wait for no lock of another program, and their clicks are stored when it is gone', async ({
  client,
  other,
}) => {
  other.begin('write');
  const order: string[] = [];
  const calls = many(4, async () => order.push(`code ${await post(client)}`));
  for (let visit = 0; visit < 5; visit += 1) {
    expect((await client.visit('/abc')).status).toBe(303);
    order.push('visit');
  }
  expect(await client.hashes()).toEqual(['abc']);
  order.push('read');
  await Promise.all(calls);
  expect(order).toEqual([...many(5, () => 'visit'), 'read', ...many(4, () => 'code 101')]);
  other.rollback();
  const clicks = async () => (await client.call('GET', '/stats/abc')).body.stats[0]?.total_clicks;
  await expect.poll(clicks, { timeout: 60_000 }).toBe(5);
  expect(await client.hashes()).toEqual(['abc']);
});

test('E42: calls that wait for the lock of another program do not wait for each other in turn', async ({ client, other }) => {
  other.begin('write');
  const started = performance.now();
  const waits = await Promise.all(
    many(4, async () => {
      expect(await post(client)).toBe(101);
      return performance.now() - started;
    }),
  );
  other.rollback();
  // Compared with the first one: in turn, the last would wait four times as long.
  expect(Math.max(...waits) / Math.min(...waits)).toBeLessThan(2);
});

test('E42: calls that wait for the lock of another program succeed when it is gone in time', async ({ client, other }) => {
  other.begin('write');
  const calls = Promise.all(['one', 'two'].map((custom_hash) => client.shorten({ long_url: url, custom_hash })));
  for (let visit = 0; visit < 5; visit += 1) await client.visit('/abc');
  other.rollback();
  await calls;
  expect((await client.hashes()).toSorted()).toEqual(['abc', 'one', 'two']);
});

test('E42, S5: health is 503 from a call that could not be stored until the lock is gone', async ({ client, other }) => {
  const port = client.service.metricsPort;
  expect(await health(port)).toBe(200);
  other.begin('write');
  expect(await post(client)).toBe(101);
  expect([await health(port), await health(port)]).toEqual([503, 503]);
  other.rollback();
  expect(await health(port)).toBe(200);
  expect(await post(client)).toBe(0);
});

test('S5: health is 503 while the disk is full, and 200 again without a call or a restart', async ({ folder }) => {
  const limited = 'trap "" XFSZ; ulimit -f 300; exec "$@"';
  const child = spawn('bash', ['-c', limited, '-', process.execPath, program.file, folder, 'with metrics'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const [baseUrl, port] = [(await lines.next()).value, (await lines.next()).value];
  const client = connect({ baseUrl, origin: new URL(baseUrl).origin });
  const seen = async () => [await post(client), await health(port)];
  expect(await seen()).toEqual([0, 200]);
  await expect.poll(seen, { timeout: 60_000, interval: 1 }).toEqual([101, 503]);
  // The full file is the log. Another process makes room.
  const other = await openConnection(folder, 'links-a.db');
  other.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  other.close();
  expect(await health(port)).toBe(200);
  expect(await post(client)).toBe(0);
});

test('E71: on a disk without a log, where writers lock out readers, a read is tried again', async ({ folder }) => {
  const reader = await openConnection(folder, 'links.db');
  reader.exec('PRAGMA journal_mode=DELETE; CREATE TABLE t (x); INSERT INTO t VALUES (1)');
  reader.neverWait();
  const writer = await openConnection(folder, 'other.db');
  // Only a file that is opened by itself gets a log.
  writer.exec(`ATTACH '${join(folder, 'links.db')}' AS links; BEGIN EXCLUSIVE`);
  const read = retryWhileBusy(() => reader.sql('SELECT x FROM t').all(), 60_000);
  writer.exec('ROLLBACK');
  expect(await read).toEqual([{ x: 1 }]);
  reader.close();
  writer.close();
});
