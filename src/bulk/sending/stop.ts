import { CliError, type FailureKind } from '../../base/errors.ts';
import { type StopReason, UnrecordedError } from '../results/row-outcome.ts';

export type Stop = ReturnType<typeof createStop>;

/** Holds the reason why a run starts nothing new. A later reason replaces it only if it is more severe. */
export function createStop() {
  let reason: StopReason | undefined;
  const request = (next: StopReason): void => {
    const [before, after] = [unrecordedIn(reason), unrecordedIn(next)];
    if (before && after) reason = { kind: 'error', error: before.and(after) };
    // Among equally severe reasons, links that the journal could not record take precedence.
    else if (severity(next) > severity(reason) || (after && severity(next) === severity(reason))) reason = next;
  };
  return {
    get reason(): StopReason | undefined {
      return reason;
    },
    request,
    /** Stops the run. Rethrows anything but a `CliError`, because it is a bug. */
    because(error: unknown): void {
      if (!(error instanceof CliError)) throw error;
      request({ kind: 'error', error });
    },
  };
}

function unrecordedIn(reason: StopReason | undefined): UnrecordedError | undefined {
  return reason?.kind === 'error' && reason.error instanceof UnrecordedError ? reason.error : undefined;
}

/** Follows the precedence of exit codes: 10, 9, the signal, then 4, 7, 8 and the rest. */
function severity(reason: StopReason | undefined): number {
  if (!reason) return 0;
  if (reason.kind === 'fail_fast') return 1;
  if (reason.kind === 'signal') return 6;
  return severityOfKind[reason.error.kind] ?? 2;
}

const severityOfKind: { readonly [K in FailureKind]?: number } = { unknown: 8, local: 7, auth: 5, limit: 4, unavailable: 3 };
