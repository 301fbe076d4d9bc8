import { setMaxListeners } from 'node:events';
import type { CliError } from '../base/errors.ts';
import { defaultRetries } from '../base/retries.ts';
import type { Edition } from '../contract/editions.ts';
import { classifyAnswer } from './answers/classification.ts';
import { type AnyInput, type RawRequest, rawRequest, requestFor } from './call/api-request.ts';
import { createCircuit } from './call/circuit.ts';
import { doubtPolicy, rawDoubtPolicy } from './call/in-doubt.ts';
import { withRetries } from './call/retry.ts';
import type { Attempted, RetriedCall, RetrySettings } from './call/retry-loop.ts';
import { CallError, type Fault } from './call-error.ts';
import { type ClientOptions, maxWaitOf, type Send } from './client-options.ts';
import { type Connection, createConnection } from './http/connection.ts';
import type { WireAnswer } from './http/transport.ts';
import { type Identity, identityOf, type Subject, subjectOf } from './subject.ts';

export interface RawAnswer {
  readonly body: string;
  /** Set if the answer reports a failure, of the call or of items. */
  readonly failure: CliError | undefined;
}

export interface Client {
  readonly edition: Edition;
  /** The API root, without a trailing slash. */
  readonly baseUrl: string;
  /** Messages about items name this account (`itemError`). */
  readonly identity: Identity;
  /** Reads the key. Without it, the first call does. */
  ready(): Promise<unknown> | undefined;
  /** Retries if that is safe. Throws `CallError`. */
  readonly send: Send;
  /** Removes the key from what another server sends. */
  withoutKey(text: string): string;
  /** Sends any method, path, query and body. Throws `CallError` only if there is no HTTP answer. */
  sendRaw(request: RawRequest): Promise<RawAnswer>;
}

/** Opens no connection and reads no key before the first call. */
export function createClient(options: ClientOptions): Client {
  const { edition, redact, withoutKey = (text) => text } = options;
  const identity = identityOf(options);
  const connection = createConnection(options);
  const call = createCaller(options, connection);
  const warnOfType = typeWarning(connection);
  return {
    edition,
    baseUrl: identity.baseUrl,
    identity,
    ready: connection.ready,
    withoutKey,
    send: async (operation, input: object, { repeat, ...given } = {}) => {
      const parts: AnyInput = input;
      const request = requestFor(operation, parts, edition);
      return await call({
        ...given,
        request,
        operation,
        ...doubtPolicy(operation, parts),
        ...(repeat && { repeats: Number.POSITIVE_INFINITY }),
        settle: async (answer) => {
          warnOfType(answer);
          const classified = await classifyAnswer(operation, answer, () => subjectOf(identity, request, parts));
          return 'fault' in classified ? { fault: redacted(classified.fault, redact) } : classified;
        },
      });
    },
    sendRaw: async (raw) => {
      const request = rawRequest(raw);
      const policy = rawDoubtPolicy(request);
      const answer = await call<WireAnswer>({ request, ...policy, settle: async (result) => ({ result }) });
      // Without a documented body only an error can be recognized.
      const operation = request.method === 'DELETE' ? 'deleteTag' : 'getUrl';
      const subject = (): Subject => subjectOf(identity, request, { query: Object.fromEntries(request.query) });
      const classified = await classifyAnswer(operation, answer, subject);
      if (!('fault' in classified)) {
        const { itemsFailure } = await import('./answers/item-failures.ts');
        return { body: answer.body, failure: itemsFailure(classified.result, subject()) };
      }
      const fault =
        classified.fault.outcome === 'ambiguous' && policy.inDoubt ? await policy.inDoubt(classified.fault) : classified.fault;
      const failure = new CallError(redacted(fault, redact), { attempts: 1, gaveUp: 'not retryable' });
      return { body: answer.body, failure };
    },
  };
}

/** Accepts JSON under another content type, with one warning. */
function typeWarning({ warn }: Connection): (answer: WireAnswer) => void {
  let reported = false;
  return ({ status, headers, body }) => {
    const type = headers['content-type'] ?? 'no content type';
    if (reported || status < 200 || status >= 300 || /\bjson\b/.test(type.toLowerCase()) || !/^\s*\{/.test(body)) return;
    reported = true;
    warn(`the server sends the content type ${type} instead of application/json`);
  };
}

/** Servers can echo the request, including the key. */
function redacted(fault: Fault, redact: ClientOptions['redact']): Fault {
  if (!redact) return fault;
  return { ...fault, message: redact(fault.message), details: fault.details?.map(redact) ?? [] };
}

interface Call<T> extends RetriedCall {
  /** Interprets a complete HTTP answer. */
  settle(answer: WireAnswer): Promise<Attempted<T>>;
}

type Caller = <T>(call: Call<T>) => Promise<T>;

/** All calls of a client share the retry budget and the signal that ends them. */
function createCaller(options: ClientOptions, connection: Connection): Caller {
  const settings = retrySettings(options, connection);
  const joined = joinedWith(options.signal);
  const completed = (fault: Fault): Fault => ({ ...fault, hint: fault.hint && (options.pasteable?.(fault.hint) ?? fault.hint) });
  return async ({ inDoubt, ...call }) => {
    const signal = joined(call.signal);
    const attempt = async (): ReturnType<typeof call.settle> => {
      const outcome = await connection.exchange(call.request, signal);
      if (outcome.kind === 'answer') {
        const attempted = await call.settle(outcome);
        return 'fault' in attempted ? { fault: completed(attempted.fault) } : attempted;
      }
      const { transportFault } = await import('./answers/faults.ts');
      return { fault: completed(transportFault(outcome, options)) };
    };
    const completedDoubt = inDoubt && (async (fault: Fault): Promise<Fault> => completed(await inDoubt(fault)));
    return await withRetries(attempt, { ...call, signal, inDoubt: completedDoubt }, settings);
  };
}

function retrySettings(
  { system, retries = defaultRetries, maxWait, observe }: ClientOptions,
  connection: Connection,
): RetrySettings {
  const limits = { retries, maxWait: maxWaitOf(maxWait, system) };
  const probe = async (signal?: AbortSignal): Promise<boolean> => {
    const answer = await connection.exchange({ method: 'GET', path: '/account', query: [] }, signal);
    return answer.kind === 'answer' && answer.status < 500;
  };
  return {
    limits,
    system,
    circuit: createCircuit({ system, maxWait: limits.maxWait, probe }),
    report: ({ method, path }, notice) => observe?.({ kind: 'retry', method, path, ...notice }),
    warn: connection.warn,
  };
}

/** Combines the two signals, so that the client's signal always ends the call. Each given signal is combined once and reused. */
function joinedWith(standing: AbortSignal | undefined): (given?: AbortSignal) => AbortSignal | undefined {
  const joined = new WeakMap<AbortSignal, AbortSignal>();
  return (given) => {
    if (!standing || !given || given === standing) return given ?? standing;
    let both = joined.get(given);
    if (!both) {
      both = AbortSignal.any([standing, given]);
      // Every concurrent call adds a listener, and Node warns above ten.
      setMaxListeners(0, both);
      joined.set(given, both);
    }
    return both;
  };
}
