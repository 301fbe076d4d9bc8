import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test as plain } from 'vitest';
import { clientConfigs } from '../../src/service/store/postgres/database-url.ts';
import { certify } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';
import { clusterFolder, createCluster, freshDatabase, holdImport, query } from '../support/postgres.ts';
import { test as base, type Client, inBothEditions, many } from './running-service.ts';

/** What only the engine that keeps its data in PostgreSQL has. */

const url = 'https://example.com/';

const test = base.extend<{ database: string; serve: (settings?: object) => Promise<Client> }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the pattern
  database: async ({}, use) => use(await freshDatabase()),
  /** Each is a process of the service, as far as the database can see. */
  serve: async ({ start, database }, use) =>
    use((settings = {}) => start({ store: { url: database, environment: {} }, ...settings })),
});

test('S2: one of several processes makes the link where duplicates are not allowed, and quotas hold for all', async ({
  serve,
}) => {
  const clients = [await serve({ limits: { maxMonthUrls: 25 } }), await serve({ limits: { maxMonthUrls: 25 } })];
  const path = '/urls?disable_long_url_duplicates=1';
  const calls = many(12, (index) =>
    clients[index % 2]?.call('POST', path, { urls: [{ long_url: url }, { long_url: `${url}${index % 3}` }] }),
  );
  const items = (await Promise.all(calls)).flatMap((answer) => answer?.body.urls ?? []);
  expect(new Set(items.map((item) => item.hash)).size).toBe(4);
  const more = many(30, (index) => clients[index % 2]?.call('POST', '/urls', { urls: [{ long_url: `${url}more/${index}` }] }));
  const codes = (await Promise.all(more)).map((answer) => answer?.body.urls[0]?.error?.code);
  expect([codes.filter((code) => code === 0).length, codes.filter((code) => code === 1220).length]).toEqual([21, 9]);
});

test('S3, S5: expressions within expressions are answered with statistics of an almost empty account, too', async ({
  serve,
  database,
}) => {
  const client = await serve();
  await client.shorten({ long_url: url, tags: ['a', 'b', 'c', 'd', 'e'] });
  const labels = (number: number) => ['a', 'b', 'c', 'd', 'e'].filter((_, index) => (number >> index) % 3 === 0);
  const store = (start: number) => client.shorten(...many(1000, (at) => ({ long_url: url, tags: labels(start + at) })));
  await query(database, 'ANALYZE');
  // As if each tag had one link: the service renews other statistics when it has added many rows.
  await query(database, 'ALTER TABLE url_tags ALTER COLUMN tag_id SET (n_distinct = -1)');
  for (const start of [1, 1001, 2001]) await store(start);
  const isIn =
    ({ tags }: { tags: readonly string[] }) =>
    (label: string) =>
      tags.includes(label);
  const links = [{ tags: labels(0) }, ...many(3000, (at) => ({ tags: labels(at + 1) }))].map(isIn);
  for (const [expression, holds] of [
    ['(~d&b)|e', (has: (label: string) => boolean) => (!has('d') && has('b')) || has('e')],
    [
      '((~d&b)|e)&~((a^b)|(c&~(d|e)))',
      (has: (label: string) => boolean) =>
        ((!has('d') && has('b')) || has('e')) && !(has('a') !== has('b') || (has('c') && !(has('d') || has('e')))),
    ],
  ] as const) {
    for (const order of ['created', 'hash']) {
      const { body } = await client.call('GET', `/urls?limit=10&order_by=${order}&tags=${encodeURIComponent(expression)}`);
      expect(body).toMatchObject({ error: { code: 0 }, page: { total_count: links.filter(holds).length } });
    }
  }
});

test('S2: calls of a day are counted for all processes', async ({ serve }) => {
  const clients = [await serve({ limits: { maxCallsPerDay: 10 } }), await serve({ limits: { maxCallsPerDay: 10 } })];
  const answers = await Promise.all(many(16, (index) => clients[index % 2]?.call('GET', '/tags')));
  expect(answers.filter((answer) => answer?.body.error.code === 1303)).toHaveLength(6);
});

