import type { System } from '../../base/system.ts';

export interface WireRequest {
  readonly method: string;
  /** Path and query from the origin's root, percent-encoded. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Answers a request within this process. Never rejects. */
export type DirectAnswer = (request: WireRequest) => Promise<Pick<WireAnswer, 'status' | 'headers' | 'body'>>;

/** A complete HTTP answer with any status. */
export interface WireAnswer {
  readonly kind: 'answer';
  readonly status: number;
  /** Names in lower case, several values joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** False if the bytes are no UTF-8, so that some characters of the body were lost. */
  readonly isUtf8: boolean;
}

export interface WireFailure {
  readonly kind: 'failure';
  /** False if no byte of the request can have reached the server. */
  readonly sent: boolean;
  /** Names the host. */
  readonly message: string;
  readonly hint?: string | undefined;
  /** A retry does not help against `lasting` failures; `unresolved` names are tried twice. */
  readonly nature: 'passing' | 'timeout' | 'unresolved' | 'lasting' | 'interrupted';
  readonly cause?: unknown;
}

/** Milliseconds. `headers` and `idle` limit silence; `total` limits the whole exchange. */
export interface Timeouts {
  /** Includes name resolution, TLS and the tunnel of a proxy. */
  readonly connect: number;
  readonly headers: number;
  /** Between two parts of the body. */
  readonly idle: number;
  readonly total: number;
}

/** Performs HTTP exchanges without retries, redirects or decompression. Connections are kept, and end with the process. */
export interface Transport {
  exchange(request: WireRequest, timeouts: Timeouts, signal?: AbortSignal): Promise<WireAnswer | WireFailure>;
}

export interface TransportOptions {
  readonly origin: URL;
  /** PEM certificates, trusted in addition to the default ones. */
  readonly caFile?: string | undefined;
  readonly env: System['env'];
  /** Of a server in this process, which is asked without HTTP. */
  readonly answer?: DirectAnswer | undefined;
  /** For problems that do no harm. */
  warn(message: string): void;
}

/** Milliseconds. Short, so that no request is written to a connection that the server has closed. */
export const maximumIdle = 1000;
/** Bytes. */
export const maximumBody = 64 * 1024 * 1024;
/** Bytes. */
export const maximumHeaders = 16 * 1024;
