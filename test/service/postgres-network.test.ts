import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { freshDatabase } from '../support/postgres.ts';
import { test as base, type Client, many } from './running-service.ts';

/** A database at the end of a network that is slow, silent, or closed on one side. */

const faults = ['takes 200 ms each way', 'swallows everything', 'is closed on one side'] as const;

type Fault = (typeof faults)[number] | 'loses one answer';

interface Network {
  readonly url: string;
  /** Also of connections that are open. */
  break(fault: Fault | undefined): void;
}

const url = 'https://example.com/';

const test = base.extend<{ network: Network }>({
  network: async ({ folder }, use) => {
    const database = await freshDatabase();
    const [, host = ''] = /host=([^&]*)/.exec(database) ?? [];
    let fault: Fault | undefined;
    const open = new Set<Socket>();
    const server = createServer({ allowHalfOpen: true }, (service) => {
      const behind = createConnection({ path: join(decodeURIComponent(host), '.s.PGSQL.5432'), allowHalfOpen: true });
      for (const [from, to] of [
        [service, behind],
        [behind, service],
      ] as const) {
        open.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => to.destroy());
        from.on('end', () => to.end());
        from.on('data', async (bytes) => {
          if (fault === 'takes 200 ms each way') await delay(200);
          if (fault === 'loses one answer' && from === behind) {
            fault = undefined;
            return void service.destroy();
          }
          if (fault === 'loses one answer') to.write(bytes);
          if (fault === undefined || fault === 'takes 200 ms each way') to.write(bytes);
        });
      }
      closeOneSide(service);
    });
    const closeOneSide = (each: Socket): void => {
      if (fault === 'is closed on one side') each.end();
    };
    server.listen(join(folder, '.s.PGSQL.5432'));
    await once(server, 'listening');
    await use({
      url: database.replace(host, encodeURIComponent(folder)),
      break(next) {
        fault = next;
        for (const each of open) closeOneSide(each);
        // What was swallowed is lost for good: such a connection can only be opened anew.
        if (next === undefined) for (const each of open) each.destroy();
      },
    });
    for (const each of open) each.destroy();
    server.close();
  },
});

/** The code of the answer, and whether it came in time: within the deadline of a call, and as much again for a busy machine. */
async function made(client: Client): Promise<[code: number, isSoon: boolean]> {
  const started = performance.now();
  const { body } = await client.call('POST', '/urls', { urls: [{ long_url: url }] });
  return [body.error.code, performance.now() - started < 10_000];
}

test.for(faults)(
  'E42, E43, S5: calls end at their deadline, and redirects wait for none, where the network %s',
  async (fault, { start, network }) => {
    const client = await start({ store: { url: network.url, environment: {} }, onFailure: () => {} });
    await client.shorten({ long_url: url, custom_hash: 'warm' });
    expect((await client.visit('/warm')).status).toBe(303);
    network.break(fault);
    const order: string[] = [];
    const calls = Promise.all(many(8, () => made(client))).finally(() => order.push('calls'));
    for (const _ of many(5, () => 0)) expect((await client.visit('/warm')).status).toBe(303);
    order.push('visits');
    const answers = await calls;
    expect(answers.filter(([, isSoon]) => !isSoon)).toEqual([]);
    // Behind a slow network those that are at the end of the line are refused in time.
    const codes = fault === 'takes 200 ms each way' ? [0, 101] : [101];
    for (const [code] of answers) expect(code).toBeOneOf(codes);
    expect(answers.some(([code]) => code === 0)).toBe(codes.includes(0));
    expect(order).toEqual(['visits', 'calls']);
    network.break(undefined);
    await expect.poll(async () => (await made(client))[0], { timeout: 60_000 }).toBe(0);
    const acknowledged = 2 + answers.filter(([code]) => code === 0).length;
    expect((await client.hashes()).length).toBeGreaterThanOrEqual(acknowledged);
    const clicks = async () => (await client.call('GET', '/stats/warm')).body.stats[0]?.total_clicks;
    await expect.poll(clicks, { timeout: 60_000 }).toBe(6);
  },
);

test('S2: reserved calls whose return was not answered are not returned twice', async ({ start, network }) => {
  const client = await start({
    store: { url: network.url, environment: {} },
    limits: { maxCallsPerDay: 1000 },
    onFailure: () => {},
  });
  await client.call('GET', '/tags');
  await client.call('GET', '/tags');
  network.break('loses one answer');
  let made = 2;
  const counted = async () => {
    made += 1;
    return (await client.call('GET', '/account')).body.account?.counters.today_api_calls?.count;
  };
  await counted();
  await expect.poll(counted, { timeout: 60_000 }).toBeDefined();
  expect(await counted()).toBeGreaterThanOrEqual(made);
});
