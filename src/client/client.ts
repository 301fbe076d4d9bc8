import type { CliError } from '../base/errors.ts';
import type { Edition } from '../contract/editions.ts';
import type { OperationInput, OperationName, OperationResult } from '../contract/operations.ts';
import type { Envelope } from '../contract/records.ts';
import { judge, transportFault } from './answers/faults.ts';
import type { Identity, Subject } from './api-messages.ts';
import { createCircuit } from './call/circuit.ts';
import { changes, inDoubt, rawInDoubt, repeatsInDoubt } from './call/in-doubt.ts';
import { callAndRecover } from './call/recovery.ts';
import { type AnyInput, type ApiRequest, partsOf, rawRequest, requestFor } from './call/requests.ts';
import { type Attempted, type RetryContext, withRetries } from './call/retry.ts';
import { CallError, type Fault } from './call-error.ts';
import type { ClientOptions, Send, SendOptions } from './client-options.ts';
import { type Connection, createConnection } from './http/connection.ts';
import { joinedWith } from './http/joined-signals.ts';
import { proxyVariable } from './http/proxies.ts';
import type { WireAnswer } from './http/transport.ts';

/** An answer as it came, for `api`. */
export interface RawAnswer {
  readonly body: string;
  /** What it says of the call, where that is a failure (B34). */
  readonly failure: CliError | undefined;
}

/** The contract, spoken over HTTP to one server as one account. */
export interface Client {
  readonly edition: Edition;
  /** The API root, without a trailing slash. */
  readonly baseUrl: string;
  /** Whom calls are made as, for messages about items (`itemError`). */
  readonly identity: Identity;
  /** Makes one call, retries what may be retried, and answers with a checked result. Throws `CallError`. */
  readonly send: Send;
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
  const { edition, system } = options;
  const base = new URL(options.baseUrl);
  const identity = identityOf(options, base);
  const line = createConnection({ ...options, base });
  const proxy = proxyVariable({ origin: base, env: system.env });
  const contextOf = retryContexts(options, line);
  const warnOfType = typeWarning(line);
  const joined = joinedWith(options.signal);

  async function call<O extends OperationName>(
    operation: O,
    input: OperationInput<O>,
    { repeat, signal: given, onDoubt, onThrottled }: SendOptions = {},
  ): Promise<OperationResult<O> & Envelope> {
    const request = requestFor(operation, input, edition);
    const signal = joined(given);
    if (changes(operation)) options.onChange?.();
    const parts = partsOf(input);
    const subject = subjectOf(identity, request, parts);
    const attempt = async (): Promise<Attempted<OperationResult<O> & Envelope>> => {
      const outcome = await line.exchange(request, signal);
      if (outcome.kind === 'failure') return { fault: transportFault(outcome, proxy) };
      warnOfType(outcome);
      const judged = judge<OperationResult<O> & Envelope>(operation, outcome, subject);
      return 'fault' in judged ? { fault: redacted(judged.fault, options.redact) } : judged;
    };
    return withRetries(attempt, {
      ...contextOf(request, signal),
      history: { operation },
      repeats: repeat ? Number.POSITIVE_INFINITY : repeatsInDoubt(operation, parts),
      inDoubt: changes(operation) ? (fault) => inDoubt(operation, parts, fault) : undefined,
      onDoubt,
      onThrottled,
    });
  }

  return {
    edition,
    baseUrl: identity.baseUrl,
    identity,
    send: (operation, input, sendOptions) => callAndRecover(call, operation, input, sendOptions),
    sendRaw: rawSender(line, contextOf, identity, proxy, { ...options, joined }),
    close: line.close,
  };
}

/** The method behind `api`: an answer is handed over whatever it says, and what it says is judged like any other. */
function rawSender(
  line: Connection,
  contextOf: ContextOf,
  identity: Identity,
  proxy: string | undefined,
  { joined, redact, onChange }: Pick<ClientOptions, 'redact' | 'onChange'> & { joined: ReturnType<typeof joinedWith> },
): Client['sendRaw'] {
  return async ({ signal: given, ...raw }) => {
    const request = rawRequest(raw);
    const signal = joined(given);
    const isRead = request.method === 'GET';
    if (!isRead) onChange?.();
    const doubtOf = (fault: Fault): Fault => rawInDoubt(request, fault);
    const attempt = async (): Promise<Attempted<WireAnswer>> => {
      const outcome = await line.exchange(request, signal);
      return outcome.kind === 'failure' ? { fault: transportFault(outcome, proxy) } : { result: outcome };
    };
    const answer = await withRetries(attempt, {
      ...contextOf(request, signal),
      history: {},
      repeats: isRead ? Number.POSITIVE_INFINITY : 0,
      inDoubt: isRead ? undefined : doubtOf,
    });
    // Of what the document shows no body of, only an error can be told.
    const judged = judge(
      request.method === 'DELETE' ? 'deleteTag' : 'getUrl',
      answer,
      subjectOf(identity, request, { query: Object.fromEntries(request.query) }),
    );
    if (!('fault' in judged)) return { body: answer.body, failure: undefined };
    const fault = redacted(judged.fault.outcome === 'ambiguous' && !isRead ? doubtOf(judged.fault) : judged.fault, redact);
    return { body: answer.body, failure: new CallError(fault, { attempts: 1, gaveUp: 'not retryable' }) };
  };
}

type ContextOf = (request: ApiRequest, signal?: AbortSignal) => Omit<RetryContext, 'repeats' | 'history'>;

function identityOf({ baseUrl, server, username, profile, keySource, domain }: ClientOptions, { host }: URL): Identity {
  const root = baseUrl.replace(/\/+$/, '');
  return { host, baseUrl: root, server: server ?? root, username, profile, keySource, domain };
}

/** What all calls of one client share when they retry: limits, clock and the budget of R-6. */
function retryContexts(
  { system, retries = 4, maxWait = system.stderr.isTTY ? 30 : 900, observe }: ClientOptions,
  line: Connection,
): ContextOf {
  const limits = { retries, maxWait: maxWait * 1000 };
  const probe = async (signal?: AbortSignal): Promise<boolean> => {
    const answer = await line.exchange({ method: 'GET', path: '/account', query: [] }, signal);
    return answer.kind === 'answer' && answer.status < 500;
  };
  const circuit = createCircuit({ system, maxWait: limits.maxWait, probe });
  return ({ method, path }, signal) => ({
    limits,
    system,
    circuit,
    signal,
    notice: (notice) => observe?.({ kind: 'retry', method, path, ...notice }),
    warn: line.warn,
  });
}

/** JSON under another name is taken, and told once. */
function typeWarning({ warn }: Connection): (answer: WireAnswer) => void {
  let reported = false;
  return ({ status, headers, body }) => {
    const type = headers['content-type'] ?? 'no content type';
    if (reported || status < 200 || status >= 300 || /\bjson\b/i.test(type) || !/^\s*\{/.test(body)) return;
    reported = true;
    warn(`the server calls its answers ${type} instead of application/json`);
  };
}

/** A server can send back what it was sent, the key included. */
function redacted(fault: Fault, redact: ClientOptions['redact']): Fault {
  if (!redact) return fault;
  return { ...fault, message: redact(fault.message), details: fault.details?.map(redact) ?? [] };
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
    newLabel: label,
    domain: one(query.domain),
    expression: one(query.tags),
    order: one(query.order_by),
  };
}
