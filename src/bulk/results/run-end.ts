import { CliError, exitCodes, type FailureKind } from '../../base/errors.ts';
import { errorTraits } from '../../contract/errors.ts';
import { missingCount, type StopReason, type Tally, UnrecordedError } from './row-outcome.ts';

type RunEnd = { readonly kind: 'error'; readonly error: CliError } | { readonly kind: 'signal' } | { readonly kind: 'ok' };

interface EndOptions {
  /** Rows whose hash no link has are not failures. */
  readonly ignoreMissing?: boolean | undefined;
  readonly noun?: string | undefined;
}

/**
 * Decides how a run ends. Precedence: 10, 9, the signal, 4, 7, 8, any other error that stopped it. Otherwise failed rows give 3 or, if
 * every sent row failed, their common code. Unknown rows that repeating the command settles do not replace the reason for a stop, since
 * nothing has to be checked first.
 */
export function runEnd(tally: Tally, stop: StopReason | undefined, { ignoreMissing, noun = 'rows' }: EndOptions = {}): RunEnd {
  const stopError = stop?.kind === 'error' ? stop.error : undefined;
  // The error names every link, so nothing is in doubt.
  if (stopError instanceof UnrecordedError && tally.counts.unknown <= stopError.rows) return { kind: 'error', error: stopError };
  const isResumed = stopError !== undefined || stop?.kind === 'signal';
  const inDoubt = tally.counts.unknown - (isResumed ? tally.repeatable : 0);
  if (inDoubt > 0 || stopError?.kind === 'unknown') return { kind: 'error', error: unknownError(tally, stopError, noun) };
  if (stop?.kind === 'signal') return { kind: 'signal' };
  if (stopError) return { kind: 'error', error: tally.repeatable > 0 ? toBeRepeated(stopError, tally, noun) : stopError };
  const failed = tally.counts.failed - (ignoreMissing ? missingCount(tally) : 0);
  if (failed === 0) return { kind: 'ok' };
  const kind = failed === tally.rows - tally.counts.not_sent ? commonKind(tally) : 'partial';
  return { kind: 'error', error: new CliError(kind, `${failed} of ${tally.rows} ${noun} failed`) };
}

export function exitCodeOf(end: Exclude<RunEnd, { kind: 'signal' }>): number {
  return end.kind === 'error' ? end.error.exitCode : exitCodes.ok;
}

function commonKind({ failures }: Tally): FailureKind {
  const found = new Set([...failures.keys()].map((code) => errorTraits(code).kind));
  const [only] = found;
  return found.size === 1 && only ? only : 'failed';
}

function toBeRepeated({ kind, message, hint, apiCode, details, cause }: CliError, tally: Tally, noun: string): CliError {
  return new CliError(kind, message, {
    hint: hint ?? 'run the same command again',
    apiCode,
    details: [...details, ...repeatableText(tally, noun)],
    cause,
  });
}

/** Counts the unknown rows that repeating the command settles. After a signal, no other message mentions them. */
export function repeatableText({ repeatable, rows }: Tally, noun: string): string[] {
  return repeatable > 0 ? [`outcome unknown for ${repeatable} of ${rows} ${noun}; it cannot create duplicates`] : [];
}

function unknownError(tally: Tally, stopError: CliError | undefined, noun: string): CliError {
  if (stopError?.kind === 'unknown') return stopError;
  return new CliError('unknown', `outcome unknown for ${tally.counts.unknown} of ${tally.rows} ${noun}`, {
    hint: 'before repeating, check them with linkctl list --search',
    ...(stopError && { details: [stopError.message], cause: stopError }),
  });
}
