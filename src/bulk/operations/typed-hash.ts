import type { System } from '../../base/system.ts';
import { urlsByHash } from '../../client/named-urls.ts';
import { foldedHash } from '../../contract/link.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import type { ListingSettings } from '../checked/newest-links.ts';
import type { Done } from '../matching/row-verdict.ts';
import type { OperationSettings } from '../run-plan.ts';
import type { BulkOperation } from './operation.ts';

export async function readTypedHash(
  items: readonly ShortenItem[],
  { client, system, domain }: ListingSettings & { readonly system: Pick<System, 'elapsed'> },
) {
  const readAt = system.elapsed();
  const hashes = items.map(({ custom_hash = '' }) => custom_hash);
  const found = await urlsByHash(hashes, { client, domain, batchSize: hashes.length });
  /** Undefined if the reading does not show it. */
  const isOlder = ({ custom_hash = '' }: ShortenItem, { record, shared }: Done): boolean | undefined =>
    !shared && record && foldedHash(record.hash) === foldedHash(custom_hash) ? found.has(custom_hash) : undefined;
  return {
    /** In the order of the rows; null for a free hash. */
    before: hashes.map((hash) => found.get(hash) ?? null),
    readAt,
    /** Reports links that already had their hashes as existing, and gives `undo` what was requested. */
    operation: (
      shortening: BulkOperation<ShortenItem>,
      { domain }: Pick<OperationSettings, 'domain'>,
    ): BulkOperation<ShortenItem> => ({
      ...shortening,
      requestedFields: ({ custom_hash = '', ...fields }) => ({ hash: custom_hash, domain, ...fields }),
      statusOf: (item, done) => {
        const older = isOlder(item, done);
        return older === undefined ? shortening.statusOf(item, done) : older ? 'existing' : 'created';
      },
    }),
  };
}
