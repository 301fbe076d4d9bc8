import { readFileSync } from 'node:fs';
import { load } from './load.js';
import { median, startServer } from './processes.js';
import { client, fill, links, medianTime, readings, timed } from './service.js';

const redirectTurns = 5;

/** The engines of the service side by side: SQLite, PostgreSQL with one and two processes, and a bare `node:http` for redirects. */
export async function engines(world) {
  if (!world.store) throw new Error('--only engines needs --store postgresql://… with an empty database');
  const total = Number(world.links ?? (world.quick ? 40_000 : 1_000_000));
  const sqlite = await serve(world, []);
  await fill(sqlite.api, total);
  await sqlite.stop();
  const importing = performance.now();
  const first = await serve(world, ['--store', world.store, '--import', world.path('data')]);
  const imported = (performance.now() - importing) / 1000;
  const again = await serve(world, []);
  const second = await serve(world, ['--store', world.store]);
  const bare = await startServer([world.baseline('redirects.js')]);
  try {
    return [
      { what: `--import of ${total.toLocaleString('en')} links with three tags each`, unit: 's', value: imported },
      ...(await reads(again, first, total)),
      ...(await batches([again, first], [first, second], total)),
      ...(await redirects({ sqlite: [again], one: [first], two: [first, second], bare: [{ origin: bare.line }] }, world)),
    ];
  } finally {
    for (const service of [again, first, second]) await service.stop();
    await bare.stop();
  }
}

/** A service on the data folder of this world, which SQLite uses unless there is a store. */
export async function serve(world, flags, connections) {
  const limits = ['--max-urls', '100000000', '--max-month-urls', '100000000', '--max-calls-per-day', '100000000'];
  const argv = [
    world.program,
    'serve',
    '--port',
    '0',
    '--domain',
    's.example',
    '--data',
    world.path('data'),
    '--username',
    'ann',
    '-o',
    'json',
  ];
  const server = await startServer([...argv, ...limits, ...flags], world.env);
  const { base_url: baseUrl, api_key_file: file } = JSON.parse(server.line);
  const key = readFileSync(file, 'utf8').trim();
  const api = client(baseUrl, key, connections);
  return { api, origin: new URL(baseUrl).origin, stop: async () => void (await Promise.all([api.close(), server.stop()])) };
}

async function reads(sqlite, postgres, total) {
  const rows = [];
  for (const [what, path] of readings(total)) {
    const [one, other] = [
      await medianTime(() => sqlite.api.send('GET', path)),
      await medianTime(() => postgres.api.send('GET', path)),
    ];
    rows.push({
      what: `${what}, PostgreSQL`,
      unit: 'ms',
      value: other,
      most: Math.round(2 * one),
      note: `SQLite ${one.toFixed(1)} ms`,
    });
  }
  return rows;
}

/** Batches of 1,000, one after the other in each process; of two processes at once. */
async function batches([sqlite, postgres], both, total) {
  let next = total;
  const send = ({ api }) => {
    const urls = links(next, 1000);
    next += 1000;
    return api.send('POST', '/urls', { urls });
  };
  const speeds = async (processes) => {
    const times = [];
    for (let turn = 0; turn < 10; turn++) times.push(await timed(() => Promise.all(processes.map(send))));
    return (1e6 * processes.length) / median(times);
  };
  const [one, other, two] = [await speeds([sqlite]), await speeds([postgres]), await speeds(both)];
  const note = `SQLite ${Math.round(one)}, PostgreSQL with two processes ${Math.round(two)}`;
  return [{ what: 'batch POST of 1000 with tags, PostgreSQL', unit: 'records/s', value: other, note }];
}

/** Turn by turn, because the machine's speed drifts; each process has its share of the connections. */
async function redirects(servers, world) {
  const paths = links(0, 10_000).map(({ custom_hash }) => `/${custom_hash}`);
  const seconds = world.quick ? 1.5 : 4;
  const visit = async (processes, rate) => {
    const share = { paths, seconds, connections: 32 / processes.length, ...(rate && { rate: rate / processes.length }) };
    const reached = await Promise.all(processes.map(({ origin }) => load(origin, share)));
    return { rate: reached.reduce((sum, each) => sum + each.rate, 0), p99: Math.max(...reached.map(({ p99 }) => p99)) };
  };
  const rates = { sqlite: [], one: [], two: [], bare: [] };
  for (let turn = 0; turn <= redirectTurns; turn++) {
    for (const [name, processes] of Object.entries(servers)) {
      const { rate } = await visit(processes);
      if (turn > 0) rates[name].push(rate);
    }
  }
  const bare = median(rates.bare);
  const row = (what, name, least) => ({
    what: `redirects with clicks counted, ${what}`,
    unit: 'x bare node:http',
    value: median(rates[name]) / bare,
    least,
    note: `${Math.round(median(rates[name]))}/s of ${Math.round(bare)}/s`,
  });
  const { p99 } = await visit(servers.one, median(rates.one) / 2);
  return [
    row('SQLite', 'sqlite'),
    row('PostgreSQL, one process', 'one', 0.25),
    row('PostgreSQL, two processes', 'two'),
    { what: 'redirects at half of that, PostgreSQL, p99', unit: 'ms', value: p99, most: 20 },
  ];
}
