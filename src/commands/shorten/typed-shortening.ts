import { checksum } from '../../base/checksum.ts';
import type { ConflictPolicy, Mode } from '../../bulk/operations/modes.ts';
import type { BulkOperation } from '../../bulk/operations/operation.ts';
import { shortenOperation } from '../../bulk/operations/shortening.ts';
import type { OperationSettings, RunInput } from '../../bulk/run-plan.ts';
import { typedReport } from '../../change/typed-report.ts';
import type { Session } from '../../cli/session.ts';
import { batchSizeOf } from '../../client/batch-limits.ts';
import { isJson } from '../../contract/formats.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import { quantity } from '../../output/quantity.ts';
import type { RowsReport } from '../../output/report.ts';
import { shortenPresentation } from './shorten-options.ts';

interface TypedShortening {
  readonly mode: Mode;
  readonly onConflict: Exclude<ConflictPolicy, 'update'> | undefined;
}

/**
 * Reads the links that already have the typed hashes, so that `undo` does not delete links that this command did not create. A renamed link
 * gets its hash only later, so for those the newest links are read.
 */
export async function shortenTyped(
  items: readonly ShortenItem[],
  { mode, onConflict }: TypedShortening,
  session: Session,
): Promise<RowsReport> {
  // JSON shows whether a link is new, and at a terminal undo may need it; other scripts are spared the calls.
  const detectsNew = isJson(session.format()) || session.streams.terminal;
  const isRead = mode.name === 'keyed' && mode.hasOwnHashes === true && onConflict !== 'rename';
  const found = isRead ? await (await import('../../bulk/operations/typed-hash.ts')).readTypedHash(items, session) : undefined;
  const operation = (settings: OperationSettings): BulkOperation<ShortenItem> => {
    const shortening = shortenOperation({ ...settings, mode, onConflict, detectsNew });
    return found?.operation(shortening, settings) ?? shortening;
  };
  const what = titleOf(items);
  const input: RunInput<ShortenItem> = {
    name: what,
    sha256: checksum(JSON.stringify(items)),
    rows: items.length,
    readAt: found?.readAt,
    open: () => [items.map((item, nth) => ({ line: nth + 1, item, before: found?.before[nth] }))],
  };
  const payload = (item: object) => item as ShortenItem;
  const batchSize = batchSizeOf(session);
  return await typedReport(
    { operation, mode, what, input, payload, options: {}, columns: [], batchSize, isOneOff: true },
    shortenPresentation,
    session,
  );
}

/** The title of the run. Leaves out parts of the URL that may be secret: userinfo, query and fragment. */
export function titleOf([first, ...others]: readonly ShortenItem[]): string {
  const url = first?.long_url.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//');
  return `shorten ${others.length === 0 ? url : quantity(others.length + 1, 'URL')}`;
}
