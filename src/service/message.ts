import type { ErrorCode } from '../contract/errors.ts';
import type { OperationName } from '../contract/operations.ts';

/** A request, whatever kind of listener received it. */
export interface ServiceRequest {
  readonly method: string;
  /** `1.1`. */
  readonly httpVersion: string;
  /** Undecoded path and query. */
  readonly target: string;
  /** The name and port that were asked for; empty where none was. */
  readonly host: string;
  /** By lower-case name. */
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  /** Address of the peer, or of whom trusted proxies name. */
  readonly address: string;
  /** Reads the body when it is wanted; throws `Refusal(1310)` above the bound. */
  body(): Promise<Buffer>;
}

/** Where a visit to a short URL led. Uncounted: to the long URL, without a click, as for HEAD and prefetches. */
export type VisitOutcome = 'redirected' | 'uncounted' | 'unknown' | 'expired' | 'used_up' | 'unknown_domain' | 'unavailable';

/** What an answer is about; `operation` is absent where a call was refused before it was known. */
export type Subject =
  | { readonly kind: 'visit'; readonly outcome: VisitOutcome }
  | { readonly kind: 'call'; readonly operation: OperationName | undefined; readonly code: ErrorCode };

/** A request that was answered. */
export interface Exchange {
  readonly request: ServiceRequest;
  readonly response: ServiceResponse;
  readonly milliseconds: number;
}

export interface ServiceResponse {
  /** For the figures of the service; what is neither a visit nor a call has none. */
  readonly subject?: Subject | undefined;
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

export function header(request: ServiceRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
