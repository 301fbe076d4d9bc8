import { isUtf8 } from 'node:buffer';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { buildConnector, Client } from 'undici';
import { failureOf } from '../client/failure-messages.ts';
import type { Refusal } from './addresses.ts';
import { isUnknownName } from './name-lookup.ts';

export type Method = 'HEAD' | 'GET';

/** What came of one request. Times are milliseconds. */
export type Answer =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly location: string | undefined;
      readonly retryAfter: string | undefined;
      readonly milliseconds: number;
    }
  /** No HTTP answer came. */
  | {
      readonly kind: 'failure';
      readonly reason: string;
      /** A connection was made, so another method may have an answer. */
      readonly connected: boolean;
      /** The network of this computer or its name server failed, which says nothing about the host. */
      readonly offline: boolean;
      readonly milliseconds: number;
    }
  /** The host has an address to which nothing is sent. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface AskerOptions {
  readonly refusal: Refusal;
  /** The addresses of a name. */
  resolve(name: string): Promise<readonly LookupAddress[]>;
  /** Milliseconds for the whole of one request, from the look-up of the name to the headers of the answer. */
  readonly timeout: number;
  /** Calls when the time is over, unless what is returned is called before; a timer of this computer without it. */
  readonly startTimer?: (isOver: () => void, milliseconds: number) => () => void;
  readonly userAgent: string;
  /** PEM, in addition to the usual ones; absent for those alone. */
  readonly ca?: readonly string[] | undefined;
}

/** Sends single requests to strangers: no cookies, no Referer, no credentials, no redirects, no proxy, and only the headers are read. */
export interface Asker {
  ask(method: Method, url: URL, signal?: AbortSignal): Promise<Answer>;
}

/** One for all: each of its own would have a stack, of which nobody reads a line. */
const enough = new Error('the headers are enough');

/** Bytes: as much as browsers take, because a long policy or many cookies are no fault of a link. */
const maximumHeaders = 256 * 1024;

/**
 * Every request has a connection of its own, and a client that goes with it: undici closes the connection after a HEAD, and a GET is stopped
 * after its headers, so that an agent would make and close a pool for each. undici never looks up a literal address: `literalRefusal` is for
 * those.
 */
export function createAsker({ refusal, resolve, timeout, startTimer = usualTimer, userAgent, ca }: AskerOptions): Asker {
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
    ask: (method, url, signal) =>
      new Promise((resolveWith) => {
        const started = performance.now();
        const milliseconds = (): number => Math.round(performance.now() - started);
        const client = new Client(url.origin, options);
        let isConnected = false;
        const settle = (answer: Answer): void => {
          stopTimer();
          signal?.removeEventListener('abort', interrupt);
          resolveWith(answer);
          // What happens to the connection from here on changes nothing.
          client.destroy(enough).catch(() => undefined);
        };
        const fail = (reason: string, offline = false): void =>
          settle({ kind: 'failure', reason, connected: isConnected, offline, milliseconds: milliseconds() });
        const interrupt = (): void => fail('interrupted');
        const stopTimer = startTimer(() => {
          if (resolving.has(url.hostname) && !isConnected) fail(nameServerFails(url.hostname), true);
          else fail(`no response from ${url.host} within ${timeout / 1000} s`);
        }, timeout);
        signal?.addEventListener('abort', interrupt, { once: true });
        if (signal?.aborted) return interrupt();
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

function usualTimer(isOver: () => void, milliseconds: number): () => void {
  const timer = setTimeout(isOver, milliseconds);
  return () => clearTimeout(timer);
}

/** A name all of whose addresses are refused. */
class RefusedAddress extends Error {}

/** Nothing was found out about a name, not even that it does not exist. */
class NameServerFailure extends Error {}

/**
 * Resolves a name when a connection is made, and gives only addresses that may be asked: what was looked at is what is connected to. A name is
 * among `resolving` while it is looked up.
 */
function checkedLookup(resolve: AskerOptions['resolve'], refusal: Refusal, resolving: Set<string>): LookupFunction {
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

/** A header comes as one character a byte; most servers that send more than ASCII send UTF-8. */
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
