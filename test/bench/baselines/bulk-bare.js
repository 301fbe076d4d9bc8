import { createReadStream, createWriteStream } from 'node:fs';
import { parse } from 'csv-parse';
import { Pool } from 'undici';

/** csv-parse, undici and nothing else: no check, no journal, no matching; four calls in flight. */
const [source, baseUrl, results] = process.argv.slice(2);
const pool = new Pool(baseUrl, { connections: 4, pipelining: 1 });
const headers = { 'content-type': 'application/json', authorization: `Basic ${Buffer.from('ann:secret').toString('base64')}` };
const out = createWriteStream(results);
out.write('row,status,hash,short_url,long_url,code,message\n');
const underWay = new Set();
let number = 0;

async function send(urls) {
  const { body } = await pool.request({ path: '/urls', method: 'POST', headers, body: JSON.stringify({ urls }) });
  let text = '';
  for (const { hash, short_url_with_protocol, long_url, error } of (await body.json()).urls) {
    number += 1;
    text += `${number},${error.code ? 'failed' : 'created'},${hash},${short_url_with_protocol},${long_url},${error.code},${error.message}\n`;
  }
  if (!out.write(text)) await new Promise((resolve) => out.once('drain', resolve));
}

async function start(batch) {
  while (underWay.size >= 4) await Promise.race(underWay);
  const call = send(batch).finally(() => underWay.delete(call));
  underWay.add(call);
}

let batch = [];
for await (const row of createReadStream(source).pipe(parse({ columns: true }))) {
  batch.push({ ...row, tags: row.tags.split(','), email_stats: row.email_stats === 'true' });
  if (batch.length < 1000) continue;
  await start(batch);
  batch = [];
}
if (batch.length > 0) await start(batch);
await Promise.all(underWay);
out.end();
await pool.close();
