import type { System } from '../../base/system.ts';
import { CallError, type CallHistory, type Fault, type GaveUp, refusesEveryCall } from '../call-error.ts';
import type { Circuit } from './circuit.ts';

/** What a person may set; have the defaults. */
export interface RetryLimits {
  /** Attempts after the first one; 0 switches retrying off. */
  readonly retries: number;
  /** Milliseconds that one call may wait because the server asked it to. */
  readonly maxWait: number;
}

export type Attempted<T> = { readonly result: T } | { readonly fault: Fault };

/** One retry, told before its wait. */
export interface RetryNotice {
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  readonly reason: string;
  /** Milliseconds. */
  readonly delay: number;
}

export interface RetryContext {
  readonly limits: RetryLimits;
  readonly system: Pick<System, 'now' | 'random' | 'sleep'>;
  readonly circuit: Circuit;
  readonly history: Pick<CallHistory, 'operation'>;
  /** How often this call may be sent again while it is in doubt whether it was applied (2.1). */
  readonly repeats: number;
  /** For calls that change something: the last fault, told as a change that may have happened. */
  readonly inDoubt?: ((fault: Fault) => Fault) | undefined;
  readonly onDoubt?: (() => void) | undefined;
  readonly onThrottled?: (() => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  notice(notice: RetryNotice): void;
  warn(message: string): void;
}

/** Makes attempts until one succeeds or no further one is allowed. Throws `CallError`. */
export async function withRetries<T>(attempt: () => Promise<Attempted<T>>, context: RetryContext): Promise<T> {
  const { circuit } = context;
  const { refusals } = circuit;
  let doubts = 0;
  let waited = 0;
  for (let attempts = 1; ; attempts += 1) {
    const attempted = await attempt();
    if ('result' in attempted) {
      circuit.succeeded();
      return attempted.result;
    }
    const { fault } = attempted;
    if (fault.outcome === 'ambiguous') {
      doubts += 1;
      context.onDoubt?.();
    }
    if (fault.retry === 'throttled') context.onThrottled?.();
    if (refusesEveryCall(fault)) circuit.refusals += 1;
    const wait = waitFor(fault, attempts, waited, context);
    const giveUp = (gaveUp: GaveUp): CallError =>
      new CallError(finalFault(fault, doubts, wait, context), {
        ...context.history,
        attempts,
        gaveUp,
        notBefore: wait.notBefore,
      });
    const refusal = refusalOf(fault, attempts, doubts, context) ?? wait.refusal;
    if (refusal) throw giveUp(refusal);
    if (fault.retry === 'throttled') waited += wait.delay;
    context.notice({ attempt: attempts, reason: fault.message, delay: wait.delay });
    await context.system.sleep(wait.delay, context.signal).catch(() => {
      throw giveUp('interrupted');
    });
    if (circuit.refusals !== refusals) throw giveUp('not retryable');
    if (fault.retry !== 'throttled' && !(await circuit.passes(fault, context.signal))) {
      throw giveUp(context.signal?.aborted ? 'interrupted' : 'too many failures in this run');
    }
  }
}

/** Milliseconds: `random() * min(base * 2^i, 20 s)`, i from 0. */
export function backOff(base: number, i: number, random: () => number): number {
  return random() * Math.min(base * 2 ** i, 20_000);
}

/** `Retry-After` in milliseconds from now: seconds, also fractional, or an HTTP date; nothing where it makes no sense. */
export function retryAfter(value: string, now: number): number | undefined {
  const text = value.trim();
  if (/^[A-Z][a-z]{2},? /.test(text)) {
    const time = Date.parse(text);
    return Number.isNaN(time) ? undefined : Math.max(0, time - now);
  }
  if (!/^\d+(\.\d+)?$/.test(text)) return undefined;
  const seconds = Number(text);
  return seconds > 2 ** 31 ? undefined : seconds * 1000;
}

interface Wait {
  readonly delay: number;
  readonly refusal?: GaveUp;
  readonly notBefore?: number;
}

function waitFor(fault: Fault, attempts: number, waited: number, context: RetryContext): Wait {
  const { limits, system, warn } = context;
  const own = backOff(fault.retry === 'throttled' ? 1000 : 200, attempts - 1, () => system.random());
  const now = system.now();
  const asked = fault.retryAfter === undefined ? 0 : retryAfter(fault.retryAfter, now);
  if (asked === undefined) warn(`Retry-After of the server makes no sense and is not followed: ${fault.retryAfter}`);
  const delay = Math.max(own, (asked ?? 0) * (1 + 0.1 * system.random()));
  // Jitter is ours: a server that asks for exactly the longest wait is waited for.
  if (asked && waited + asked > limits.maxWait) {
    return { delay, refusal: 'the server asks for a longer wait than allowed', notBefore: now + asked };
  }
  if (fault.retry === 'throttled' && waited + own > limits.maxWait) {
    return { delay, refusal: 'the server asks for a longer wait than allowed' };
  }
  return { delay };
}

function refusalOf(fault: Fault, attempts: number, doubts: number, context: RetryContext): GaveUp | undefined {
  if (context.signal?.aborted) return 'interrupted';
  if (fault.retry === 'never') return 'not retryable';
  if (fault.outcome === 'ambiguous' && doubts > context.repeats) return 'not safe to repeat';
  const allowed = fault.unresolved ? Math.min(1, context.limits.retries) : context.limits.retries;
  return attempts > allowed ? 'attempts used up' : undefined;
}

/** After an attempt in doubt, a later one that was not sent or was refused settles nothing about the first. */
function finalFault(fault: Fault, doubts: number, { notBefore }: Wait, { inDoubt }: RetryContext): Fault {
  const last: Fault = notBefore === undefined ? fault : { ...fault, kind: 'limit' };
  return doubts > 0 && inDoubt ? inDoubt(last) : last;
}
