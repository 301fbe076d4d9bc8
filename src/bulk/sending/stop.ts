import { CliError, type FailureKind } from '../../base/errors.ts';
import { type StopReason, UnrecordedError } from '../results/row-outcome.ts';

export type Stop = ReturnType<typeof createStop>;

/** Says why a run starts nothing new. The first reason stays, unless a more severe one follows. */
export function createStop() {
  let reason: StopReason | undefined;
  const request = (next: StopReason): void => {
    const [before, after] = [unrecordedIn(reason), unrecordedIn(next)];
    if (before && after) reason = { kind: 'error', error: before.and(after) };
    // Of equally severe reasons, links that the journal could not record matter most.
    else if (severity(next) > severity(reason) || (after && severity(next) === severity(reason))) reason = next;
  };
  return {
    get reason(): StopReason | undefined {
      return reason;
    },
    request,
    /** Stops because of an error. Anything but a `CliError` is a bug of ours, and is thrown. */
    because(error: unknown): void {
      if (!(error instanceof CliError)) throw error;
      request({ kind: 'error', error });
    },
  };
}

function unrecordedIn(reason: StopReason | undefined): UnrecordedError | undefined {
  return reason?.kind === 'error' && reason.error instanceof UnrecordedError ? reason.error : undefined;
}

/** In the order in which exit codes take precedence: 10, 9, the signal, then 4, 7, 8 and the rest. */
function severity(reason: StopReason | undefined): number {
  if (!reason) return 0;
  if (reason.kind === 'fail_fast') return 1;
  if (reason.kind === 'signal') return 6;
  return severityOfKind[reason.error.kind] ?? 2;
}

const severityOfKind: { readonly [K in FailureKind]?: number } = { unknown: 8, local: 7, auth: 5, limit: 4, unavailable: 3 };
