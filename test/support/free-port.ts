import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A port of this computer that nobody has at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
