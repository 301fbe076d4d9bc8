export const exitCodes = {
  ok: 0,
  /** A failure without a more specific code. */
  failed: 1,
  /** The command line or an input file is invalid; nothing was changed. */
  usage: 2,
  /** The run completed, but some items were rejected. */
  partial: 3,
  /** Credentials are missing or rejected. */
  auth: 4,
  /** A named URL, tag or domain does not exist. */
  not_found: 5,
  /** The server rejected the values. */
  rejected: 6,
  /** A quota or rate limit was reached; the same command works later. */
  limit: 7,
  /** No usable answer, but every outcome is known. */
  unavailable: 8,
  /** Configuration, files, locks, a wrong base URL or edition. */
  local: 9,
  /** Some outcome is unknown; the message says how to check. */
  unknown: 10,
  /** Nothing matched, with `--fail-empty`. */
  empty: 11,
  /** `diff` found differences. */
  different: 12,
} as const;

/** What shells see of a command that died of a signal. */
export const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Classifies failures by what the caller can do; part of JSON errors. */
export type FailureKind = Exclude<keyof typeof exitCodes, 'ok'> | 'interrupted';

const codeOfKind: { readonly [K in FailureKind]: number } = { ...exitCodes, interrupted: signalCodes.SIGINT };

interface FailureDetails {
  /** A command or an action that helps. */
  readonly hint?: string | undefined;
  /** Code of the API, if the API answered with one. */
  readonly apiCode?: number | undefined;
  /** Lines between the error and the hint, one fact each. */
  readonly details?: readonly string[] | undefined;
  readonly cause?: unknown;
  /** Already printed as a failed row, so only the exit code remains. */
  readonly reported?: boolean | undefined;
}

/**
 * An expected failure. Messages are lower case without a full stop, name the thing and say what to do. Any other thrown error is a bug of
 * linkctl.
 */
export class CliError extends Error {
  readonly kind: FailureKind;
  readonly hint: string | undefined;
  readonly apiCode: number | undefined;
  readonly details: readonly string[];
  readonly reported: boolean;

  constructor(kind: FailureKind, message: string, { hint, apiCode, details = [], cause, reported = false }: FailureDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    // Minified builds lose class names.
    this.name = kind;
    this.kind = kind;
    this.hint = hint;
    this.apiCode = apiCode;
    this.details = details;
    this.reported = reported;
  }

  get exitCode(): number {
    return codeOfKind[this.kind];
  }
}

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

/** The command dies of the signal after its output, so only JSON has this error. */
export class InterruptedError extends CliError {
  readonly #code: number;

  constructor(signal: keyof typeof signalCodes) {
    super('interrupted', 'interrupted', { reported: true });
    this.#code = signalCodes[signal];
  }

  override get exitCode(): number {
    return this.#code;
  }
}

/** Summarises failures that were already printed: exit 3 if others succeeded. `what` continues "2 of 3", such as `tags were not deleted`. */
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

/** Returns what `work` returns, or `otherwise` if it throws. */
export function orElse<Result, Otherwise>(work: () => Result, otherwise: Otherwise): Result | Otherwise {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

/** Accepts anything that was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  return typeof error === 'object' ? 'a value that is not an error was thrown' : String(error);
}

/** Offset of the fault in a text that is not JSON, which Node often leaves out: there the longest beginning that can continue ends. */
export function jsonFaultAt(text: string): number {
  let [sound, faulty] = [0, text.length + 1];
  while (faulty - sound > 1) {
    const middle = (sound + faulty) >> 1;
    if (canContinue(text.slice(0, middle))) sound = middle;
    else faulty = middle;
  }
  return sound;
}

function canContinue(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch (error) {
    return new RegExp(`^Unexpected end of | in JSON at position ${json.length}(?: \\(|$)`).test(messageOf(error));
  }
}
