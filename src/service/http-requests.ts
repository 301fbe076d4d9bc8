import type { IncomingMessage } from 'node:http';
import { type AddressReader, plainAddress } from './client-address.ts';
import type { ServiceRequest } from './message.ts';
import { Refusal } from './refusal.ts';

/** `http://s.ex/abc`, as clients send it to a proxy. */
const absoluteForm = /^https?:\/\/([^/?#]*)(.*)$/i;

interface RequestOptions {
  /** Bytes of a body, above which reading it is refused with 1310. */
  readonly bodyBytes: number;
  /** Without it, a request comes from its peer. */
  readonly addressOf?: AddressReader | undefined;
}

/** A request of Node's as a plain value. */
export function serviceRequest(incoming: IncomingMessage, { bodyBytes, addressOf }: RequestOptions): ServiceRequest {
  const { method = '', url = '/', headers, httpVersion } = incoming;
  const peer = incoming.socket.remoteAddress ?? '';
  const [, authority, rest = ''] = (url.startsWith('/') ? undefined : absoluteForm.exec(url)) ?? [];
  return {
    method,
    httpVersion,
    target: authority === undefined ? url : rest.replace(/^(?!\/)/, '/'),
    // That of the target wins over the header (V1).
    host: authority?.replace(/^.*@/, '') ?? headers.host ?? '',
    headers,
    address: addressOf ? addressOf(peer, text(headers['x-forwarded-for'])) : plainAddress(peer),
    body: () => readBody(incoming, bodyBytes),
  };
}

/** Several lines of a header as one list. */
function text(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value;
}

/** Whether the host is named twice, or not at all where HTTP/1.1 demands it: who is between could read another one than we do (V1). */
export function hasDoubtfulHost({ headers, httpVersion, rawHeaders }: IncomingMessage): boolean {
  if (headers.host === undefined) return httpVersion === '1.1';
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

/** What exceeds the bound is discarded as it arrives, so that the answer reaches a client that is still sending. */
function readBody(incoming: IncomingMessage, bound: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = (): void => {
      incoming.removeAllListeners('data').resume();
      chunks.length = 0;
      reject(new Refusal(1310));
    };
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > bound) refuse();
      else chunks.push(chunk);
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
    // The client is gone: nobody reads this answer.
    incoming.on('error', () => reject(new Refusal(1305)));
    incoming.on('close', () => reject(new Refusal(1305)));
  });
}
