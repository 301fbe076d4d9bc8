import type { CliError } from '../../base/errors.ts';
import { type StopReason, UnrecordedError } from '../results/row-outcome.ts';

/** The one place where a run learns that it shall start nothing new. The first reason stands, unless a graver one follows. */
export interface Stop {
  readonly reason: StopReason | undefined;
  request(reason: StopReason): void;
}

export function createStop(): Stop {
  let reason: StopReason | undefined;
  return {
    get reason() {
      return reason;
    },
    request(next) {
      const [before, after] = [unrecordedIn(reason), unrecordedIn(next)];
      if (before && after) reason = stopOf(before.and(after));
      // Of a journal that broke, what was done and is nowhere else matters most (J7).
      else if (severity(next) > severity(reason) || (after && severity(next) === severity(reason))) reason = next;
    },
  };
}

export function stopOf(error: CliError): StopReason {
  return { kind: 'error', error };
}

function unrecordedIn(reason: StopReason | undefined): UnrecordedError | undefined {
  return reason?.kind === 'error' && reason.error instanceof UnrecordedError ? reason.error : undefined;
}

/** The order of CLI.md section 2: 10, 9, the signal, then 4, 7, 8 and the rest. */
function severity(reason: StopReason | undefined): number {
  if (!reason) return 0;
  if (reason.kind === 'fail_fast') return 1;
  if (reason.kind === 'signal') return 6;
  return { unknown: 8, local: 7, auth: 5, limit: 4, unavailable: 3 }[reason.error.kind as string] ?? 2;
}
