import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Refusal } from './api/refusal.ts';
import { type AddressReader, plainAddress } from './client-address.ts';
import type { ServiceRequest } from './message.ts';

/** `http://s.ex/abc`, as clients send it to proxies. */
const absoluteForm = /^https?:\/\/([^/?#]*)(.*)$/i;

export interface RequestOptions {
  /** Larger bodies are refused with 1310. */
  readonly bodyBytes: number;
  /** Default: the address of the peer. */
  readonly addressOf?: AddressReader | undefined;
}

export function serviceRequest(incoming: IncomingMessage, options: RequestOptions): ServiceRequest {
  const { method = '', url = '/', headers, httpVersion } = incoming;
  const [, authority, rest = ''] = (url.startsWith('/') ? undefined : absoluteForm.exec(url)) ?? [];
  return {
    method,
    httpVersion,
    target: authority === undefined ? url : rest.replace(/^(?!\/)/, '/'),
    // The host in the target takes precedence over the header.
    host: authority?.replace(/^.*@/, '') ?? headers.host ?? '',
    headers,
    address: clientAddress(incoming.socket, options, text(headers['x-forwarded-for'])),
    body: () => readBody(incoming, options.bodyBytes),
  };
}

/** What the parser refuses may have neither method nor path. */
export function unparsedRequest(socket: Duplex, options: RequestOptions): ServiceRequest {
  const nothing = { method: '-', httpVersion: '-', target: '-', host: '', headers: {} };
  return { ...nothing, address: clientAddress(socket, options), body: async () => Buffer.of() };
}

/** A connection that is closed has no address. */
function clientAddress(socket: Duplex, { addressOf }: RequestOptions, forwardedFor?: string): string {
  const peer = (socket instanceof Socket && socket.remoteAddress) || '';
  return addressOf ? addressOf(peer, forwardedFor) : plainAddress(peer);
}

/** Joins repeated headers. */
function text(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value;
}

/** A duplicate host, or a missing one in HTTP/1.1, could be interpreted differently by a proxy. */
export function hasInvalidHost({ headers, httpVersion, rawHeaders }: IncomingMessage): boolean {
  if (headers.host === undefined) return httpVersion === '1.1';
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

/** Discards the rest of a large body as it arrives, so that the response reaches a client that is still sending. */
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
    // The client is gone and will not see this response.
    incoming.on('error', () => reject(new Refusal(1305)));
    incoming.on('close', () => reject(new Refusal(1305)));
  });
}
