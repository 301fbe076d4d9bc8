import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { insertBare } from './baselines/engine.js';
import { load } from './load.js';
import { median, startServer } from './processes.js';

/** The local service with a million links. */
export async function service(world) {
  const total = world.quick ? 40_000 : 1_000_000;
  const data = world.path('data');
  const limits = ['--max-urls', '10000000', '--max-month-urls', '10000000', '--max-calls-per-day', '100000000'];
  const server = await startServer(
    [world.program, 'serve', '--port', '0', '--data', data, '--username', 'ann', '-o', 'json', ...limits],
    world.env,
  );
  const { base_url: baseUrl, api_key_file: file } = JSON.parse(server.line);
  const key = readFileSync(file, 'utf8').trim();
  const api = client(baseUrl, key);
  try {
    const last = total - (world.quick ? 20_000 : 150_000);
    await fill(api, last);
    return [
      ...(await inserts(api, data, { from: last, to: total })),
      ...(await reads(api, total)),
      ...(await redirects(new URL(baseUrl).origin, world)),
    ];
  } finally {
    await api.close();
    await server.stop();
  }
}

/** Calls of the API with this key. */
export function client(baseUrl, key, connections = 4) {
  const { origin, pathname } = new URL(baseUrl);
  const pool = new Pool(origin, { connections });
  const headers = { authorization: `Basic ${Buffer.from(`ann:${key}`).toString('base64')}`, 'content-type': 'application/json' };
  return {
    close: () => pool.close(),
    async send(method, path, payload) {
      const { body, statusCode } = await pool.request({
        method,
        path: pathname + path,
        headers,
        ...(payload && { body: JSON.stringify(payload) }),
      });
      const answer = await body.json();
      if (answer.error.code !== 0) throw new Error(`${method} ${path}: ${statusCode} ${JSON.stringify(answer.error)}`);
      return answer;
    },
  };
}

/** Links with three of 2,500 tags each: one of 10, one of 90, one of 2,400. */
export function links(start, count) {
  return Array.from({ length: count }, (_, index) => {
    const number = start + index;
    return {
      custom_hash: `h${String(number).padStart(8, '0')}`,
      long_url: `https://shop.example.com/catalogue/item/${number}?utm_source=newsletter`,
      note: 'spring sale, week 12',
      tags: [`ten-${number % 10}`, `ninety-${(number * 7) % 90}`, `many-${(number * 31) % 2400}`],
    };
  });
}

export async function fill(api, total) {
  for (let start = 0; start < total; start += 1000)
    await api.send('POST', '/urls', { urls: links(start, Math.min(1000, total - start)) });
}

/** Turn by turn: ten batches over HTTP, ten of the bare engine in a file of the same tables and rows. */
async function inserts(api, data, { from, to }) {
  const bare = await insertBare(data, links);
  const ratios = [];
  const speeds = [];
  for (let start = from; start < to; start += 10_000) {
    const overHttp = await timed(async () => {
      for (let batch = 0; batch < 10; batch++) await api.send('POST', '/urls', { urls: links(start + 1000 * batch, 1000) });
    });
    const alone = await timed(() => bare.insert(10));
    ratios.push(alone / overHttp);
    speeds.push(10_000 / overHttp);
  }
  bare.close();
  const note = `${Math.round(1000 * median(speeds))} records/s`;
  return [{ what: 'batch POST of 1000 with tags', unit: 'x bare engine transaction', value: median(ratios), least: 0.6, note }];
}

async function reads(api, total) {
  const rows = [];
  for (const [what, path, most] of readings(total))
    rows.push({ what, unit: 'ms', value: await medianTime(() => api.send('GET', path)), most });
  return rows;
}

/** Pages and tag expressions, with the milliseconds that each may take. */
export function readings(total) {
  const middle = total / 2;
  const hashes = links(middle, 1000).map(({ custom_hash }) => custom_hash);
  const tagged = (expression, more = '') => `/urls?tags=${encodeURIComponent(expression)}&limit=1000${more}`;
  return [
    ['GET /urls?hashes= of 1000', `/urls?hashes=${hashes.join(',')}`, 25],
    ['page of the 1000 newest', '/urls?limit=1000', 15],
    [`page at offset ${middle.toLocaleString('en')}`, `/urls?limit=1000&offset=${middle}`, 60],
    ['page by hash', '/urls?limit=1000&order_by=hash', 60],
    ['tags a|b by hash', tagged('ten-1|ten-2', '&order_by=hash'), 120],
    ['tags a&b', tagged('ten-1&ninety-7'), 120],
    ['tags (a|b)&~c', tagged('(ten-1|ten-2)&~ninety-7'), 120],
    ['tags ~a', tagged('~ten-1'), 120],
  ];
}

/** Of ten, after two to warm up. */
export async function medianTime(work) {
  const times = [];
  for (let turn = 0; turn < 12; turn++) times.push(await timed(work));
  return median(times.slice(2));
}

async function redirects(origin, world) {
  const bare = await startServer([world.baseline('redirects.js')]);
  const paths = links(0, 10_000).map(({ custom_hash }) => `/${custom_hash}`);
  const seconds = world.quick ? 1.5 : 4;
  const ratios = [];
  let peak = 0;
  try {
    for (let turn = 0; turn < (world.quick ? 3 : 16); turn++) {
      const ours = await load(origin, { paths, seconds });
      const theirs = await load(bare.line, { paths, seconds });
      if (turn === 0) continue;
      ratios.push(ours.rate / theirs.rate);
      peak = Math.max(peak, ours.rate);
    }
    const note = `${Math.round(peak)} redirects/s at best`;
    return [
      { what: 'redirects with clicks counted', unit: 'x bare node:http', value: median(ratios), least: 0.4, note },
      await halfThePeak(origin, bare.line, { paths, seconds }),
      { what: 'redirects, against 1,290/s of Kutt', unit: 'x (published run)', value: peak / 1290, least: 10 },
    ];
  } finally {
    await bare.stop();
  }
}

/** Half of what is reached right before: the machine's speed drifts. */
async function halfThePeak(origin, bare, { paths, seconds }) {
  const waits = { ours: [], theirs: [] };
  for (let turn = 0; turn < 3; turn++) {
    const { rate } = await load(origin, { paths, seconds });
    const paced = { paths, seconds: 2 * seconds, rate: rate / 2 };
    waits.ours.push((await load(origin, paced)).p99);
    waits.theirs.push((await load(bare, paced)).p99);
  }
  const note = `bare ${median(waits.theirs).toFixed(1)} ms`;
  return { what: 'redirects at half the peak, p99', unit: 'ms', value: median(waits.ours), most: 20, note };
}

export async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
