import type { ShortenItem } from '../../contract/operations.ts';
import { hasUnasked } from '../../link/same.ts';
import type { Done } from './row-verdict.ts';

/**
 * Signs that a record is older than the request: it has been clicked, or it holds what the row did not ask for. Without a sign
 * nothing shows it, and the row counts as created.
 */
export function looksPreexisting(item: ShortenItem, { record, shared }: Done): boolean {
  if (shared) return true;
  if (!record) return false;
  return hasUnasked(item, record) || Number(record.total_clicks) > 0 || Boolean(record.last_visit);
}
