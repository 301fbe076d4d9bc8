import { CliError, type FailureKind } from '../base/errors.ts';
import { isoTime } from '../base/times.ts';
import { errorTraits } from '../contract/errors.ts';
import type { OperationName } from '../contract/operations.ts';
import type { ApiMessage } from './api-messages.ts';

/** `not_sent` and `rejected` changed nothing; `ambiguous` may have changed something, also partly or later. */
export type CallOutcome = 'not_sent' | 'rejected' | 'ambiguous';

/** One failed attempt; there may be another. */
export interface Fault extends ApiMessage {
  readonly outcome: CallOutcome;
  /** The fault of the last attempt alone, if earlier attempts leave the outcome unknown. */
  readonly last?: Fault;
  readonly details?: readonly string[];
  readonly serverMessage?: string | undefined;
  readonly apiCode?: number | undefined;
  readonly status?: number | undefined;
  readonly cause?: unknown;
  /** `throttled`: nothing happened and the server asks for a pause. `passing`: a retry may help. `never`: it cannot. */
  readonly retry: 'passing' | 'throttled' | 'never';
  /** As the server sent it. */
  readonly retryAfter?: string | undefined;
  readonly timedOut?: boolean;
  readonly unresolved?: boolean;
}

/** Reason why there was no further attempt. */
export type GaveUp =
  | 'not retryable'
  | 'not safe to repeat'
  | 'maximum number of attempts reached'
  | 'too many failures in this run'
  | 'the server requests a longer wait than --max-wait'
  | 'the target has changed since'
  | 'interrupted';

interface CallHistory {
  readonly operation?: OperationName | undefined;
  readonly attempts: number;
  readonly gaveUp: GaveUp;
  /** Milliseconds since 1970, as the server asked. */
  readonly notBefore?: number | undefined;
}

/** A call without further attempts. */
export class CallError extends CliError {
  readonly outcome: CallOutcome;
  readonly last: Fault;
  readonly operation: OperationName | undefined;
  readonly status: number | undefined;
  readonly attempts: number;
  readonly gaveUp: GaveUp;
  readonly notBefore: number | undefined;

  constructor(fault: Fault, history: CallHistory) {
    const { kind, message, hint, apiCode, cause } = fault;
    const details = [...(fault.details ?? [])];
    if (history.attempts > 1) details.push(`gave up after ${history.attempts} attempts${reasonOf(history.gaveUp)}`);
    if (history.notBefore !== undefined) {
      details.push(`the server requests no further calls before ${isoTime(history.notBefore)}`);
    }
    super(kind, message, { hint, apiCode, details, cause });
    this.outcome = fault.outcome;
    this.last = fault.last ?? fault;
    this.operation = history.operation;
    this.status = fault.status;
    this.attempts = history.attempts;
    this.gaveUp = history.gaveUp;
    this.notBefore = history.notBefore;
  }
}

/** Too many items, a body or a URL that is too long: half as much may be accepted. */
export function isTooLarge(error: unknown): error is CallError {
  if (!(error instanceof CallError)) return false;
  const { outcome, apiCode, status } = error.last;
  return outcome === 'rejected' && (errorTraits(apiCode).about === 'size' || status === 413 || status === 414);
}

/** The refusal concerns the account, its key or the address, so every other call would be refused too. */
export function refusesEveryCall({ outcome, kind, apiCode }: Fault): boolean {
  return outcome === 'rejected' && (kind === 'auth' || errorTraits(apiCode).refuses === 'every call');
}

/** No later call of the run can succeed: no connection, credentials, quota, domain or address. */
export function stopsRun({ outcome, apiCode, kind }: Fault): boolean {
  return outcome !== 'rejected' || stoppingKinds.has(kind) || errorTraits(apiCode).refuses === 'every row';
}

/** The call changed nothing, and no later call of the run can succeed. */
export function refusesRun({ outcome, last }: CallError): boolean {
  return outcome === 'rejected' && stopsRun(last);
}

const stoppingKinds: ReadonlySet<FailureKind> = new Set(['auth', 'limit', 'local', 'unavailable']);

/** The server has another edition (9.3), or no API at all. */
export function isUnknownResource(error: unknown): boolean {
  if (!(error instanceof CallError)) return false;
  return errorTraits(error.apiCode).about === 'resource' || error.status === 404;
}

/** Reports the last attempt alone, even if earlier attempts leave the outcome unknown. */
export function lastOf(error: CallError): CliError {
  const { kind, message, hint, apiCode, outcome } = error.last;
  if (outcome === error.outcome) return error;
  return new CliError(kind, message, { hint, apiCode, details: error.details, cause: error });
}

function reasonOf(gaveUp: GaveUp): string {
  return gaveUp === 'maximum number of attempts reached' ? '' : `: ${gaveUp}`;
}
