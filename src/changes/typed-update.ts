import { writeFileSync } from 'node:fs';
import { checksum } from '../base/checksum.ts';
import type { Mode } from '../bulk/operations/modes.ts';
import { updatingOperation } from '../bulk/operations/update.ts';
import type { Session } from '../cli/session.ts';
import { fieldNames } from '../contract/fields.ts';
import type { ShortenItem } from '../contract/operations.ts';
import type { BulkOptions } from '../flags/bulk-flags.ts';
import { sameUrl } from '../link/value.ts';
import type { RowsReport } from '../output/report.ts';
import { inlineReport } from './inline-report.ts';
import type { RunPresentation } from './run-report.ts';
import { sendingOf } from './sending-flags.ts';
import { shownBefore } from './shown-result.ts';
import { collectRun } from './typed-run.ts';

/** A link to be made, or to be edited where its hash leads elsewhere. */
interface TypedUpdate {
  /** One: only one can have the hash that was typed. */
  readonly items: readonly ShortenItem[];
  readonly mode: Mode;
  readonly options: BulkOptions;
  readonly presentation: Omit<RunPresentation, 'doing'>;
}

/**
 * Makes or edits one link (I6), as a run: its hash is read in any case, and only a run can be undone (U1). Nothing is asked, as of a link that
 * `edit` names.
 */
export async function makeOrEdit({ items, mode, options, presentation }: TypedUpdate, session: Session): Promise<RowsReport> {
  const { edition, note } = session;
  const json = JSON.stringify(items);
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
      input: {
        name: what,
        sha256: checksum(json),
        rows: items.length,
        open: () => [items.map((item, nth) => ({ line: nth + 1, item }))],
        copyTo: async (path) => writeFileSync(path, json, { flag: 'wx', mode: 0o600, flush: true }),
      },
      payload: (item: ShortenItem) => item,
      options: { onConflict: 'update' },
      columns: fieldNames('shorten', edition),
    },
    session,
  );
  const [only] = done.outcomes;
  const isMoved = only !== undefined && !sameUrl(only.before?.long_url ?? '', only.payload.long_url);
  if (only?.status === 'changed') await note(isMoved ? `changed: it led to ${only.before?.long_url}` : 'changed');
  return await inlineReport(done, { presentation, printed: () => shownBefore(done.run, session) }, session);
}
