import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ServiceResponse } from './message.ts';

/** The status for what Node's parser refuses; undefined for a broken connection. */
export function statusOfParser(code: string): number | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  return code.startsWith('HPE_') ? 400 : undefined;
}

/**
 * Ends a connection with a response to what has none of Node's. Behind a pending request, with the response to that instead, because the
 * client would take any other for it.
 */
export function endWith(response: ServiceResponse, socket: Duplex, last: ServerResponse | undefined): void {
  if (last && !last.writableFinished) {
    last.shouldKeepAlive = false;
    last.once('finish', () => socket.end());
  } else if (socket.writable) {
    socket.end(responseText(response), () => socket.destroy());
  }
}

function responseText({ status, headers, body }: ServiceResponse): string {
  const fields = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' });
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...fields.map(([name, value]) => `${name}: ${value}`)];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
