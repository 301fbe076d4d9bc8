import { setMaxListeners } from 'node:events';
import { transportFault } from '../answers/faults.ts';
import type { ClientOptions } from '../client-options.ts';
import type { Connection } from '../http/connection.ts';
import { proxyVariable } from '../http/proxies.ts';
import type { WireAnswer } from '../http/transport.ts';
import { createCircuit } from './circuit.ts';
import { type Attempted, type RetriedCall, type RetrySettings, withRetries } from './retry.ts';

/** One call of the API, whatever it is about. */
export interface Call<T> extends RetriedCall {
  /** What a complete HTTP answer to it means. */
  settle(answer: WireAnswer): Attempted<T>;
}

/** Makes one call, retries what may be retried, and answers with its result. Throws `CallError`. */
type Caller = <T>(call: Call<T>) => Promise<T>;

/** The calls of one client share limits, clock, the budget of R-6 and the signal that ends them all. */
export function createCaller(options: ClientOptions, connection: Connection): Caller {
  const settings = retrySettings(options, connection);
  const joined = joinedWith(options.signal);
  return async (call) => {
    const signal = joined(call.signal);
    if (call.inDoubt) options.onChange?.();
    const attempt = async (): Promise<ReturnType<typeof call.settle>> => {
      const outcome = await connection.exchange(call.request, signal);
      if (outcome.kind === 'answer') return call.settle(outcome);
      return { fault: transportFault(outcome, proxyVariable({ origin: new URL(options.baseUrl), env: options.system.env })) };
    };
    return await withRetries(attempt, { ...call, signal }, settings);
  };
}

function retrySettings(
  { system, retries = 4, maxWait = system.stderr.isTTY ? 30 : 900, observe }: ClientOptions,
  connection: Connection,
): RetrySettings {
  const limits = { retries, maxWait: maxWait * 1000 };
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
 * A signal that is given to a call adds to the standing one and never replaces it (`D22`): what ends a command ends all of its
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
