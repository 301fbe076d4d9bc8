import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends bytes as they are and answers with all that comes until the service closes the connection. */
export async function rawExchange(port: number, text: string): Promise<{ status: number; head: string; body: string }> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let answer = '';
  socket.on('data', (chunk: string) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  socket.write(text);
  await once(socket, 'close');
  const [head = '', ...rest] = answer.split('\r\n\r\n');
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head, body: rest.join('\r\n\r\n') };
}
