import type { Context } from '../action.ts';
import { resetOperation } from '../bulk/removal.ts';
import type { UrlRecord } from '../contract/records.ts';
import type { BulkOptions } from '../flags/bulk-flags.ts';
import { requireSelection, type SelectionOptions } from '../flags/selection-flags.ts';
import type { Report } from '../output/report.ts';
import { hashChangeLook } from '../output/url-columns.ts';
import type { Session } from '../session.ts';
import { changeNamed } from './named-change.ts';
import { changeByTags } from './tag-change.ts';

export interface ResetOptions extends SelectionOptions, BulkOptions {
  readonly ignoreMissing?: boolean;
}

/** DELETE /stats/[hash], /stats?hashes= or /stats?tags=: always asked for, and the counters are told before they are lost. */
export async function resetStats(options: ResetOptions, context: Context, operands: string[]): Promise<Report> {
  const selection = requireSelection(operands, options, 'stats --reset');
  const session = await context.session();
  const announce = (first: readonly UrlRecord[]): Promise<void> => tellCounters(first, session, context);
  const asks = 'Reset the counters of';
  if (selection.kind === 'tags') {
    const query = { tags: selection.expression };
    const request = { method: 'DELETE', path: '/stats', query, body: undefined };
    const send = (): Promise<unknown> => session.client.send('resetSelectedStats', { query });
    return await changeByTags(
      { ...selection, verb: asks, done: 'Reset the counters of', request, announce, send },
      session,
      context,
    );
  }
  return await changeNamed(
    {
      selection,
      options,
      look: { ...hashChangeLook('reset', 'Reset'), doing: 'resetting the counters of' },
      asks,
      announce,
      settings: {},
      operation: resetOperation,
      planned: (hashes, domain) => ({
        method: 'DELETE',
        path: hashes.length === 1 ? `/stats/${hashes[0]}` : '/stats',
        query: hashes.length === 1 ? { domain } : { hashes: hashes.join(','), domain },
        body: undefined,
      }),
    },
    session,
    context,
  );
}

async function tellCounters(first: readonly UrlRecord[], session: Session, context: Context): Promise<void> {
  for (const record of first) {
    await context.note(
      `${session.shortUrl(record)}: ${record.total_clicks} clicks, ${record.unique_clicks} unique, about to be erased`,
    );
  }
}
