import { Pool } from 'undici';

/** Reads every page and writes its records as JSON lines, as they come. */
const pool = new Pool(process.argv[2], { connections: 1 });
const headers = { authorization: `Basic ${Buffer.from('ann:secret').toString('base64')}` };
for (let offset = 0; ; offset += 1000) {
  const { body } = await pool.request({ path: `/urls?limit=1000&offset=${offset}`, method: 'GET', headers });
  const { urls } = await body.json();
  if (urls.length === 0) break;
  const text = urls.map((url) => `${JSON.stringify(url)}\n`).join('');
  if (!process.stdout.write(text)) await new Promise((resolve) => process.stdout.once('drain', resolve));
}
await pool.close();
