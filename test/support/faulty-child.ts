import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FaultyServer, startFaultyServer } from './faulty-server.ts';

/**
 * The process of `startFaultyHost`. Its address is a line on stdout; there `POST /` starts a server and answers with its address,
 * `POST /N` scripts the Nth, `PUT /N` changes its manners, `GET /N` is its log, `GET /N/read` and
 * `GET /N/late` end when it has settled, `HEAD /N/M` ends when it holds M answers,
 * `PATCH /N/M` releases what it holds, M answers or all, `DELETE /N` closes it.
 */
const servers: FaultyServer[] = [];

async function answer(method: string | undefined, path: string | undefined, body: string): Promise<unknown> {
  if (path === '/') {
    const { origin, baseUrl, sideDoor } = servers[servers.push(await startFaultyServer(JSON.parse(body))) - 1] as FaultyServer;
    return { origin, baseUrl, sideDoor, path: `/${servers.length - 1}` };
  }
  const [index, count] = (path ?? '').slice(1).split('/');
  const server = servers[Number(index)];
  if (method === 'GET' && count) await server?.settled({ late: count === 'late' });
  else if (method === 'GET') return await server?.requests();
  else if (method === 'HEAD') await server?.held(Number(count));
  else if (method === 'PATCH') await server?.release(count ? Number(count) : undefined);
  else if (method === 'DELETE') await server?.close();
  else if (method === 'PUT') await server?.behave(JSON.parse(body));
  else await server?.script(JSON.parse(body));
  return null;
}

const control = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  response.end(JSON.stringify(await answer(request.method, request.url, Buffer.concat(chunks).toString())));
});
// A connection that ends while it is chosen for the next request would fail a test.
control.keepAliveTimeout = 600_000;
control.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(control.address() as AddressInfo).port}\n`);
});

// A run of tests that was killed leaves nobody behind.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.exit();
}, 1000);
