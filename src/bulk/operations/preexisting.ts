import { foldedHash } from '../../contract/link.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import { hasUnasked } from '../../link/same.ts';
import type { Done } from '../matching/row-verdict.ts';
import type { OperationSettings, RunRow } from '../run-plan.ts';
import type { BulkOperation } from './operation.ts';

/**
 * Signs that a record is older than the request: it has been clicked, or it holds what the row did not ask for. Without a sign
 * nothing shows it, and the row counts as created.
 */
export function looksPreexisting(item: ShortenItem, { record, shared }: Done): boolean {
  if (shared) return true;
  if (!record) return false;
  return hasUnasked(item, record) || Number(record.total_clicks) > 0 || Boolean(record.last_visit);
}

/** A link that had the hash of its row before is no new one. */
export function afterReading(
  operation: BulkOperation<ShortenItem>,
  before: readonly RunRow['before'][],
  { domain }: Pick<OperationSettings, 'domain'>,
): BulkOperation<ShortenItem> {
  const hasHash = ({ custom_hash = '' }: ShortenItem, { record }: Done): boolean =>
    record !== undefined && foldedHash(record.hash) === foldedHash(custom_hash);
  return {
    ...operation,
    requestedFields: ({ custom_hash = '' }) => ({ hash: custom_hash, domain }),
    statusOf: (item, done) => (before[0] && hasHash(item, done) ? 'existing' : operation.statusOf(item, done)),
  };
}
