import { retryAfter } from '../../base/retry-after.ts';
import type { System } from '../../base/system.ts';
import type { OperationName } from '../../contract/operations.ts';
import { CallError, type Fault, type GaveUp, refusesEveryCall } from '../call-error.ts';
import type { RetryNotice, SendOptions } from '../client-options.ts';
import type { Circuit } from './circuit.ts';
import type { ApiRequest } from './requests.ts';

export type Attempted<T> = { readonly result: T } | { readonly fault: Fault };

/** What one call allows. */
export interface RetriedCall extends Pick<SendOptions, 'signal' | 'onDoubt' | 'onThrottled' | 'isCurrent'> {
  readonly request: ApiRequest;
  readonly operation?: OperationName | undefined;
  /** How often it may be sent again while it is in doubt whether it was applied (R 2.1). */
  readonly repeats: number;
  /** Of calls that change something: the last fault, worded as a change that may have happened. */
  readonly inDoubt?: ((fault: Fault) => Fault) | undefined;
}

/** What all calls of one client share. */
export interface RetrySettings {
  /** What a person may set; have the defaults. */
  readonly limits: {
    /** Attempts after the first one; 0 switches retrying off. */
    readonly retries: number;
    /** Milliseconds that one call may wait because the server asked it to. */
    readonly maxWait: number;
  };
  readonly system: Pick<System, 'now' | 'random' | 'sleep'>;
  readonly circuit: Circuit;
  report(request: ApiRequest, notice: RetryNotice): void;
  warn(message: string): void;
}

/** How far one call is. */
interface Progress {
  attempts: number;
  /** Attempts that may have been applied. */
  doubts: number;
  /** Milliseconds waited because the server asked to slow down. */
  waited: number;
}

/** Makes attempts until one succeeds or no further one is allowed. Throws `CallError`. */
export async function withRetries<T>(
  attempt: () => Promise<Attempted<T>>,
  call: RetriedCall,
  settings: RetrySettings,
): Promise<T> {
  const { circuit, system } = settings;
  const { refusals } = circuit;
  const progress: Progress = { attempts: 0, doubts: 0, waited: 0 };
  for (;;) {
    const attempted = await attempt();
    progress.attempts += 1;
    if ('result' in attempted) {
      circuit.succeeded();
      return attempted.result;
    }
    const { fault } = attempted;
    if (fault.outcome === 'ambiguous') {
      progress.doubts += 1;
      call.onDoubt?.();
    }
    if (fault.retry === 'throttled') call.onThrottled?.();
    if (refusesEveryCall(fault)) circuit.refusals += 1;
    const wait = waitFor(fault, progress, settings);
    const giveUp = (gaveUp: GaveUp): CallError =>
      new CallError(finalFault(fault, progress, wait, call), {
        operation: call.operation,
        attempts: progress.attempts,
        gaveUp,
        notBefore: wait.notBefore,
      });
    const refusal = refusalOf(fault, progress, call, settings) ?? wait.refusal;
    if (refusal) throw giveUp(refusal);
    if (fault.retry === 'throttled') progress.waited += wait.delay;
    settings.report(call.request, { attempt: progress.attempts, reason: fault.message, delay: wait.delay });
    await system.sleep(wait.delay, call.signal).catch(() => {
      throw giveUp('interrupted');
    });
    if (circuit.refusals !== refusals) throw giveUp('not retryable');
    if (fault.retry !== 'throttled' && !(await circuit.passes(fault, call.signal))) {
      throw giveUp(call.signal?.aborted ? 'interrupted' : 'too many failures in this run');
    }
    if (call.isCurrent && !(await call.isCurrent())) throw giveUp('what it changes is different by now');
  }
}

/** Milliseconds: `random() * min(base * 2^i, 20 s)`, i from 0. */
export function backOff(base: number, i: number, random: () => number): number {
  return random() * Math.min(base * 2 ** i, 20_000);
}

interface Wait {
  readonly delay: number;
  readonly refusal?: GaveUp;
  readonly notBefore?: number;
}

function waitFor(fault: Fault, { attempts, waited }: Progress, { limits, system, warn }: RetrySettings): Wait {
  const isThrottled = fault.retry === 'throttled';
  const own = backOff(isThrottled ? 1000 : 200, attempts - 1, () => system.random());
  const now = system.now();
  const asked = fault.retryAfter === undefined ? 0 : retryAfter(fault.retryAfter, now);
  if (asked === undefined) warn(`ignoring the invalid Retry-After of the server: ${fault.retryAfter}`);
  const delay = Math.max(own, (asked ?? 0) * (1 + 0.1 * system.random()));
  const refusal = 'the server requests a longer wait than --max-wait';
  // Without our jitter: a server that asks for exactly the longest wait gets it.
  if (asked && waited + asked > limits.maxWait) return { delay, refusal, notBefore: now + asked };
  return isThrottled && waited + own > limits.maxWait ? { delay, refusal } : { delay };
}

function refusalOf(
  fault: Fault,
  { attempts, doubts }: Progress,
  { signal, repeats }: RetriedCall,
  { limits: { retries } }: RetrySettings,
): GaveUp | undefined {
  if (signal?.aborted) return 'interrupted';
  if (fault.retry === 'never') return 'not retryable';
  if (fault.outcome === 'ambiguous' && doubts > repeats) return 'not safe to repeat';
  return attempts > (fault.unresolved ? Math.min(1, retries) : retries) ? 'maximum number of attempts reached' : undefined;
}

/** After an attempt in doubt the call stays in doubt, even if a later attempt was refused or not sent. */
function finalFault(fault: Fault, { doubts }: Progress, { notBefore }: Wait, { inDoubt }: RetriedCall): Fault {
  const last: Fault = notBefore === undefined ? fault : { ...fault, kind: 'limit' };
  return doubts > 0 && inDoubt ? inDoubt(last) : last;
}
