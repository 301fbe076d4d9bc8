/** Every exit code (CLI.md section 2). A run that a signal ended dies of the signal instead. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  partial: 3,
  auth: 4,
  not_found: 5,
  rejected: 6,
  limit: 7,
  unavailable: 8,
  local: 9,
  unknown: 10,
  empty: 11,
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
  /** People have read it already, as a failed row: only the exit code is left to tell. */
  readonly reported?: boolean | undefined;
}

/**
 * A failure that we foresee. The message is lower case, without a full stop, names the thing and says what to do; text of
 * strangers in it is made safe where it is printed. Anything thrown that is not one of these is a bug of ours.
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

/** 2: the command line or an input file is wrong; nothing that changes anything was sent. */
export class UsageError extends CliError {
  constructor(message: string, details?: FailureDetails) {
    super('usage', message, details);
  }
}

/** 3: the run reached its end, and some of its items were refused. */
export class PartialError extends CliError {
  constructor(message: string, details?: FailureDetails) {
    super('partial', message, details);
  }
}

/** 4: no credentials, or the server does not accept them. */
export class AuthError extends CliError {
  constructor(message: string, details?: FailureDetails) {
    super('auth', message, details);
  }
}

/** 5: a named URL, tag or domain does not exist. */
export class NotFoundError extends CliError {
  constructor(message: string, details?: FailureDetails) {
    super('not_found', message, details);
  }
}

/** 6: the server refused the values; repeating them unchanged is pointless. */
export class RejectedError extends CliError {
  constructor(message: string, details?: FailureDetails) {
    super('rejected', message, details);
  }
}

/** 7: a quota or a rate limit longer than we may wait; the same command works later. */
export class LimitError extends CliError {
  constructor(message: string, details?: FailureDetails) {
    super('limit', message, details);
  }
}

/** 8: no usable answer, and nothing in doubt; the same command may work now or later. */
export class UnavailableError extends CliError {
  constructor(message: string, details?: FailureDetails) {
    super('unavailable', message, details);
  }
}

/** 9: something on this machine: configuration, files, locks, a wrong base URL or edition. */
export class LocalError extends CliError {
  constructor(message: string, details?: FailureDetails) {
    super('local', message, details);
  }
}

/** 10: whether a change happened is not known; the message says how to look. */
export class UnknownOutcomeError extends CliError {
  constructor(message: string, details?: FailureDetails) {
    super('unknown', message, details);
  }
}

/** 1: a failure without a better code. */
export class FailedError extends CliError {
  constructor(message: string, details?: FailureDetails) {
    super('failed', message, details);
  }
}

/** 11: nothing matched, and `--fail-empty` was given (B44). */
export class EmptyError extends CliError {
  constructor(message: string, details?: FailureDetails) {
    super('empty', message, details);
  }
}

/**
 * How a line ends that named several things, after people have read the failure of each: exit 3 where others were done, else
 * the class that all failures share (CLI.md section 2). `what` continues "2 of 3": `tags were not deleted`.
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

/** What anything thrown says of itself. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  return typeof error === 'object' ? 'something was thrown that is no error' : String(error);
}

/** Where `JSON.parse` stopped, an offset into the text, if its message ends with that: Node 20 does not always say it. */
export function jsonErrorPosition(error: unknown): number | undefined {
  const [, position] = / at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(messageOf(error)) ?? [];
  return position === undefined ? undefined : Number(position);
}
