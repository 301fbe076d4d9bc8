import { CliError, type FailureKind } from '../base/errors.ts';
import { errorTraits } from '../contract/errors.ts';
import type { OperationName } from '../contract/operations.ts';

/**
 * What a failed call means for a change: `not_sent` (class N) and `rejected` (class R) did not happen, `ambiguous` (class A) may
 * have happened, in part or later (R 1.3).
 */
export type CallOutcome = 'not_sent' | 'rejected' | 'ambiguous';

/** One attempt that failed, before it is known whether there will be another. */
export interface Fault {
  readonly outcome: CallOutcome;
  readonly kind: FailureKind;
  readonly message: string;
  /** The fault of the last attempt alone, if earlier attempts leave the outcome unknown. */
  readonly last?: Fault;
  readonly hint?: string | undefined;
  readonly details?: readonly string[];
  /** The message of the service, where it sent one. */
  readonly said?: string | undefined;
  readonly apiCode?: number | undefined;
  readonly status?: number | undefined;
  readonly cause?: unknown;
  /** `throttled`: nothing was done, and the server asks for a pause. `passing`: trying again may help. `never`: it will not. */
  readonly retry: 'passing' | 'throttled' | 'never';
  /** As the server sent it. */
  readonly retryAfter?: string | undefined;
  readonly timedOut?: boolean;
  readonly unresolved?: boolean;
}

/** Why there was no further attempt. */
export type GaveUp =
  | 'not retryable'
  | 'not safe to repeat'
  | 'maximum number of attempts reached'
  | 'too many failures in this run'
  | 'the server requests a longer wait than --max-wait'
  | 'what it changes is different by now'
  | 'interrupted';

interface CallHistory {
  readonly operation?: OperationName | undefined;
  readonly attempts: number;
  readonly gaveUp: GaveUp;
  /** The earliest time for another call, as the server asked, in milliseconds since 1970. */
  readonly notBefore?: number | undefined;
}

/** A call that failed for good. Its exit code follows CLI 2. */
export class CallError extends CliError {
  readonly outcome: CallOutcome;
  /** The fault of the last attempt alone. */
  readonly last: Fault;
  /** The message of the service itself, where it sent one. */
  readonly said: string | undefined;
  readonly operation: OperationName | undefined;
  /** HTTP status of the last answer, where one came. */
  readonly status: number | undefined;
  readonly attempts: number;
  readonly gaveUp: GaveUp;
  readonly notBefore: number | undefined;

  constructor(fault: Fault, history: CallHistory) {
    const { kind, message, hint, apiCode, cause } = fault;
    const details = [...(fault.details ?? [])];
    if (history.attempts > 1) details.push(`gave up after ${history.attempts} attempts${reasonOf(history.gaveUp)}`);
    if (history.notBefore !== undefined) {
      details.push(`the server requests no further calls before ${new Date(history.notBefore).toISOString()}`);
    }
    super(kind, message, { hint, apiCode, details, cause });
    this.outcome = fault.outcome;
    this.last = fault.last ?? fault;
    this.said = fault.said;
    this.operation = history.operation;
    this.status = fault.status;
    this.attempts = history.attempts;
    this.gaveUp = history.gaveUp;
    this.notBefore = history.notBefore;
  }
}

/**
 * Whether a call was refused because it held too much: too many items, too long a body, too long an address (R-13, B86). Half as
 * much may be accepted, whether the call reads or changes (D14).
 */
export function isTooLarge(error: unknown): error is CallError {
  if (!(error instanceof CallError)) return false;
  const { outcome, apiCode, status } = error.last;
  return outcome === 'rejected' && (errorTraits(apiCode).about === 'size' || status === 413 || status === 414);
}

/** Whether the account, its key or the address was refused, and not the one call: every other call would be. */
export function refusesEveryCall({ outcome, kind, apiCode }: Fault): boolean {
  return outcome === 'rejected' && (kind === 'auth' || errorTraits(apiCode).refuses === 'every call');
}

/** Whether all further calls of a run would fail alike: no connection, credentials, quotas, the domain, the address (B87, F50). */
export function stopsRun({ outcome, apiCode, kind }: Fault): boolean {
  return outcome !== 'rejected' || stoppingKinds.has(kind) || errorTraits(apiCode).refuses === 'every row';
}

/** Whether a call was refused for a reason that applies to every further call of the run. */
export function refusesRun({ outcome, last }: CallError): boolean {
  return outcome === 'rejected' && stopsRun(last);
}

const stoppingKinds: ReadonlySet<FailureKind> = new Set(['auth', 'limit', 'local', 'unavailable']);

/** Whether the server has no such resource: one of another edition (API.md 9.3), or no API at all. */
export function isUnknownResource(error: unknown): boolean {
  if (!(error instanceof CallError)) return false;
  return errorTraits(error.apiCode).about === 'resource' || error.status === 404;
}

/** The failure of the last attempt alone, even if earlier attempts leave the outcome unknown. */
export function lastOf(error: CallError): CliError {
  const { kind, message, hint, apiCode, outcome } = error.last;
  if (outcome === error.outcome) return error;
  return new CliError(kind, message, { hint, apiCode, details: error.details, cause: error });
}

function reasonOf(gaveUp: GaveUp): string {
  return gaveUp === 'maximum number of attempts reached' ? '' : `: ${gaveUp}`;
}
