import { checksum } from '../../base/checksum.ts';
import type { ConflictPolicy, Mode } from '../../bulk/operations/modes.ts';
import type { BulkOperation } from '../../bulk/operations/operation.ts';
import { afterReading } from '../../bulk/operations/preexisting.ts';
import { shortenOperation } from '../../bulk/operations/shorten.ts';
import type { OperationSettings, RunInput, RunRow } from '../../bulk/run-plan.ts';
import { collectRun, type TypedResult } from '../../change/typed-run.ts';
import type { Session } from '../../cli/session.ts';
import { batchSizeOf } from '../../client/batch-limits.ts';
import { isJson } from '../../contract/formats.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import { quantity } from '../../output/quantity.ts';

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
): Promise<TypedResult<ShortenItem>> {
  // Only JSON shows whether a link is new; for other formats the extra call is saved.
  const tellsNew = isJson(session.format());
  const isRead = mode.name === 'keyed' && mode.hasOwnHashes === true && onConflict !== 'rename';
  const readAt = isRead ? session.system.elapsed() : undefined;
  const before = isRead ? await existingLinks(items, session) : [];
  const operation = (settings: OperationSettings): BulkOperation<ShortenItem> => {
    const shortening = shortenOperation({ ...settings, mode, onConflict, tellsNew });
    return isRead ? afterReading(shortening, before, settings) : shortening;
  };
  const what = `shorten ${items.length === 1 ? titleOf(items[0]?.long_url ?? '') : quantity(items.length, 'URL')}`;
  const input: RunInput<ShortenItem> = {
    name: what,
    sha256: checksum(JSON.stringify(items)),
    rows: items.length,
    readAt,
    open: () => [items.map((item, nth) => ({ line: nth + 1, item, before: before[nth] }))],
  };
  const payload = (item: object) => item as ShortenItem;
  const batchSize = batchSizeOf(session);
  return await collectRun(
    { operation, mode, what, input, payload, options: {}, columns: [], batchSize, isOneOff: true },
    session,
  );
}

async function existingLinks(
  items: readonly ShortenItem[],
  { client, domain, deadline: { signal } }: Session,
): Promise<RunRow['before'][]> {
  const { urlsByHash } = await import('../../client/named-urls.ts');
  const hashes = items.map(({ custom_hash = '' }) => custom_hash);
  const found = await urlsByHash(hashes, { client, domain, batchSize: hashes.length, signal });
  return hashes.map((hash) => found.get(hash) ?? null);
}

/** Removes parts that may be secret: userinfo, query and fragment. */
function titleOf(longUrl: string): string {
  return longUrl.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//');
}
