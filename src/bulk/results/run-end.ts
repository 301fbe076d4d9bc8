import { CliError, type FailureKind } from '../../base/errors.ts';
import { destinationsCommand, linksCommand } from '../../client/link-commands.ts';
import { errorTraits } from '../../contract/errors.ts';
import type { LinkKey } from '../../contract/link.ts';
import type { BulkOperation } from '../operations/operation.ts';
import { missingCount, type RowOutcome, type StopReason, type Tally, UnrecordedError } from './row-outcome.ts';

type RunEnd = { readonly kind: 'error'; readonly error: CliError } | { readonly kind: 'signal' } | { readonly kind: 'ok' };

interface EndOptions {
  /** Rows whose hash no link has are not failures. */
  readonly ignoreMissing?: boolean | undefined;
  readonly noun?: string | undefined;
  readonly unknown?: UnknownRows | undefined;
  /** The same command resumes the run. */
  readonly isResumed?: boolean | undefined;
}

/** The first unknown rows of a run. Rows without a domain are on its working domain. */
interface UnknownRows {
  readonly rows: readonly Pick<RowOutcome, 'payload'>[];
  readonly operation: Pick<BulkOperation, 'kind' | 'requestedFields'>;
  readonly domain: string | undefined;
}

/**
 * Decides how a run ends. Precedence: 10, 9, the signal, 4, 7, 8, any other error that stopped it. Otherwise failed rows give 3 or, if
 * the server refused every row, their common code; 1 if others were not sent (--fail-fast). Unknown rows that repeating the command settles
 * do not replace the reason for a stop, since nothing has to be checked first.
 */
export function runEnd(tally: Tally, stop: StopReason | undefined, options: EndOptions = {}): RunEnd {
  const { ignoreMissing, noun = 'rows' } = options;
  const stopError = stop?.kind === 'error' ? stop.error : undefined;
  // The error names every link, so nothing is in doubt.
  if (stopError instanceof UnrecordedError && tally.counts.unknown <= stopError.rows) return { kind: 'error', error: stopError };
  const isStopped = stopError !== undefined || stop?.kind === 'signal';
  const inDoubt = tally.counts.unknown - (isStopped ? tally.repeatable : 0);
  if (inDoubt > 0 || stopError?.kind === 'unknown') return { kind: 'error', error: unknownError(tally, stopError, options) };
  if (stop?.kind === 'signal') return { kind: 'signal' };
  if (stopError) return { kind: 'error', error: tally.repeatable > 0 ? toBeRepeated(stopError, tally, noun) : stopError };
  const failed = tally.counts.failed - (ignoreMissing ? missingCount(tally) : 0);
  if (failed === 0) return { kind: 'ok' };
  const { not_sent } = tally.counts;
  // Neither was the run completed nor is it pointless to repeat it.
  if (not_sent > 0)
    return { kind: 'error', error: new CliError('failed', `${failed} of ${tally.rows} ${noun} failed, ${not_sent} not sent`) };
  // A link that the program left alone is part of what was asked for.
  const kind = failed === tally.rows && tally.untouched === 0 ? commonKind(tally) : 'partial';
  return { kind: 'error', error: new CliError(kind, `${failed} of ${tally.rows} ${noun} failed`) };
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

function unknownError(
  { rows: total, counts: { unknown: count }, resumable }: Tally,
  stopError: CliError | undefined,
  { noun = 'rows', unknown: rows, isResumed = false }: EndOptions,
): CliError {
  const isSettledNext = isResumed && count > 0 && resumable === count;
  // What stopped the run here may stop the next one, too.
  const hint = (stopError?.kind === 'local' && stopError.hint) || (rows && checkHint(rows, count, isSettledNext));
  if (stopError?.kind === 'unknown') {
    const { message, details, apiCode, cause } = stopError;
    return isSettledNext ? new CliError('unknown', message, { hint, details, apiCode, cause }) : stopError;
  }
  return new CliError('unknown', `outcome unknown for ${count} of ${total} ${noun}`, {
    hint,
    ...(stopError && { details: [stopError.message], cause: stopError }),
  });
}

/** Names no more links than a line holds. Links without a hash of their own are named by their destinations. */
function checkHint({ rows, operation, domain }: UnknownRows, count: number, isSettledNext: boolean): string {
  const check = isSettledNext ? 'the same command settles these rows and resumes; to check them' : 'check before repeating';
  const links = rows.map(({ payload }) => linksOf(payload, operation, domain));
  const command = links.some((some) => some.length === 0)
    ? destinationsCommand(
        rows.map(({ payload }) => payload),
        domain,
      )
    : linksCommand(links.flat(), operation.kind === 'reset' ? 'stats' : 'list');
  return `${check}${count > rows.length ? ` (the first ${rows.length})` : ''}: ${command}`;
}

/** A row that renames its link may have either hash. */
function linksOf(payload: object, { requestedFields }: UnknownRows['operation'], working: string | undefined): LinkKey[] {
  const row: Partial<LinkKey> & { readonly custom_hash?: string } = { ...payload, ...requestedFields?.(payload) };
  const { hash, custom_hash, domain = working } = row;
  return [...new Set([hash, custom_hash])].flatMap((name) => (name === undefined ? [] : [{ hash: name, domain }]));
}
