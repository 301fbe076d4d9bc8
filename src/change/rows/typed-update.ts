import type { Mode } from '../../bulk/operations/modes.ts';
import { updatingOperation } from '../../bulk/operations/update.ts';
import type { Session } from '../../cli/session.ts';
import { fieldNames } from '../../contract/fields.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import type { BulkOptions } from '../../flags/bulk-flags.ts';
import { sameUrl } from '../../link/value.ts';
import type { RowsReport } from '../../output/report.ts';
import { inlineReport } from '../inline-report.ts';
import type { RunPresentation } from '../report.ts';
import { sendingOf } from '../sending.ts';
import { shownBefore } from '../shown-result.ts';
import { collectRun } from '../typed-run.ts';
import { typedInput } from './operands.ts';

/** A link to be made, or to be edited where its hash leads elsewhere. */
interface TypedUpdate {
  /** One: only one can have the hash that was typed. */
  readonly items: readonly ShortenItem[];
  readonly mode: Mode;
  readonly options: BulkOptions;
  readonly presentation: Omit<RunPresentation, 'doing'>;
}

/**
 * Makes or edits one link, as a run: its hash is read in any case, and only a run can be undone. As with a link that `edit` names, nothing
 * is asked.
 */
export async function makeOrEdit({ items, mode, options, presentation }: TypedUpdate, session: Session): Promise<RowsReport> {
  const { edition, note } = session;
  const what = items.map(({ long_url, custom_hash }) => `shorten ${long_url} --hash ${custom_hash}`).join();
  const done = await collectRun<ShortenItem>(
    {
      ...sendingOf(options, session),
      // The link may have been edited since.
      again: true,
      operation: (settings) => updatingOperation({ ...settings, edition }),
      mode,
      undo: true,
      what,
      input: typedInput(items, what),
      payload: (item: ShortenItem) => item,
      options: { onConflict: 'update' },
      columns: fieldNames('shorten', edition),
    },
    session,
  );
  const [only] = done.outcomes;
  const isMoved = only !== undefined && !sameUrl(only.before?.long_url ?? '', only.payload.long_url);
  if (only?.status === 'changed') await note(isMoved ? `changed: the destination was ${only.before?.long_url}` : 'changed');
  return await inlineReport(done, { presentation, printed: () => shownBefore(done.run, session) }, session);
}
