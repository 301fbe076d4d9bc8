/** Every exit code (CLI 2). A run that a signal ended dies of the signal instead. */
export const exitCodes = {
  ok: 0,
  /** A failure without a better code. */
  failed: 1,
  /** The command line or an input file is wrong; nothing that changes anything was sent. */
  usage: 2,
  /** The run reached its end, and some of its items were refused. */
  partial: 3,
  /** No credentials, or the server does not accept them. */
  auth: 4,
  /** A named URL, tag or domain does not exist. */
  not_found: 5,
  /** The server refused the values; repeating them unchanged is pointless. */
  rejected: 6,
  /** A quota, or a rate limit longer than we may wait; the same command works later. */
  limit: 7,
  /** No usable answer, and nothing in doubt; the same command may work now or later. */
  unavailable: 8,
  /** Something on this machine: configuration, files, locks, a wrong base URL or edition. */
  local: 9,
  /** Whether a change happened is not known; the message says how to check. */
  unknown: 10,
  /** Nothing matched, and `--fail-empty` was given (B44). */
  empty: 11,
  /** What was compared differs, which `diff` says. */
  different: 12,
} as const;

/** What kind of failure it is, by what the caller can do about it; the `kind` of B49. */
export type FailureKind = Exclude<keyof typeof exitCodes, 'ok'>;

interface FailureDetails {
  /** A command or an action that helps, ready to be pasted (B45). */
  readonly hint?: string | undefined;
  /** The service's error code, where the service answered with one. */
  readonly apiCode?: number | undefined;
  /** Further lines between the error and the hint, one fact a line. */
  readonly details?: readonly string[] | undefined;
  readonly cause?: unknown;
  /** People have read it already, as a failed row: only the exit code is left. */
  readonly reported?: boolean | undefined;
}

/**
 * A failure that we foresee. The message is lower case, without a full stop, names the thing and says what to do; foreign
 * text in it is made safe where it is printed. Anything thrown that is not one of these is a bug of ours.
 */
export class CliError extends Error {
  readonly kind: FailureKind;
  readonly hint: string | undefined;
  readonly apiCode: number | undefined;
  readonly details: readonly string[];
  readonly reported: boolean;

  constructor(kind: FailureKind, message: string, { hint, apiCode, details = [], cause, reported = false }: FailureDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    // Names of classes do not outlive the build.
    this.name = kind;
    this.kind = kind;
    this.hint = hint;
    this.apiCode = apiCode;
    this.details = details;
    this.reported = reported;
  }

  get exitCode(): number {
    return exitCodes[this.kind];
  }
}

/** The class of the failures of one kind. */
function ofKind(kind: FailureKind) {
  return class extends CliError {
    constructor(message: string, details?: FailureDetails) {
      super(kind, message, details);
    }
  };
}

export class UsageError extends ofKind('usage') {}
export class PartialError extends ofKind('partial') {}
export class AuthError extends ofKind('auth') {}
export class NotFoundError extends ofKind('not_found') {}
export class RejectedError extends ofKind('rejected') {}
export class LimitError extends ofKind('limit') {}
export class UnavailableError extends ofKind('unavailable') {}
export class LocalError extends ofKind('local') {}
export class UnknownOutcomeError extends ofKind('unknown') {}
export class FailedError extends ofKind('failed') {}
export class EmptyError extends ofKind('empty') {}
export class DifferentError extends ofKind('different') {}

/**
 * How a line ends that named several things, after people have read the failure of each: exit 3 where others were done, else
 * the class that all failures share (CLI 2). `what` continues "2 of 3": `tags were not deleted`.
 */
export function sharedFailure(failures: readonly CliError[], named: number, what: string): CliError | undefined {
  const [first] = failures;
  if (!first) return undefined;
  if (named === 1) {
    const { kind, message, hint, apiCode, details } = first;
    return new CliError(kind, message, { hint, apiCode, details, reported: true });
  }
  const common = failures.every(({ kind }) => kind === first.kind) ? first.kind : 'failed';
  return new CliError(failures.length < named ? 'partial' : common, `${failures.length} of ${named} ${what}`);
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  return typeof error === 'object' ? 'something was thrown that is no error' : String(error);
}

/** Where `JSON.parse` stopped, an offset into the text, if its message ends with that: Node 20 does not always say it. */
export function jsonErrorPosition(error: unknown): number | undefined {
  const [, position] = / at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(messageOf(error)) ?? [];
  return position === undefined ? undefined : Number(position);
}
