import type { Edition } from '../contract/editions.ts';
import type { OperationInput, OperationName, OperationResult } from '../contract/operations.ts';
import type { Envelope } from '../contract/records.ts';
import type { Identity, Subject } from './api-messages.ts';
import { createCircuit } from './circuit.ts';
import type { ClientOptions, SendOptions } from './client-options.ts';
import { changes, inDoubt, repeatsInDoubt } from './doubt.ts';
import { judge, transportFault } from './faults.ts';
import { createLine, type LineOptions } from './line.ts';
import { proxyVariable } from './proxies.ts';
import { callAndRecover } from './recovery.ts';
import { type AnyInput, type ApiRequest, partsOf, rawRequest, requestFor } from './requests.ts';
import { type Attempted, type RetryContext, withRetries } from './retry.ts';
import type { WireAnswer } from './transport.ts';

/** An answer as it came, for `api`. */
export interface RawAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** The contract, spoken over HTTP to one server as one account. */
export interface Client {
  readonly edition: Edition;
  /** The API root, without a trailing slash. */
  readonly baseUrl: string;
  /** Whom calls are made as, for messages about items (`itemError`). */
  readonly identity: Identity;
  /** Makes one call, retries what may be retried, and answers with a checked result. Throws `CallError`. */
  send<O extends OperationName>(
    operation: O,
    input: OperationInput<O>,
    options?: SendOptions,
  ): Promise<OperationResult<O> & Envelope>;
  /** Any call, raw: any method, path and query, the body as given. Throws `CallError` only where no HTTP answer came. */
  sendRaw(request: {
    method: string;
    path: string;
    query?: readonly (readonly [string, string])[] | undefined;
    body?: string | undefined;
    signal?: AbortSignal | undefined;
  }): Promise<RawAnswer>;
  /** Lets go of open connections; the client is not usable afterwards. */
  close(): Promise<void>;
}

/** A client for one server and account. Opens nothing and reads no key before its first call. */
export function createClient(options: ClientOptions): Client {
  const { edition, system, retries = 4, maxWait = system.stderr.isTTY ? 30 : 900 } = options;
  const base = new URL(options.baseUrl);
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const { username, profile, keySource } = options;
  const identity: Identity = { host: base.host, baseUrl, username, profile, keySource };
  const line = createLine({ ...options, base } satisfies LineOptions);
  const limits = { retries, maxWait: maxWait * 1000 };
  const proxy = proxyVariable({ origin: base, env: system.env });
  const circuit = createCircuit({
    system,
    maxWait: limits.maxWait,
    probe: async () => {
      const answer = await line.exchange({ method: 'GET', path: '/account', query: [] });
      return answer.kind === 'answer' && answer.status < 500;
    },
  });

  const context = ({ method, path }: ApiRequest, signal?: AbortSignal): Omit<RetryContext, 'repeats' | 'history'> => ({
    limits,
    system,
    circuit,
    signal,
    notice: (notice) => options.observe?.({ kind: 'retry', method, path, ...notice }),
    warn: line.warn,
  });

  async function call<O extends OperationName>(
    operation: O,
    input: OperationInput<O>,
    { repeat, signal }: SendOptions = {},
  ): Promise<OperationResult<O> & Envelope> {
    const request = requestFor(operation, input, edition);
    const parts = partsOf(input);
    const subject = subjectOf(identity, request, parts);
    const attempt = async (): Promise<Attempted<OperationResult<O> & Envelope>> => {
      const outcome = await line.exchange(request, signal);
      return outcome.kind === 'failure' ? { fault: transportFault(outcome, proxy) } : judge(operation, outcome, subject);
    };
    return withRetries(attempt, {
      ...context(request, signal),
      history: { operation },
      repeats: repeat ? Number.POSITIVE_INFINITY : repeatsInDoubt(operation, parts),
      inDoubt: changes(operation) ? (fault) => inDoubt(operation, parts, fault) : undefined,
    });
  }

  return {
    edition,
    baseUrl,
    identity,
    send: (operation, input, sendOptions) => callAndRecover(call, operation, input, sendOptions),
    sendRaw: async ({ signal, ...raw }) => {
      const request = rawRequest(raw);
      const attempt = async (): Promise<Attempted<WireAnswer>> => {
        const outcome = await line.exchange(request, signal);
        return outcome.kind === 'failure' ? { fault: transportFault(outcome, proxy) } : { result: outcome };
      };
      const repeats = request.method === 'GET' ? Number.POSITIVE_INFINITY : 0;
      const { status, headers, body } = await withRetries(attempt, { ...context(request, signal), history: {}, repeats });
      return { status, contentType: headers['content-type'] ?? '', body };
    },
    close: line.close,
  };
}

function subjectOf(identity: Identity, { method, path }: ApiRequest, input: AnyInput): Subject {
  const { path: named = {}, query = {}, body } = input;
  const one = (value: string | number | undefined): string | undefined => (value === undefined ? undefined : String(value));
  const hashes = one(query.hashes);
  const label = typeof body === 'object' && body !== null && 'label' in body ? String(body.label) : undefined;
  return {
    identity,
    method,
    path,
    hash: named.hash ?? (hashes?.includes(',') ? undefined : hashes),
    label: named.label ?? label,
    domain: one(query.domain),
    expression: one(query.tags),
  };
}
