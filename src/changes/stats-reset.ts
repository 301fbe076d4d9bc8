import { resetOperation } from '../bulk/operations/removal.ts';
import type { Invocation } from '../cli/invocation.ts';
import { openSession } from '../cli/session.ts';
import { type BulkOptions, refuseRunFlags } from '../flags/bulk-flags.ts';
import { requireSelection, type SelectionOptions } from '../flags/selection-flags.ts';
import type { Report } from '../output/report.ts';
import { hashChangePresentation } from '../output/url-columns.ts';
import { changeNamed } from './named-change.ts';
import { changeByTags } from './tag-change.ts';

export interface ResetOptions extends SelectionOptions, BulkOptions {
  readonly ignoreMissing?: boolean;
}

/** DELETE /stats/[hash], /stats?hashes= or /stats?tags=: always asked for, and the counters are told before they are lost. */
export async function resetStats(options: ResetOptions, invocation: Invocation, operands: string[]): Promise<Report> {
  const selection = requireSelection(operands, options, 'stats --reset');
  const asks = { verb: 'Reset the counters of', erasesCounters: true };
  const presentation = hashChangePresentation('reset', 'Reset');
  const session = await openSession(invocation);
  if (selection.kind === 'tags') {
    refuseRunFlags(options, '--by-tags', '--hashes-from');
    const query = { tags: selection.expression };
    return await changeByTags(
      {
        ...selection,
        asks,
        presentation: presentation,
        done: 'Reset the counters of',
        request: { method: 'DELETE', path: '/stats', query, body: undefined },
        planned: { change: 'reset', done: 'reset' },
        send: () => session.client.send('resetSelectedStats', { query }),
      },
      session,
    );
  }
  return await changeNamed(
    {
      selection,
      options,
      presentation: { ...presentation, doing: 'resetting the counters of' },
      asks,
      operation: resetOperation,
      request: { method: 'DELETE', path: '/stats' },
      planned: { change: 'reset', done: 'reset' },
    },
    session,
  );
}
