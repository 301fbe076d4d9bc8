import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { startPooler } from '../support/pgbouncer.ts';
import { freshDatabase } from '../support/postgres.ts';
import { many, test } from './running-service.ts';

/** PgBouncer between the service and its database. */

const url = 'https://example.com/';

test.for(['session', 'transaction'] as const)(
  'E46: two processes behind PgBouncer, by %s, are one service',
  async (mode, { start, folder }) => {
    const pooler = await startPooler(folder, await freshDatabase(), mode);
    onTestFinished(() => pooler.stop());
    const place = { url: pooler.url, environment: {} };
    const clients = [await start({ store: place }), await start({ store: place })];
    const items = many(12, (index) => ({ long_url: `${url}${index}`, custom_hash: `h${index}`, tags: [`t${index % 3}`] }));
    const made = await Promise.all(items.map((item, index) => clients[index % 2]?.shorten(item)));
    expect(made.flat().map((item) => item?.error?.code)).toEqual(many(12, () => 0));
    for (const client of clients) {
      expect(await client.hashes('?tags=t1&order_by=hash')).toEqual(['h1', 'h10', 'h4', 'h7']);
      expect((await client.visit('/h1')).status).toBe(303);
      expect(
        (await client.call('PATCH', '/urls/h2', { urls: [{ note: 'x', tags: ['-t2', '+u'] }] })).body.urls[0]?.error?.code,
      ).toBe(0);
    }
    await clients[0]?.call('GET', '/tags');
    expect((await clients[1]?.call('GET', '/stats/h1'))?.body.stats).toMatchObject([{ total_clicks: 2 }]);
  },
);

test('E46, E61: no click is lost when a pooler first refuses a prepared statement', async ({ start, folder, world }) => {
  // All connections of the process are one, on which the change has prepared its statements when the clicks come.
  const pooler = await startPooler(folder, await freshDatabase(), 'transaction', 1);
  onTestFinished(() => pooler.stop());
  const client = await start({ store: { url: pooler.url, environment: {} } });
  await client.shorten({ long_url: url, custom_hash: 'abc' });
  expect((await client.visit('/abc')).status).toBe(303);
  const clicks = async () => (await client.call('GET', '/stats/abc')).body.stats[0]?.total_clicks;
  await expect.poll(clicks).toBe(1);
  expect(world.failures).toEqual([]);
});

test('S5: a connection that a full pool does not give ends none of those that there are', async ({ start, folder }) => {
  // Of changes and visits, which a start needs, and of the first read. None is left for the number of calls and for clicks.
  const pooler = await startPooler(folder, await freshDatabase(), 'session', 3);
  onTestFinished(() => pooler.stop());
  const failures: string[] = [];
  const client = await start({
    store: { url: pooler.url, environment: {} },
    metricsPort: 0,
    onFailure: (error: unknown) => failures.push(String(error)),
  });
  expect(await client.hashes()).toEqual([]);
  await client.shorten({ long_url: url, custom_hash: 'abc' });
  expect((await client.visit('/abc')).status).toBe(303);
  const seen = new Set<string>();
  const health = `http://127.0.0.1:${client.service.metricsPort}/healthz`;
  for (const turn of many(25, (index) => index)) {
    // One after the other, as one connection of each kind answers them.
    const visited = (await client.visit(`/unknown${turn}`)).status;
    const listed = (await client.call('GET', '/urls')).body.error.code;
    seen.add([visited, listed, (await fetch(health)).status].join(' '));
    await delay(200);
  }
  expect([...seen]).toEqual(['404 0 200']);
  expect(failures.join()).toContain('the pool of a pooler may be too small');
});
