import type { WireAnswer, WireFailure, WireRequest } from '../http/transport.ts';
import type { RetryNotice } from './retry.ts';

/**
 * What a client tells while it works, for `-v` and `--debug`; it never prints anything itself. Texts are redacted, which takes
 * time, so those of an exchange are made when they are asked for.
 */
export type ClientEvent =
  | {
      readonly kind: 'exchange';
      readonly method: string;
      readonly milliseconds: number;
      /** With the query. */
      path(): string;
      /** HTTP status, or why there is none. */
      outcome(): number | string;
      /** For `--debug`. */
      detail(): ExchangeDetail;
    }
  | ({ readonly kind: 'retry'; readonly method: string; readonly path: string } & RetryNotice)
  | { readonly kind: 'warning'; readonly message: string };

export interface ExchangeDetail {
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody?: string | undefined;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
}

/** Headers that may be shown; all others, and the values of credentials, may not (R-41, B73). */
const shownHeaders: ReadonlySet<string> = new Set([
  'accept',
  'content-length',
  'content-type',
  'date',
  'retry-after',
  'server',
  'user-agent',
  'x-http-method-override',
  'x-request-id',
]);

export function detailOf(
  request: WireRequest,
  outcome: WireAnswer | WireFailure,
  redact: (text: string) => string,
): ExchangeDetail {
  const answer = outcome.kind === 'answer' ? outcome : undefined;
  return {
    requestHeaders: { ...shown(request.headers, redact), authorization: 'Basic [redacted]' },
    requestBody: request.body === undefined ? undefined : redact(request.body),
    ...(answer && { responseHeaders: shown(answer.headers, redact), responseBody: redact(answer.body) }),
  };
}

function shown(headers: Readonly<Record<string, string>>, redact: (text: string) => string): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => shownHeaders.has(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, redact(value)]));
}
