import type { ErrorCode } from '../contract/errors.ts';
import type { OperationName } from '../contract/operations.ts';

/** Independent of the listener that received it. */
export interface ServiceRequest {
  readonly method: string;
  /** Such as `1.1`. */
  readonly httpVersion: string;
  /** Undecoded path and query. */
  readonly target: string;
  /** Name and port; empty if the request has none. */
  readonly host: string;
  /** By lower-case name. */
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  /** The address of the peer, or the one that trusted proxies report. */
  readonly address: string;
  /** Reads the body on demand; throws `Refusal(1310)` if it is too large. */
  body(): Promise<Buffer>;
}

/** `uncounted` is a redirect without a click, as for HEAD and prefetches. */
export const visitOutcomes = [
  'redirected',
  'uncounted',
  'unknown',
  'expired',
  'used_up',
  'unknown_domain',
  'unavailable',
] as const;
export type VisitOutcome = (typeof visitOutcomes)[number];

/** The subject of metrics. `operation` is absent if a call was refused before routing. */
export type Subject =
  | { readonly kind: 'visit'; readonly outcome: VisitOutcome }
  | { readonly kind: 'call'; readonly operation: OperationName | undefined; readonly code: ErrorCode };

export interface Exchange {
  readonly request: ServiceRequest;
  readonly response: ServiceResponse;
  readonly milliseconds: number;
}

export interface ServiceResponse {
  /** Absent for requests that are neither a visit nor a call. */
  readonly subject?: Subject | undefined;
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

export function header(request: ServiceRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

export function textResponse(status: number, text: string, headers: ServiceResponse['headers'] = {}): ServiceResponse {
  const plain = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  return { status, headers: { ...plain, ...headers }, body: `${text}\n` };
}