test('S2: max_clicks is exact to the click with visits of several processes, and the days have all of them', async ({
  serve,
}) => {
  const [one, other] = [await serve(), await serve()];
  await one.shorten({ long_url: url, custom_hash: 'abc', max_clicks: 9 });
  const visits = await Promise.all(many(30, (index) => (index % 2 ? one : other).visit('/abc')));
  expect(visits.filter(({ status }) => status === 303)).toHaveLength(9);
  await other.call('GET', '/tags');
  const { stats } = (await one.call('GET', '/stats/abc')).body;
  expect(stats).toMatchObject([{ total_clicks: 9, daily_clicks: { '2024-05-15': { total: 9 } } }]);
});

test('S2: a renamed hash is free for another process at once', async ({ serve }) => {
  const [one, other] = [await serve(), await serve()];
  await one.shorten({ long_url: `${url}1`, custom_hash: 'abc' });
  await one.call('PATCH', '/urls/abc', { urls: [{ custom_hash: 'new' }] });
  expect(await other.shorten({ long_url: `${url}2`, custom_hash: 'abc' })).toMatchObject([{ error: { code: 0 } }]);
  expect(await other.shorten({ long_url: `${url}2`, custom_hash: 'new' })).toMatchObject([{ error: { code: 1215 } }]);
});

test('hashes may pass from one URL to another in one call', async ({ serve }) => {
  const client = await serve();
  await client.shorten(...['a', 'b', 'c'].map((custom_hash) => ({ long_url: url + custom_hash, custom_hash })));
  const urls = [
    { hash: 'a', custom_hash: 'x' },
    { hash: 'b', custom_hash: 'a', tags: ['+t'] },
    { hash: 'c', custom_hash: 'a' },
    { hash: 'x', custom_hash: 'b', tags: ['+T', '-t', '+u'] },
  ];
  const { body } = await client.call('PATCH', '/urls', { urls });
  expect(body.urls.map(({ error }) => error?.code)).toEqual([0, 0, 1215, 0]);
  const listed = (await client.call('GET', '/urls?order_by=hash')).body.urls;
  expect(listed.map(({ hash, long_url, tags }) => [hash, long_url, tags])).toEqual([
    ['a', `${url}b`, ['t']],
    ['b', `${url}a`, ['u']],
    ['c', `${url}c`, []],
  ]);
});

test('S3: the own edits are seen at once, those of another process after a second', async ({ serve }) => {
  const [one, other] = [await serve(), await serve()];
  const target = async (client: Client) => (await client.visit('/abc')).headers.get('location');
  await one.shorten({ long_url: `${url}1`, custom_hash: 'abc' });
  expect([await target(one), await target(other)]).toEqual([`${url}1`, `${url}1`]);
  await one.call('PATCH', '/urls/abc', { urls: [{ long_url: `${url}2` }] });
  expect(await target(one)).toBe(`${url}2`);
  await expect.poll(() => target(other), { timeout: 60_000 }).toBe(`${url}2`);
});

test('S5: processes that start at once make the tables once; a newer schema, and tables of another program, are refused', async ({
  serve,
  database,
}) => {
  const clients = await Promise.all(many(4, () => serve()));
  await Promise.all(clients.map((client, index) => client.shorten({ long_url: url, custom_hash: `h${index}` })));
  expect(await clients[0]?.hashes('?order_by=hash')).toEqual(['h0', 'h1', 'h2', 'h3']);
  await query(database, 'UPDATE linkctl_schema SET version = 99');
  await expect(serve()).rejects.toThrow('newer version of linkctl');
  const foreign = await freshDatabase();
  await query(foreign, 'CREATE TABLE urls (id INT)');
  await expect(serve({ store: { url: foreign, environment: {} } })).rejects.toThrow('table "urls" of another program');
});

