import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ServiceResponse } from './message.ts';

/** The latest request of a connection. */
export interface Turn {
  readonly outgoing: ServerResponse;
  /** Undefined if it runs at once. */
  readonly begin: Promise<void> | undefined;
  /** The response if the parser refuses the body. */
  refusal?: ServiceResponse;
}

/** Pipelined requests run together only if all of them are safe (RFC 9112, 9.3.2). */
export function beginAfter(last: Turn | undefined, incoming: IncomingMessage): Promise<void> | undefined {
  if (!last || last.outgoing.writableFinished) return undefined;
  if (isSafe(last.outgoing.req) && isSafe(incoming)) return last.begin;
  return new Promise((resolve) => last.outgoing.once('close', resolve));
}

function isSafe({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** The status for what Node's parser refuses; undefined for a broken connection. */
export function statusOfParser(code: string): number | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  return code.startsWith('HPE_') ? 400 : undefined;
}

/**
 * Ends a connection with a response to what has none of Node's. Behind a pending request, with the response to that instead, because the
 * client would take any other for it. Returns true if it sent its own.
 */
export function endWith(response: ServiceResponse, socket: Duplex, last: Turn | undefined): boolean {
  if (last && !last.outgoing.writableFinished) {
    last.outgoing.shouldKeepAlive = false;
    last.outgoing.once('finish', () => socket.end());
    return false;
  }
  if (!socket.writable) return false;
  socket.end(responseText(response), () => socket.destroy());
  return true;
}

function responseText({ status, headers, body }: ServiceResponse): string {
  const fields = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' });
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...fields.map(([name, value]) => `${name}: ${value}`)];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
