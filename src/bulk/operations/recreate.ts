import type { Edition } from '../../contract/editions.ts';
import type { LinkKey } from '../../contract/link.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import { byDomain } from '../sending/batches.ts';
import { chooseMode, type Mode } from './modes.ts';
import type { ChangeSettings } from './named-links.ts';
import type { BulkOperation } from './operation.ts';
import { shortenOperation } from './shortening.ts';

/** A link that was deleted, or is on another account: the hash that it has there, and all that it is made with. */
export type RecreatedRow = ShortenItem & LinkKey;

/** Every row has a hash of its own. */
function keyedMode(edition: Edition): Mode {
  return chooseMode({ edition, rows: 1, keyedRows: 1, dedupe: 'off', generateHashes: false });
}

/**
 * POST /urls with the hashes of links that were deleted or are copied, each on its own domain. The hash is the key: sent twice, it makes one link
 * (4.3.4), and 1215 says that somebody else has taken it.
 */
export function recreateOperation(settings: ChangeSettings & { readonly edition: Edition }): BulkOperation<RecreatedRow> {
  const mode = keyedMode(settings.edition);
  const on = (domain = settings.domain) => shortenOperation({ client: settings.client, mode, domain });
  const { statusOf, notApplied, hashOf, doubt, kind } = on();
  return {
    kind,
    doubt,
    ...byDomain,
    hashOf,
    statusOf,
    notApplied: (row, record) => notApplied?.(itemOf(row), record) ?? [],
    request: (rows) => on(rows[0]?.domain).request(rows.map(itemOf)),
    call: async (rows, signal, _json, watch) => await on(rows[0]?.domain).call(rows.map(itemOf), signal, undefined, watch),
    inspect: async (rows, signal) =>
      (await on(rows[0]?.payload.domain).inspect?.(
        rows.map((row) => ({ ...row, payload: itemOf(row.payload) })),
        signal,
      )) ?? [],
  };
}

function itemOf({ hash: _, domain: __, ...item }: RecreatedRow): ShortenItem {
  return item;
}
