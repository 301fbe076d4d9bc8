import { isUtf8 } from 'node:buffer';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { buildConnector, Client } from 'undici';
import { failureOf } from '../client/failure-messages.ts';
import type { Refusal } from './addresses.ts';
import { isUnknownName } from './name-lookup.ts';

export type Method = 'HEAD' | 'GET';

/** Times are milliseconds. */
export type Answer =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly location: string | undefined;
      readonly retryAfter: string | undefined;
      readonly milliseconds: number;
    }
  /** There was no HTTP response. */
  | {
      readonly kind: 'failure';
      readonly reason: string;
      /** A connection was made, so another method may get a response. */
      readonly connected: boolean;
      /** The network or the name server of this computer failed, which says nothing about the host. */
      readonly offline: boolean;
      readonly milliseconds: number;
    }
  /** The host has no address that may be contacted. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface ProbeClientOptions {
  readonly refusal: Refusal;
  resolve(name: string): Promise<readonly LookupAddress[]>;
  /** Milliseconds for one request, from the name lookup to the response headers. */
  readonly timeout: number;
  /** Calls `isOver` after the time unless the returned function is called before. Default: a real timer. */
  readonly startTimer?: (isOver: () => void, milliseconds: number) => () => void;
  readonly userAgent: string;
  /** PEM certificates in addition to the default ones. */
  readonly ca?: readonly string[] | undefined;
}

/** Sends single requests to unknown servers: no cookies, Referer, credentials, redirects or proxy, and only the headers are read. */
export interface ProbeClient {
  send(method: Method, url: URL, signal?: AbortSignal): Promise<Answer>;
}

/** Shared, because creating an error captures a stack trace that nobody reads. */
const headersReceived = new Error('the headers are enough');

/** In bytes. As much as browsers accept, because a long policy or many cookies do not make a link broken. */
const maximumHeaders = 256 * 1024;

/**
 * Every request has a client and a connection of its own: undici closes the connection after a HEAD, and a GET is aborted after its
 * headers, so an agent would create and close a pool for each. undici does not look up literal addresses, which `literalRefusal` checks.
 */
export function createProbeClient({
  refusal,
  resolve,
  timeout,
  startTimer = systemTimer,
  userAgent,
  ca,
}: ProbeClientOptions): ProbeClient {
  const resolving = new Set<string>();
  const connect = buildConnector({
    lookup: checkedLookup(resolve, refusal, resolving),
    timeout,
    rejectUnauthorized: true,
    ...(ca && { ca: [...ca] }),
  });
  const options = { connect, maxHeaderSize: maximumHeaders, headersTimeout: 0, bodyTimeout: 0 };
  const headers = { 'user-agent': userAgent, accept: '*/*' };
  return {
    send: (method, url, signal) =>
      new Promise((resolveAnswer) => {
        const started = performance.now();
        const milliseconds = (): number => Math.round(performance.now() - started);
        const client = new Client(url.origin, options);
        let isConnected = false;
        const settle = (answer: Answer): void => {
          stopTimer();
          signal?.removeEventListener('abort', cancel);
          resolveAnswer(answer);
          // The result is known, so errors of the connection no longer matter.
          client.destroy(headersReceived).catch(() => undefined);
        };
        const fail = (reason: string, offline = false): void =>
          settle({ kind: 'failure', reason, connected: isConnected, offline, milliseconds: milliseconds() });
        const cancel = (): void => fail('interrupted');
        const stopTimer = startTimer(() => {
          if (resolving.has(url.hostname) && !isConnected) fail(nameServerFails(url.hostname), true);
          else fail(`no response from ${url.host} within ${timeout / 1000} s`);
        }, timeout);
        signal?.addEventListener('abort', cancel, { once: true });
        if (signal?.aborted) return cancel();
        client.dispatch(
          { method, path: url.pathname + url.search, headers },
          {
            onRequestStart() {
              isConnected = true;
            },
            onResponseStart(_controller, status, { location, 'retry-after': retryAfter }) {
              if (status < 200) return;
              settle({
                kind: 'answer',
                status,
                location: readText(first(location)),
                retryAfter: first(retryAfter),
                milliseconds: milliseconds(),
              });
            },
            onResponseError(_controller, error) {
              if (error instanceof RefusedAddress) settle({ kind: 'refused', reason: error.message });
              else fail(reasonOf(error, url.host), isOffline(error));
            },
          },
        );
      }),
  };
}

function systemTimer(isOver: () => void, milliseconds: number): () => void {
  const timer = setTimeout(isOver, milliseconds);
  return () => clearTimeout(timer);
}

/** All addresses of the name are refused. */
class RefusedAddress extends Error {}

/** The lookup failed without proving that the name does not exist. */
class NameServerFailure extends Error {}

/**
 * Resolves a name for a connection and returns only permitted addresses, so that the connection uses an address that was checked.
 * `resolving` contains the names while they are looked up.
 */
function checkedLookup(resolve: ProbeClientOptions['resolve'], refusal: Refusal, resolving: Set<string>): LookupFunction {
  return (name, options, callback) => {
    resolving.add(name);
    resolve(name)
      .catch((error) => {
        throw isUnknownName(error) ? error : new NameServerFailure(nameServerFails(name));
      })
      .finally(() => resolving.delete(name))
      .then((addresses) => allowedOf(addresses, name, refusal))
      .then(
        (allowed) => (options.all ? callback(null, [...allowed]) : callback(null, allowed[0].address, allowed[0].family)),
        (error) => callback(error, ''),
      );
  };
}

function nameServerFails(name: string): string {
  return `the name server of this computer does not answer for ${name}`;
}

function allowedOf(
  addresses: readonly LookupAddress[],
  name: string,
  refusal: Refusal,
): readonly [LookupAddress, ...LookupAddress[]] {
  const [allowed, ...others] = addresses.filter(({ address }) => refusal(address) === undefined);
  if (allowed) return [allowed, ...others];
  const [refused] = addresses;
  if (!refused) throw Object.assign(new Error(`no address of ${name}`), { code: 'ENOTFOUND' });
  throw new RefusedAddress(`${name} has the address ${refused.address}, which is ${refusal(refused.address)}`);
}

/** Node decodes headers as Latin-1, while most servers that send other characters use UTF-8. */
function readText(header: string | undefined): string | undefined {
  const bytes = Buffer.from(header ?? '', 'latin1');
  return header !== undefined && isUtf8(bytes) ? bytes.toString() : header;
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function reasonOf(error: Error, host: string): string {
  if (error instanceof NameServerFailure) return error.message;
  return codeOf(error) === 'UND_ERR_HEADERS_OVERFLOW'
    ? `the response headers of ${host} are larger than ${maximumHeaders / 1024} KiB`
    : failureOf(error, host).message;
}

function isOffline(error: Error): boolean {
  return error instanceof NameServerFailure || ['ENETDOWN', 'ENETUNREACH'].includes(codeOf(error));
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : '';
}
