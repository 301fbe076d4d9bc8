import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { serve } from './engines.js';
import { load } from './load.js';

const link = (custom_hash) => ({ urls: [{ long_url: 'https://example.com/', custom_hash }] });
const writers = 8;
const readers = 4;

/** How long calls and visits of a warm link wait while somebody else locks what they need, or the network to the database fails. */
export async function heldDatabase(world) {
  if (!world.store) throw new Error('--only held-database needs --store postgresql://… with an empty database');
  const network = await startNetwork(world.store);
  const service = await serve(world, ['--store', network.url], writers + readers);
  try {
    for (const hash of ['warm', 'locked']) await service.api.send('POST', '/urls', link(hash));
    const rows = [];
    for (const [what, hold] of faults(world.store, network)) {
      rows.push(...(await waitsDuring(service, what, hold, world.quick ? 6 : 15)));
    }
    return rows;
  } finally {
    await service.stop();
    network.close();
  }
}

/** Each begins a fault and returns what ends it. */
function faults(store, network) {
  const tables = 'urls, tags, url_tags, domains, accounts, tallies';
  return [
    ['nothing', async () => async () => {}],
    ['a locked row', () => locked(store, "SELECT * FROM urls WHERE hash = 'locked' FOR UPDATE")],
    ['SHARE on the links', () => locked(store, 'LOCK TABLE urls IN SHARE MODE')],
    ['ACCESS EXCLUSIVE on all tables', () => locked(store, `LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`)],
    ['200 ms each way', () => network.fail({ delay: 200 })],
    ['a network that swallows everything', () => network.fail({ isSilent: true })],
    ['connections closed on one side', () => network.fail({ isHalfClosed: true })],
  ];
}

async function locked(store, statement) {
  const connection = new pg.Client({ connectionString: store });
  await connection.connect();
  await connection.query('BEGIN');
  await connection.query(statement);
  return () => connection.end();
}

async function waitsDuring({ api, origin }, what, hold, seconds) {
  const release = await hold();
  const visiting = load(origin, { paths: ['/warm'], seconds, connections: 4, rate: 40 });
  const [{ waits, refused }, visits] = await Promise.all([calls(api, seconds), visiting]);
  await release();
  while (await isRefused(api, 'POST', '/urls', link())) await delay(100);
  return [
    {
      what: `${what}: longest call`,
      unit: 's',
      value: Math.max(...waits) / 1000,
      most: 5,
      note: `${waits.length} calls, ${refused} answered with 101`,
    },
    {
      what: `${what}: longest visit`,
      unit: 'ms',
      value: visits.longest,
      most: 50,
      note: `99 of 100 within ${visits.p99.toFixed(1)} ms`,
    },
  ];
}

/** Calls without a pause on as many connections; each is waited for. */
async function calls(api, seconds) {
  const until = performance.now() + 1000 * seconds;
  const waits = [];
  let refused = 0;
  const caller = async (method, path, payload) => {
    while (performance.now() < until) {
      const started = performance.now();
      if (await isRefused(api, method, path, payload)) refused++;
      waits.push(performance.now() - started);
    }
  };
  const each = (count, ...call) => Array.from({ length: count }, () => caller(...call));
  await Promise.all([
    ...each(writers - 1, 'POST', '/urls', link()),
    caller('PATCH', '/urls/locked', { urls: [{ note: 'changed' }] }),
    ...each(readers - 1, 'GET', '/urls?limit=10'),
    caller('GET', '/urls/locked'),
  ]);
  return { waits, refused };
}

async function isRefused(api, ...call) {
  try {
    await api.send(...call);
    return false;
  } catch (error) {
    if (!/"code":101\b/.test(error.message)) throw error;
    return true;
  }
}

/** A network in front of the database that can fail, for connections that are open and for new ones. */
async function startNetwork(store) {
  const url = new URL(store.replace('@/', '@localhost/'));
  const folder = url.searchParams.get('host');
  const place = folder
    ? { path: join(folder, `.s.PGSQL.${url.port || 5432}`) }
    : { host: url.hostname, port: Number(url.port || 5432) };
  const open = new Set();
  let fault = {};
  const server = createServer({ allowHalfOpen: true }, (service) => {
    const database = createConnection({ ...place, allowHalfOpen: true });
    passOn(service, database);
    passOn(database, service);
    if (fault.isHalfClosed) service.end();
  });
  const passOn = (from, to) => {
    open.add(from);
    from.on('error', () => to.destroy());
    from.on('end', () => to.end());
    from.on('close', () => {
      open.delete(from);
      to.destroy();
    });
    from.on('data', async (bytes) => {
      if (fault.isSilent) return;
      if (fault.delay) await delay(fault.delay);
      to.write(bytes);
    });
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url.host = `127.0.0.1:${server.address().port}`;
  url.searchParams.delete('host');
  return {
    url: url.href,
    fail: async (next) => {
      fault = next;
      if (fault.isHalfClosed) for (const each of open) each.end();
      return async () => {
        // What was swallowed is lost for good.
        if (!fault.delay) for (const each of open) each.destroy();
        fault = {};
      };
    },
    close: () => {
      server.close();
      for (const each of open) each.destroy();
    },
  };
}
