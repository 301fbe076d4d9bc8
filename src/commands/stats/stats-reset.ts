import { resetOperation } from '../../bulk/operations/removal.ts';
import { changeLinks } from '../../change/links.ts';
import type { Invocation } from '../../cli/invocation.ts';
import { openSession } from '../../cli/session.ts';
import type { BulkOptions } from '../../flags/bulk-flags.ts';
import type { Report } from '../../output/report.ts';
import { hashChangePresentation } from '../../output/url-columns.ts';
import { requireSelection, type SelectionOptions } from '../../select/selection-flags.ts';

export interface ResetOptions extends SelectionOptions, BulkOptions {
  readonly ignoreMissing?: boolean;
}

/** DELETE /stats/[hash], /stats?hashes= or /stats?tags=. Always asks first, and shows the counters before they are lost. */
export async function resetStats(options: ResetOptions, invocation: Invocation, operands: string[]): Promise<Report> {
  const selection = requireSelection(operands, options, 'stats --reset');
  const session = await openSession(invocation);
  return await changeLinks(
    {
      selection,
      options,
      command: 'stats --reset',
      question: { verb: 'Reset the counters of', erasesCounters: true },
      presentation: {
        ...hashChangePresentation('reset', 'Reset'),
        doing: 'resetting the counters of',
        ignoreMissing: options.ignoreMissing,
      },
      verb: 'reset',
      operation: resetOperation,
      oneCall: {
        done: 'Reset the counters of',
        request: (query) => ({ operation: 'resetSelectedStats', input: { query } }),
      },
    },
    session,
  );
}
