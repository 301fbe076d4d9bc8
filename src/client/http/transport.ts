import type { System } from '../../base/system.ts';

/** One HTTP request as it is sent. */
export interface WireRequest {
  readonly method: string;
  /** Path and query from the origin's root, percent-encoded. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** A complete HTTP answer. That it is complete says nothing of what it means. */
export interface WireAnswer {
  readonly kind: 'answer';
  readonly status: number;
  /** Names in lower case, several values joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** No complete answer came. */
export interface WireFailure {
  readonly kind: 'failure';
  /** False is class N of R 1.3: no byte of the request can have left for the server. True is class A. */
  readonly sent: boolean;
  /** In words, with the host (B52). */
  readonly message: string;
  readonly hint?: string | undefined;
  /** `lasting` failures do not heal by trying again; a name that does not resolve is tried twice. */
  readonly nature: 'passing' | 'timeout' | 'unresolved' | 'lasting' | 'interrupted';
  readonly cause?: unknown;
}

/** Milliseconds. Idle and headers are for silence, total is for all of one exchange, drip or not. */
export interface Timeouts {
  /** Until the request can be written: name, connection, TLS, tunnel. */
  readonly connect: number;
  readonly headers: number;
  /** Between two pieces of the body. */
  readonly idle: number;
  readonly total: number;
}

/** Carries one HTTP exchange to one origin. It never retries, never follows a redirect and never decompresses. */
export interface Transport {
  exchange(request: WireRequest, timeouts: Timeouts, signal?: AbortSignal): Promise<WireAnswer | WireFailure>;
  /** Lets go of the connections. */
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly origin: URL;
  /** A file of PEM certificates that are trusted in addition to the usual ones. */
  readonly caFile?: string | undefined;
  readonly env: System['env'];
  /** For what is odd and does no harm. */
  warn(message: string): void;
}

/** Idle connections are closed after this many milliseconds, so that no write goes out on a stale one. */
export const maximumIdle = 1000;
/** Bytes. */
export const maximumBody = 64 * 1024 * 1024;
/** Bytes. */
export const maximumHeaders = 16 * 1024;
