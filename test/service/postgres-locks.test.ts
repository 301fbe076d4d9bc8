import { Client as Connection } from 'pg';
import { expect, onTestFinished } from 'vitest';
import { openPostgresStore } from '../../src/service/store/postgres/postgres-store.ts';
import { lockTime, settleTime } from '../../src/service/store/timeout.ts';
import { clickCounter } from '../../src/service/visits/click-counter.ts';
import { freshDatabase, query } from '../support/postgres.ts';
import { username } from './credentials.ts';
import { createUrl } from './engine.ts';
import { test as base, type Client, many } from './running-service.ts';

/** A database that others hold up, that was changed by a newer program, or whose answers are lost. */

const url = 'https://example.com/';

const test = base.extend<{
  database: string;
  client: Client;
  held: (sql: string) => Promise<{ release: () => Promise<void>; commit: () => Promise<void>; waiting: () => Promise<number> }>;
}>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the pattern
  database: async ({}, use) => use(await freshDatabase()),
  client: async ({ start, database }, use) =>
    use(await start({ store: { url: database, environment: {} }, onFailure: () => {}, metricsPort: 0 })),
  /** Somebody else's transaction with this statement in it, until it is let go. */
  held: async ({ database }, use) =>
    use(async (sql) => {
      const connection = new Connection({ connectionString: database });
      await connection.connect();
      onTestFinished(() => connection.end());
      await connection.query('BEGIN');
      await connection.query(sql);
      const [own] = (await connection.query('SELECT pg_backend_pid() AS id')).rows;
      const behind = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE ${own.id} = ANY(pg_blocking_pids(pid))`;
      return {
        release: async () => void (await connection.query('ROLLBACK')),
        commit: async () => void (await connection.query('COMMIT')),
        waiting: async () => Number((await query(database, behind))[0]?.count),
      };
    }),
});

/** Milliseconds until an answer, and its code. */
async function answered(client: Client, path: string, payload?: object): Promise<[wait: number, code: number]> {
  const started = performance.now();
  const { body } = await client.call(payload ? 'POST' : 'GET', path, payload);
  return [performance.now() - started, body.error.code];
}

test('E42: writers behind a lock of somebody else do not wait for each other in turn, and all is well when it is gone', async ({
  client,
  held,
}) => {
  await client.shorten({ long_url: url });
  const { release } = await held('LOCK TABLE urls IN SHARE MODE');
  const waits = await Promise.all(many(8, () => answered(client, '/urls', { urls: [{ long_url: url }] })));
  expect(waits.map(([, code]) => code)).toEqual(many(8, () => 101));
  const times = waits.map(([wait]) => wait).sort((one, other) => one - other);
  // Compared with the first one: in turn, the last would wait eight times as long.
  expect((times.at(-1) ?? 0) / (times[0] ?? 0)).toBeLessThan(4);
  await release();
  await expect.poll(async () => (await answered(client, '/urls', { urls: [{ long_url: url }] }))[1]).toBe(0);
});

test('E42: a call that waits for clicks, behind another one for a lock, and for the lock itself takes less than 5 s', () => {
  expect(settleTime + 2 * lockTime).toBeLessThan(4900);
});

test('E42: who reads does not wait for clicks that cannot be stored', async ({ start, database, held }) => {
  const order: string[] = [];
  const client = await start({ store: { url: database, environment: {} }, onFailure: () => order.push('clicks given up') });
  await client.shorten({ long_url: url, custom_hash: 'abc' });
  const { release } = await held("SELECT * FROM urls WHERE hash = 'abc' FOR UPDATE");
  expect((await client.visit('/abc')).status).toBe(303);
  expect((await client.call('GET', '/urls/abc')).status).toBe(200);
  order.push('read');
  await expect.poll(() => order.length, { timeout: 60_000 }).toBeGreaterThan(1);
  expect(order[0]).toBe('read');
  await release();
  const clicks = async () => (await client.call('GET', '/stats/abc')).body.stats[0]?.total_clicks;
  await expect.poll(clicks, { timeout: 60_000 }).toBe(1);
});

test('S6: a change that waits while an import begins changes nothing', async ({ client, held, database }) => {
  const beginning = `UPDATE accounts SET writes = writes + 1, salt = 'of the folder';
    INSERT INTO imports (account_id, source, place, last_key, done, holder, leased_until) SELECT id, '', 0, '[]', 0, '', 0 FROM accounts`;
  const { commit, waiting } = await held(beginning);
  const change = client.call('POST', '/urls', { urls: [{ long_url: url }] });
  await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
  await commit();
  expect((await change).body.error.code).toBe(1219);
  expect(await query(database, 'SELECT hash FROM urls')).toEqual([]);
});

test('S2: a reset or deletion that waits for clicks of another process takes them as well', async ({
  client,
  held,
  database,
}) => {
  const clicks = [
    'UPDATE urls SET total_clicks = 1, unique_clicks = 1',
    'INSERT INTO visitors (account_id, url_id, visitor, seen) SELECT account_id, id, 1, 1 FROM urls',
    'INSERT INTO daily_clicks (account_id, url_id, day, total, fresh) SELECT account_id, id, 1, 1, 1 FROM urls',
  ].join(';');
  const left = 'SELECT url_id FROM visitors UNION ALL SELECT url_id FROM daily_clicks';
  for (const path of ['/stats/abc', '/stats?tags=t', '/urls/abc', '/urls?tags=t']) {
    await client.shorten({ long_url: url, custom_hash: 'abc', tags: ['t'] });
    const { commit, waiting } = await held(clicks);
    const call = client.call('DELETE', path);
    await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
    await commit();
    expect([path, (await call).body.error.code]).toEqual([path, 0]);
    expect([path, await query(database, left)]).toEqual([path, []]);
  }
});

test('E43: redirects and health wait behind no API call', async ({ client, held }) => {
  await client.shorten({ long_url: url, custom_hash: 'warm' }, { long_url: url, custom_hash: 'cold' });
  expect((await client.visit('/warm')).status).toBe(303);
  const { release, waiting } = await held('LOCK TABLE tallies, accounts, tags IN ACCESS EXCLUSIVE MODE');
  const order: (string | number)[] = [];
  const calls = many(6, async (index) => {
    await client.call(index % 2 ? 'GET' : 'POST', '/urls', index % 2 ? undefined : { urls: [{ long_url: url }] });
    order.push('call');
  });
  await expect.poll(waiting, { timeout: 60_000 }).toBeGreaterThan(1);
  const visits = ['/warm', '/cold', '/nosuch'].map(async (path) => order.push((await client.visit(path)).status));
  const health = fetch(`http://127.0.0.1:${client.service.metricsPort}/healthz`).then(({ status }) => order.push(status));
  await Promise.all([...visits, health]);
  expect(order.filter((each) => each !== 'call').toSorted()).toEqual([200, 303, 303, 404]);
  await release();
  await Promise.all(calls);
});

