import { UsageError } from '../base/errors.ts';
import { type Edition, editions } from '../contract/editions.ts';
import type { LinkKey } from '../contract/link.ts';

/** What decides the batch size: the edition of the server and the defaults of the profile. */
export interface Sender {
  readonly edition: Edition;
  readonly defaults: { readonly batch_size?: number | null | undefined };
}

/**
 * Items in one call: the flag, else the profile's `batch_size`, else the bound of the edition (D15). Deployments differ (FIELD-NOTES
 * 21). A profile made for another edition may exceed the bound: then the bound counts. Throws a UsageError for a flag that exceeds it.
 */
export function batchSizeOf({ edition, defaults }: Sender, flag?: number): number {
  const { groupBound, title } = editions[edition];
  if (flag !== undefined && flag > groupBound) {
    throw new UsageError(`--batch-size: ${title} accepts at most ${groupBound} items per request`);
  }
  return flag ?? Math.min(defaults.batch_size ?? groupBound, groupBound);
}

/** Bytes of a list of hashes in an address; the rest of the 6,000 is for the other parts of it (B85, R-14). */
const listBytes = 5800;

/** How many hashes, from the first, fit in one address; one always goes. */
export function fittingHashes(urls: readonly LinkKey[]): number {
  let bytes = 0;
  for (const [position, { hash }] of urls.entries()) {
    // With the comma after it, which becomes `%2C`.
    bytes += encodeURIComponent(hash).length + 3;
    if (bytes > listBytes) return Math.max(1, position);
  }
  return urls.length;
}
