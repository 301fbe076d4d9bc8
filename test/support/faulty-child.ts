import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startFaultyServer } from './faulty-server.ts';

/** The process of `startFaultyProcess`: options in argv, where it listens as a line on stdout, script and log over a second port. */
const server = await startFaultyServer(JSON.parse(process.argv[2] ?? '{}'));
const control = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (request.method === 'POST') await server.script(JSON.parse(Buffer.concat(chunks).toString()));
  response.end(JSON.stringify(request.method === 'POST' ? null : await server.requests()));
});
control.listen(0, '127.0.0.1', () => {
  const port = (control.address() as AddressInfo).port;
  process.stdout.write(
    `${JSON.stringify({ origin: server.origin, baseUrl: server.baseUrl, control: `http://127.0.0.1:${port}` })}\n`,
  );
});