test('E43: health does not wait for the number of calls to be stored', async ({ client, held }) => {
  const { release, waiting } = await held('LOCK TABLE tallies IN ACCESS EXCLUSIVE MODE');
  expect((await client.call('GET', '/urls')).body.error.code).toBe(0);
  await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
  expect((await fetch(`http://127.0.0.1:${client.service.metricsPort}/healthz`)).status).toBe(200);
  await release();
});

test('E56: a process that runs while a newer version changes the tables stops writing, and says why', async ({
  start,
  database,
}) => {
  const failures: string[] = [];
  const onFailure = (error: unknown) => failures.push(String(error));
  const client = await start({ store: { url: database, environment: {} }, metricsPort: 0, onFailure });
  await client.shorten({ long_url: url, custom_hash: 'abc' });
  await query(database, 'UPDATE linkctl_schema SET version = 99');
  const { status, body } = await client.call('POST', '/urls', { urls: [{ long_url: url, custom_hash: 'new' }] });
  expect([status, body.error.code]).toEqual([500, 101]);
  expect(failures.join()).toContain('a newer version of linkctl has changed the store');
  const health = await fetch(`http://127.0.0.1:${client.service.metricsPort}/healthz`);
  expect([health.status, await health.text()]).toEqual([503, expect.stringContaining('a newer version of linkctl')]);
  expect(await client.hashes()).toEqual(['abc']);
  expect((await client.visit('/abc')).status).toBe(303);
});

test('E61: clicks whose commit was not answered are counted once, however often they are offered', async ({ database }) => {
  const options = {
    edition: 'a',
    username,
    domains: [],
    now: Date.now,
    random: (size: number) => new Uint8Array(size).fill(7),
  } as const;
  const store = await openPostgresStore({ ...options, databaseUrl: { url: database, environment: {} } });
  onTestFinished(() => store.close());
  await store.open(undefined);
  const link = await createUrl(store);
  let lost = 2;
  const doubtful = {
    ...store,
    recordClicks: async (...group: Parameters<typeof store.recordClicks>) => {
      await store.recordClicks(...group);
      if (lost-- > 0) throw new Error('the answer is lost');
    },
  };
  const counter = clickCounter(doubtful, () => {});
  const add = (count: number) =>
    many(count, (index) => counter.add({ urlId: link.id, visitor: `v${index}`, time: 1, isCounted: false }));
  add(5);
  for (const more of [2, 1, 0]) {
    await counter.flush().catch(() => {});
    add(more);
  }
  await counter.flush();
  expect(await store.findStats(link.domain, link.hash)).toMatchObject({ totalClicks: 8, uniqueClicks: 5 });
});