test('S1: a new database that cannot store every character is refused', async ({ serve, database }) => {
  const open = async (encoding: string) => {
    const name = `${encoding}_${process.pid}`.toLowerCase();
    const locale = "LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C'";
    await query(database, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING '${encoding}' ${locale}`);
    return serve({ store: { url: database.replace('/postgres?', `/${name}?`).replace(/&options=.*/, ''), environment: {} } });
  };
  const reason = "the encoding of the database is LATIN1: create the database with ENCODING 'UTF8'";
  await expect(open('LATIN1')).rejects.toThrow(reason);
  expect(await (await open('SQL_ASCII')).shorten({ long_url: url, note: '€ – ä😀' })).toMatchObject([{ note: '€ – ä😀' }]);
});

test('S5: a process that was killed while it made the tables holds nobody up', async ({ serve, database }) => {
  await query(
    database,
    'CREATE TABLE linkctl_schema (id BIGINT PRIMARY KEY, version BIGINT NOT NULL, holder TEXT NOT NULL, leased_until BIGINT NOT NULL)',
  );
  const soon = 'CAST(extract(epoch FROM now()) * 1000 AS BIGINT) + 300';
  await query(database, `INSERT INTO linkctl_schema VALUES (1, 0, 'killed', ${soon})`);
  await query(
    database,
    'CREATE TABLE tags (account_id BIGINT NOT NULL, id BIGINT NOT NULL, folded TEXT NOT NULL, label TEXT NOT NULL, PRIMARY KEY (account_id, id), UNIQUE (account_id, folded))',
  );
  const client = await serve();
  expect(await client.shorten({ long_url: url, tags: ['t'] })).toMatchObject([{ error: { code: 0 }, tags: ['t'] }]);
});

/** The answer and whether it came within five seconds. */
async function timed<T>(work: Promise<T>): Promise<[T, boolean]> {
  const started = performance.now();
  const result = await work;
  return [result, performance.now() - started < 5000];
}

test('S5: while the database is gone, visits are answered from memory or 503, calls 101; then all is well without a restart', async ({
  start,
  world,
}) => {
  const cluster = createCluster(clusterFolder(), { isDurable: true });
  onTestFinished(() => cluster.stop('immediate'));
  const client = await start({ store: { url: cluster.url, environment: {} }, onFailure: () => {} });
  await client.shorten({ long_url: url, custom_hash: 'known' }, { long_url: url, custom_hash: 'few', max_clicks: 5 });
  await client.shorten({ long_url: url, custom_hash: 'deleted' });
  expect((await client.visit('/deleted')).status).toBe(303);
  await client.call('DELETE', '/urls/deleted');
  for (const path of ['/known', '/few']) expect((await client.visit(path)).status).toBe(303);
  cluster.stop('immediate');
  const gone = async () => {
    const paths = ['/known', '/few', '/deleted', '/other'];
    const visits = await Promise.all(paths.map((path) => timed(client.visit(path))));
    expect(visits.map(([{ status }, isSoon]) => [status, isSoon])).toEqual([
      [303, true],
      [503, true],
      [503, true],
      [503, true],
    ]);
    const [{ status, body }, isSoon] = await timed(
      client.call('POST', '/urls', { urls: [{ long_url: url, custom_hash: 'half' }] }),
    );
    expect([status, body.error.code, isSoon]).toEqual([500, 101, true]);
  };
  await gone();
  cluster.start();
  await expect.poll(async () => (await client.call('GET', '/tags')).body.error.code, { timeout: 60_000 }).toBe(0);
  expect(await client.hashes('?order_by=hash')).toEqual(['few', 'known']);
  // The visit that was answered from memory counts, too.
  const clicks = async () => (await client.call('GET', '/stats/known')).body.stats[0]?.total_clicks;
  await expect.poll(clicks, { timeout: 60_000 }).toBe(2);
  // A server that is there and does not answer, as behind a network that is gone.
  cluster.freeze();
  await gone();
  cluster.thaw();
  await expect.poll(async () => (await client.visit('/few')).status, { timeout: 60_000 }).toBe(303);
  expect(world.failures).toEqual([]);
});

inBothEditions((editionTest, edition) => {
  editionTest(
    'S6: a folder is moved with counters, tags, days and log; interrupted and repeated, too',
    async ({ start, folder, world }) => {
      const before = await start({ data: folder });
      const items = many(edition === 'a' ? 700 : 400, (index) => ({
        long_url: `${url}${index}`,
        custom_hash: `h${index}`,
        tags: [`t${index % 5}`],
      }));
      await before.shorten(...items);
      for (const visitor of ['v', 'w', 'v']) await before.visit('/h1', { 'user-agent': visitor });
      world.time += 86_400_000;
      await before.visit('/h1', { 'user-agent': 'v' });
      const calls = ['/urls', '/stats/h1', '/tags', '/urls?tags=t1%26~t2', ...(edition === 'a' ? ['/log', '/domains'] : [])];
      const show = (client: Client) => Promise.all(calls.map(async (path) => (await client.call('GET', path)).body));
      const shown = await show(before);
      await before.service.close();
      const database = await freshDatabase();
      const imported: object[] = [];
      const store = { url: database, environment: {}, importFrom: folder, onImported: (what: object) => imported.push(what) };
      await start({ store });
      // As a process leaves it that is killed during the import.
      await query(database, "UPDATE imports SET place = 2, last_key = '[]', done = 0");
      for (const table of ['urls', 'url_tags', 'visitors', 'daily_clicks', 'log', 'tallies'])
        await query(database, `DELETE FROM ${table}`);
      await expect(start({ store: { url: database, environment: {} } })).rejects.toThrow(
        'an import into this account is not finished',
      );
      const after = await start({ store });
      expect(await show(after)).toEqual(shown);
      // The visitor is known, and the counters of the month and the day go on.
      await after.visit('/h1', { 'user-agent': 'v' });
      expect((await after.call('GET', '/stats/h1')).body.stats).toMatchObject([{ total_clicks: 5, unique_clicks: 2 }]);
      expect((await after.call('GET', '/account')).body.account.counters.month_urls?.count).toBe(items.length);
      await start({ store });
      expect(imported).toMatchObject([
        { isNew: true, urls: items.length, clicks: 4, tags: 5 },
        { isNew: true },
        { isNew: false },
      ]);
      await expect(start({ store, username: 'eve' })).rejects.toThrow(`${folder} has no links of eve`);
    },
  );
});

test('S6: a folder is moved whose visitors were forgotten', async ({ start, folder, database, world }) => {
  const before = await start({ data: folder });
  await before.shorten({ long_url: url, custom_hash: 'abc' });
  await before.visit('/abc');
  await before.service.close();
  world.time += 3 * 86_400_000;
  await (await start({ data: folder, visitorDays: 1 })).service.close();
  const after = await start({ store: { url: database, environment: {}, importFrom: folder } });
  expect((await after.call('GET', '/stats/abc')).body.stats).toMatchObject([{ total_clicks: 1, unique_clicks: 1 }]);
});

/** Breaks an import half-way, when it comes to the log. */
async function failImport(database: string, start: () => Promise<unknown>): Promise<void> {
  await query(database, 'ALTER TABLE log ADD CONSTRAINT broken CHECK (id < 0) NOT VALID');
  await expect(start()).rejects.toThrow('broken');
  await query(database, 'ALTER TABLE log DROP CONSTRAINT broken');
}

test('S6: while an import is not finished, processes that serve the account already answer nobody, and then go on', async ({
  start,
  serve,
  folder,
  database,
  world,
}) => {
  const source = await start({ data: folder });
  await source.shorten({ long_url: url, custom_hash: 'one', tags: ['t'] });
  await source.service.close();
  const failures: string[] = [];
  const serving = await serve({ metricsPort: 0, onFailure: (error: unknown) => failures.push(String(error)) });
  await serving.shorten({ long_url: url, custom_hash: 'former' });
  expect((await serving.visit('/former')).status).toBe(303);
  // By another process, so that this one still knows the link.
  await (await serve()).call('DELETE', '/urls/former');
  const shorten = async (custom_hash: string) =>
    (await serving.call('POST', '/urls', { urls: [{ long_url: url, custom_hash }] })).body.error.code;
  const store = { url: database, environment: {}, importFrom: folder };
  await failImport(database, () => start({ store }));
  const calls: readonly [method: string, path: string, payload?: object][] = [
    ['POST', '/urls', { urls: [{ long_url: url, custom_hash: 'two' }] }],
    ['DELETE', '/urls/one'],
    ['POST', '/tags', { label: 'u' }],
    ...['/urls', '/urls?tags=t', '/urls?tags=%7Et', '/urls/one', '/urls/nosuch', '/stats/one', '/tags', '/log', '/account'].map(
      (path) => ['GET', path] as [string, string],
    ),
  ];
  for (const [method, path, payload] of calls) {
    const { status, headers, body } = await serving.call(method, path, payload);
    expect([method, path, status, headers.get('retry-after'), body.error.code]).toEqual([method, path, 429, '1', 1219]);
  }
  for (const path of ['/one', '/nosuch', '/one.qr']) expect([path, (await serving.visit(path)).status]).toEqual([path, 503]);
  await expect.poll(async () => (await serving.visit('/former')).status, { timeout: 60_000 }).toBe(503);
  // It knows nothing of the account any more, its domains neither.
  expect((await serving.call('GET', '/urls')).status).toBe(429);
  expect(failures.join()).toContain('an import into this account is not finished');
  const health = async () => {
    const answer = await fetch(`http://127.0.0.1:${serving.service.metricsPort}/healthz`);
    return [answer.status, await answer.text()];
  };
  expect(await health()).toEqual([503, expect.stringContaining('an import into this account is not finished')]);
  // Its calls are counted, also on a day that the folder does not know.
  world.time += 86_400_000;
  await serving.call('GET', '/account');
  const after = await start({ store });
  expect(await health()).toEqual([200, 'ok\n']);
  expect((await serving.visit('/one')).status).toBe(303);
  expect(await shorten('two')).toBe(0);
  expect(await after.hashes('?order_by=hash')).toEqual(['one', 'two']);
});

test('S6: a process that serves the account already counts visits after an import, and knows the visitors of the folder', async ({
  start,
  serve,
  folder,
  database,
}) => {
  const source = await start({ data: folder });
  await source.shorten({ long_url: url, custom_hash: 'one' });
  await source.visit('/one', { 'user-agent': 'v' });
  await source.service.close();
  const failures: string[] = [];
  const serving = await serve({ onFailure: (error: unknown) => failures.push(String(error)) });
  const store = { url: database, environment: {}, importFrom: folder };
  await start({ store });
  expect((await serving.visit('/one', { 'user-agent': 'v' })).status).toBe(303);
  // Clicks that it has not stored when an import begins wait.
  await query(database, 'UPDATE imports SET done = 0');
  expect((await serving.visit('/one', { 'user-agent': 'w' })).status).toBe(303);
  await expect.poll(() => failures.join(), { timeout: 60_000 }).toContain('an import into this account is not finished');
  await query(database, 'UPDATE imports SET done = 1');
  const stats = async () => (await serving.call('GET', '/stats/one')).body.stats[0];
  await expect.poll(stats, { timeout: 60_000 }).toMatchObject({ total_clicks: 3, unique_clicks: 2 });
});

test('S6: what is there already is not mixed with what comes, and a changed folder is moved anew', async ({
  start,
  serve,
  folder,
  database,
}) => {
  const source = await start({ data: folder });
  await source.shorten({ long_url: url, custom_hash: 'one' });
  // What it has counted is stored: nobody writes to a folder while it is moved.
  await source.call('GET', '/account');
  const client = await serve();
  await client.shorten({ long_url: url, custom_hash: 'here' });
  const store = { url: database, environment: {}, importFrom: folder };
  await expect(start({ store })).rejects.toThrow('an import needs an empty one');
  await client.call('DELETE', '/urls/here');
  await start({ store });
  await query(database, 'UPDATE imports SET done = 0');
  await source.shorten({ long_url: url, custom_hash: 'two' });
  await source.call('GET', '/account');
  expect(await (await start({ store })).hashes('?order_by=hash')).toEqual(['one', 'two']);
});

test('S6: an import goes on that was killed while the clock of the database was ahead by days', async ({
  start,
  serve,
  folder,
  database,
}) => {
  const source = await start({ data: folder });
  await source.shorten({ long_url: url, custom_hash: 'one' });
  await source.service.close();
  await (await serve()).service.close();
  const aWeekOn = 'extract(epoch FROM now()) * 1000 + 604800000';
  await query(
    database,
    `INSERT INTO imports (account_id, source, place, last_key, done, holder, leased_until) SELECT id, '', 0, '[]', 0, 'killed', ${aWeekOn} FROM accounts`,
  );
  const client = await start({ store: { url: database, environment: {}, importFrom: folder } });
  expect(await client.hashes()).toEqual(['one']);
});

test('E47, S6: an import that is refused for the address of another process has moved nothing', async ({
  start,
  serve,
  folder,
  database,
}) => {
  const source = await start({ data: folder, domains: [{ name: 'moved.ex' }] });
  await source.shorten({ long_url: url, custom_hash: 'one' });
  await source.service.close();
  const client = await serve({ domains: [{ name: 's.ex' }], publicUrl: 'https://s.ex' });
  const store = { url: database, environment: {}, importFrom: folder };
  const taken = { store, domains: [{ name: 'other.ex' }], publicUrl: 'https://other.ex' };
  await expect(start(taken)).rejects.toThrow('another process serves the same links as https://s.ex');
  expect((await serve()).service.domains).toEqual(['s.ex']);
  await client.service.close();
  const after = await start(taken);
  expect([after.service.domains, await after.hashes('?domain=moved.ex')]).toEqual([['other.ex', 'moved.ex'], ['one']]);
});

test('E47: a process that has its port but not yet its links answers nobody, and says so on the health port', async ({
  start,
  serve,
  folder,
  database,
}) => {
  const source = await start({ data: folder, domains: [{ name: 's.ex' }] });
  await source.shorten({ long_url: url, custom_hash: 'one' });
  await source.service.close();
  await (await serve()).service.close();
  const free = await holdImport(database);
  const [port, metricsPort] = [await freePort(), await freePort()];
  const starting = serve({ store: { url: database, environment: {}, importFrom: folder }, port, metricsPort });
  const show = async (at: number, path: string, text: RegExp) => {
    const answer = await fetch(`http://127.0.0.1:${at}${path}`).catch(() => undefined);
    return [answer?.status, text.test((await answer?.text()) ?? '')];
  };
  await expect.poll(() => show(metricsPort, '/healthz', /starting/), { timeout: 60_000 }).toEqual([503, true]);
  expect(await show(port, '/one', /try again/)).toEqual([503, true]);
  // Not 500: a client must know that nothing was done, and repeat it.
  const called = await fetch(`http://127.0.0.1:${port}/api/3/urls`, { method: 'POST', body: '{' });
  expect([called.status, called.headers.get('retry-after'), await called.json()]).toEqual([
    429,
    '1',
    { error: { code: 1219, message: 'Target server on cooldown' } },
  ]);
  await free();
  expect((await starting).service.domains).toEqual(['s.ex']);
  expect(await show(metricsPort, '/healthz', /ok/)).toEqual([200, true]);
  expect((await (await starting).visit('/one')).status).toBe(303);
});

test('S1: over the network the certificate of the server is checked, and the password is asked for', async ({
  start,
  folder,
}) => {
  const [certificate, other] = [certify('localhost', { hosts: ['localhost'] }), certify('localhost', { hosts: ['localhost'] })];
  const port = await freePort();
  const cluster = createCluster(clusterFolder(), { network: { port, certificate } });
  onTestFinished(() => cluster.stop('immediate'));
  await query(cluster.url, "ALTER ROLE linkctl PASSWORD 'right'");
  for (const [name, { cert }] of Object.entries({ right: certificate, wrong: other }))
    writeFileSync(join(folder, `${name}.pem`), cert);
  const open = (parameters: string, PGPASSWORD = 'right') =>
    start({ store: { url: `postgresql://linkctl@localhost:${port}/postgres?${parameters}`, environment: { PGPASSWORD } } });
  const authority = (name: string) => `sslmode=verify-full&sslrootcert=${encodeURIComponent(join(folder, `${name}.pem`))}`;
  await expect(open('sslmode=require')).rejects.toThrow('self-signed certificate');
  await expect(open(authority('wrong'))).rejects.toThrow('certificate');
  await expect(open(authority('right'), 'wrong')).rejects.toThrow(/^password authentication failed for user "linkctl"$/);
  const client = await open(authority('right'));
  await client.shorten({ long_url: url, custom_hash: 'abc' });
  expect((await client.visit('/abc')).status).toBe(303);
});

plain('S1: the address is read as libpq does, and TLS is checked unless the database is here', () => {
  const config = (text: string, environment = {}) => clientConfigs({ url: text, environment })[0];
  expect(config('postgresql://ann@db.example/links')).toMatchObject({
    host: 'db.example',
    port: 5432,
    user: 'ann',
    database: 'links',
    ssl: { rejectUnauthorized: true },
  });
  expect(config('postgres://ann:a%40b@[::1]:6000/x%2Fy')).toMatchObject({ host: '::1', port: 6000, database: 'x/y', ssl: false });
  expect(config('postgresql:///links?host=/run/postgresql', { PGUSER: 'eve' })).toMatchObject({
    host: '/run/postgresql',
    user: 'eve',
    ssl: false,
  });
  expect(config('postgresql://db.example/links?sslmode=disable')).toMatchObject({ ssl: false });
  expect(config('postgresql://127.0.0.1/links?sslmode=require')).toMatchObject({ ssl: { rejectUnauthorized: true } });
  expect(config('postgresql://db.example/links', { PGSSLMODE: 'prefer' })).toMatchObject({ ssl: { rejectUnauthorized: true } });
  expect(() => config('postgresql://ann:secret@a@b/links')).toThrow(/^invalid database URL: expected postgresql:/);
});

plain('E51: several hosts are several servers, and what libpq takes as parameters is taken', () => {
  const configs = (text: string, environment = {}) =>
    clientConfigs({ url: text, environment }).map(({ host, port, user, database, ssl }) => [
      host,
      port,
      user,
      database,
      Boolean(ssl),
    ]);
  expect(configs('postgresql://ann@one.example:6000,[::1]/links?target_session_attrs=read-write')).toEqual([
    ['one.example', 6000, 'ann', 'links', true],
    ['::1', 5432, 'ann', 'links', false],
  ]);
  const named = 'postgresql:///?host=/run/a,/run/b&port=5433&user=eve&dbname=links';
  expect(configs(named)).toEqual(['/run/a', '/run/b'].map((host) => [host, 5433, 'eve', 'links', false]));
  expect(configs('postgresql:///links', { PGHOST: 'a,b', PGPORT: '1,2', PGUSER: 'u', PGSSLMODE: 'disable' })).toEqual([
    ['a', 1, 'u', 'links', false],
    ['b', 2, 'u', 'links', false],
  ]);
  const [config] = clientConfigs({ url: 'postgresql://h/db?user=ann&password=sec%26ret', environment: { PGPASSWORD: 'other' } });
  expect(typeof config?.password === 'function' && config.password()).toBe('sec&ret');
  expect(() => configs('postgresql://h/db?target_session_attrs=standby')).toThrow('use read-write');
});

test('E51: of several servers the one that takes changes is used', async ({ start, database }) => {
  const [, place = ''] = /[?&]host=([^&]*)/.exec(database) ?? [];
  const readOnly = `${database}${encodeURIComponent(' -c default_transaction_read_only=on')}`;
  await expect(start({ store: { url: readOnly, environment: {} } })).rejects.toThrow('the database is read-only');
  const several = database.replace(place, `${encodeURIComponent('/nowhere')},${place}`);
  const client = await start({ store: { url: several, environment: {} } });
  expect(await client.shorten({ long_url: url })).toMatchObject([{ error: { code: 0 } }]);
});

plain('S1: the password is of the URL, PGPASSWORD or PGPASSFILE', () => {
  const folder = mkdtempSync(join(tmpdir(), 'linkctl-password-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'passwords');
  writeFileSync(file, '# mine\nother:*:*:*:wrong\ndb.example:5432:links:ann:a\\:b\\\\c\n', { mode: 0o600 });
  const passwordOf = (text: string, environment: Record<string, string>) => {
    const password = clientConfigs({ url: text, environment })[0]?.password;
    return typeof password === 'function' ? password() : password;
  };
  expect(passwordOf('postgresql://ann:in%20url@db.example/links', { PGPASSWORD: 'variable' })).toBe('in url');
  expect(passwordOf('postgresql://ann@db.example/links', { PGPASSWORD: 'variable', PGPASSFILE: file })).toBe('variable');
  expect(passwordOf('postgresql://ann@db.example/links', { PGPASSFILE: file })).toBe('a:b\\c');
  expect(() => passwordOf('postgresql://eve@db.example/links', { PGPASSFILE: file })).toThrow('set PGPASSWORD or PGPASSFILE');
});
