import { retryAfter } from '../../base/retries.ts';
import type { System } from '../../base/system.ts';
import type { OperationName } from '../../contract/operations.ts';
import { CallError, type Fault, type GaveUp, refusesEveryCall } from '../call-error.ts';
import type { RetryNotice, SendOptions } from '../client-options.ts';
import type { ApiRequest } from './api-request.ts';
import type { Circuit } from './circuit.ts';

export type Attempted<T> = { readonly result: T } | { readonly fault: Fault };

export interface RetriedCall extends Pick<SendOptions, 'signal' | 'halt' | 'onDoubt' | 'onThrottled' | 'isCurrent'> {
  readonly request: ApiRequest;
  readonly operation?: OperationName | undefined;
  /** Maximum number of repetitions while the outcome is unknown. */
  readonly repeats: number;
  /** Only for changes: describes the last fault as an unknown outcome. */
  readonly inDoubt?: ((fault: Fault) => Promise<Fault>) | undefined;
}

export interface RetrySettings {
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

interface Progress {
  attempts: number;
  /** Attempts with an unknown outcome. */
  doubts: number;
  /** Milliseconds spent waiting at the server's request. */
  waited: number;
}

interface LoopSettings extends RetrySettings {
  /** Of the circuit, when the call began. */
  readonly refusals: number;
}

/** Goes on after a first attempt. Throws `CallError` if none succeeds. */
export async function retried<T>(
  first: Attempted<T>,
  attempt: () => Promise<Attempted<T>>,
  call: RetriedCall,
  settings: LoopSettings,
): Promise<T> {
  const { circuit, refusals, system } = settings;
  const progress: Progress = { attempts: 0, doubts: 0, waited: 0 };
  for (let attempted = first; ; attempted = await attempt()) {
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
    if (refusesEveryCall(fault)) circuit.refusals += 1;
    const wait = waitFor(fault, progress, settings);
    const giveUp = async (gaveUp: GaveUp): Promise<CallError> =>
      new CallError(await finalFault(fault, progress, wait, call), {
        operation: call.operation,
        attempts: progress.attempts,
        gaveUp,
        notBefore: wait.notBefore,
      });
    const refusal = refusalOf(fault, progress, call, settings) ?? wait.refusal;
    const halt = AbortSignal.any([call.signal, call.halt].filter((one) => one !== undefined));
    const over = refusal ? Promise.resolve() : system.sleep(wait.delay, halt);
    if (fault.retry === 'throttled') call.onThrottled?.(fault.retryAfter === undefined ? undefined : over);
    if (refusal) throw await giveUp(refusal);
    if (fault.retry === 'throttled') progress.waited += wait.delay;
    settings.report(call.request, { attempt: progress.attempts, reason: fault.message, delay: wait.delay });
    await over.catch(async () => {
      throw await giveUp('interrupted');
    });
    if (circuit.refusals !== refusals) throw await giveUp('not retryable');
    if (fault.retry !== 'throttled' && !(await circuit.permitsRetry(fault, halt))) {
      throw await giveUp(halt.aborted ? 'interrupted' : 'too many failures in this run');
    }
    if (call.isCurrent && !(await call.isCurrent())) throw await giveUp('the target has changed since');
  }
}

/** Milliseconds, with full jitter; `i` counts from 0. */
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
  const backOffDelay = backOff(isThrottled ? 1000 : 200, attempts - 1, () => system.random());
  const now = system.now();
  const asked = fault.retryAfter === undefined ? 0 : retryAfter(fault.retryAfter, now);
  if (asked === undefined) warn(`ignoring the invalid Retry-After of the server: ${fault.retryAfter}`);
  const delay = Math.max(backOffDelay, (asked ?? 0) * (1 + 0.1 * system.random()));
  const refusal = 'the server requests a longer wait than --max-wait';
  // Compared without jitter: a server may ask for exactly the maximum.
  if (asked && waited + asked > limits.maxWait) return { delay, refusal, notBefore: now + asked };
  return isThrottled && waited + backOffDelay > limits.maxWait ? { delay, refusal } : { delay };
}

function refusalOf(
  fault: Fault,
  { attempts, doubts }: Progress,
  { signal, halt, repeats }: RetriedCall,
  { limits: { retries } }: RetrySettings,
): GaveUp | undefined {
  if (signal?.aborted) return 'interrupted';
  if (fault.retry === 'never') return 'not retryable';
  if (fault.outcome === 'ambiguous' && doubts > repeats) return 'not safe to repeat';
  if (halt?.aborted) return 'interrupted';
  return attempts > (fault.unresolved ? Math.min(1, retries) : retries) ? 'maximum number of attempts reached' : undefined;
}

/** One attempt with an unknown outcome leaves the whole call unknown, even if a later attempt was refused. */
async function finalFault(fault: Fault, { doubts }: Progress, { notBefore }: Wait, { inDoubt }: RetriedCall): Promise<Fault> {
  const last: Fault = notBefore === undefined ? fault : { ...fault, kind: 'limit' };
  return doubts > 0 && inDoubt ? await inDoubt(last) : last;
}
