import { setMaxListeners } from 'node:events';
import type { CliError } from '../base/errors.ts';
import type { Edition } from '../contract/editions.ts';
import { judge } from './answers/answers.ts';
import { createCircuit } from './call/circuit.ts';
import { doubtPolicy, rawDoubtPolicy } from './call/in-doubt.ts';
import { type AnyInput, type RawRequest, rawRequest, requestFor } from './call/requests.ts';
import { type Attempted, type RetriedCall, type RetrySettings, withRetries } from './call/retry.ts';
import { CallError, type Fault } from './call-error.ts';
import { type ClientOptions, maxWaitOf, type Send } from './client-options.ts';
import { type Connection, createConnection } from './http/connection.ts';
import { proxyVariable } from './http/proxies.ts';
import type { WireAnswer } from './http/transport.ts';
import { type Identity, identityOf, type Subject, subjectOf } from './subject.ts';

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
  /** The account that calls are made as, for messages about items (`itemError`). */
  readonly identity: Identity;
  /** Makes one call, retries what may be retried, and answers with a checked result. Throws `CallError`. */
  readonly send: Send;
  /** Any call, raw: any method, path and query, the body as given. Throws `CallError` only where no HTTP answer came. */
  sendRaw(request: RawRequest): Promise<RawAnswer>;
  /** Lets go of open connections; the client is not usable afterwards. */
  close(): Promise<void>;
}

/** A client for one server and account. Opens nothing and reads no key before its first call. */
export function createClient(options: ClientOptions): Client {
  const { edition, redact } = options;
  const identity = identityOf(options);
  const connection = createConnection(options);
  const call = createCaller(options, connection);
  const warnOfType = typeWarning(connection);
  return {
    edition,
    baseUrl: identity.baseUrl,
    identity,
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
          const judged = await judge(operation, answer, () => subjectOf(identity, request, parts));
          return 'fault' in judged ? { fault: redacted(judged.fault, redact) } : judged;
        },
      });
    },
    /** For `api`: returns every answer as it came, and the failure that it reports, if any. */
    sendRaw: async (raw) => {
      const request = rawRequest(raw);
      const policy = rawDoubtPolicy(request);
      const answer = await call<WireAnswer>({ request, ...policy, settle: async (result) => ({ result }) });
      // Where the document shows no body, only an error can be recognized.
      const operation = request.method === 'DELETE' ? 'deleteTag' : 'getUrl';
      const subject = (): Subject => subjectOf(identity, request, { query: Object.fromEntries(request.query) });
      const judged = await judge(operation, answer, subject);
      if (!('fault' in judged)) return { body: answer.body, failure: undefined };
      const fault = judged.fault.outcome === 'ambiguous' && policy.inDoubt ? policy.inDoubt(judged.fault) : judged.fault;
      const failure = new CallError(redacted(fault, redact), { attempts: 1, gaveUp: 'not retryable' });
      return { body: answer.body, failure };
    },
    close: connection.close,
  };
}

/** JSON under another name is taken, with one warning. */
function typeWarning({ warn }: Connection): (answer: WireAnswer) => void {
  let reported = false;
  return ({ status, headers, body }) => {
    const type = headers['content-type'] ?? 'no content type';
    if (reported || status < 200 || status >= 300 || /\bjson\b/i.test(type) || !/^\s*\{/.test(body)) return;
    reported = true;
    warn(`the server sends the content type ${type} instead of application/json`);
  };
}

/** A server can send back what it was sent, the key included. */
function redacted(fault: Fault, redact: ClientOptions['redact']): Fault {
  if (!redact) return fault;
  return { ...fault, message: redact(fault.message), details: fault.details?.map(redact) ?? [] };
}

/** One call of the API, whatever it is about. */
interface Call<T> extends RetriedCall {
  /** What a complete HTTP answer to it means. */
  settle(answer: WireAnswer): Promise<Attempted<T>>;
}

/** Makes one call, retries what may be retried, and answers with its result. Throws `CallError`. */
type Caller = <T>(call: Call<T>) => Promise<T>;

/** The calls of one client share limits, clock, the budget of R-6 and the signal that ends them all. */
function createCaller(options: ClientOptions, connection: Connection): Caller {
  const settings = retrySettings(options, connection);
  const joined = joinedWith(options.signal);
  return async (call) => {
    const signal = joined(call.signal);
    if (call.inDoubt) options.onChange?.();
    const attempt = async (): ReturnType<typeof call.settle> => {
      const outcome = await connection.exchange(call.request, signal);
      if (outcome.kind === 'answer') return await call.settle(outcome);
      const { transportFault } = await import('./answers/faults.ts');
      return { fault: transportFault(outcome, proxyVariable({ origin: new URL(options.baseUrl), env: options.system.env })) };
    };
    return await withRetries(attempt, { ...call, signal }, settings);
  };
}

function retrySettings({ system, retries = 4, maxWait, observe }: ClientOptions, connection: Connection): RetrySettings {
  const limits = { retries, maxWait: maxWaitOf({ maxWait, system }) };
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

/**
 * A signal that is given to a call is added to that of the client and never replaces it (`D22`): what ends a command ends all of its
 * calls. Made once for each given signal, however many calls share it.
 */
function joinedWith(standing: AbortSignal | undefined): (given?: AbortSignal) => AbortSignal | undefined {
  const joined = new WeakMap<AbortSignal, AbortSignal>();
  return (given) => {
    if (!standing || !given || given === standing) return given ?? standing;
    let both = joined.get(given);
    if (!both) {
      both = AbortSignal.any([standing, given]);
      // Each call under way listens to it, and Node warns of a leak above ten.
      setMaxListeners(0, both);
      joined.set(given, both);
    }
    return both;
  };
}
