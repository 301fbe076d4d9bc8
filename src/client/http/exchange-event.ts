import { type ApiRequest, addressOf } from '../call/api-request.ts';
import type { ClientEvent, ExchangeDetail } from '../client-options.ts';
import type { WireAnswer, WireFailure, WireRequest } from './transport.ts';

interface Exchanged {
  readonly request: ApiRequest;
  readonly wire: WireRequest;
  readonly outcome: WireAnswer | WireFailure;
  readonly milliseconds: number;
}

export function exchangeEvent(exchanged: Exchanged, redact: (text: string) => string): ClientEvent {
  const { request, outcome, milliseconds } = exchanged;
  return {
    kind: 'exchange',
    method: request.method,
    milliseconds,
    path: () => redact(addressOf(request)),
    outcome: () => (outcome.kind === 'answer' ? outcome.status : redact(outcome.message)),
    detail: () => detailOf(exchanged, redact),
  };
}

/** An allow list, so that no unknown header can leak a credential. */
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

function detailOf({ wire, outcome }: Exchanged, redact: (text: string) => string): ExchangeDetail {
  return {
    requestHeaders: { ...shown(wire.headers, redact), authorization: 'Basic [redacted]' },
    requestBody: wire.body === undefined ? undefined : redact(wire.body),
    ...(outcome.kind === 'answer' && { responseHeaders: shown(outcome.headers, redact), responseBody: redact(outcome.body) }),
  };
}

function shown(headers: Readonly<Record<string, string>>, redact: (text: string) => string): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => shownHeaders.has(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, redact(value)]));
}
