import { UsageError } from '../base/errors.ts';
import { type Edition, editions } from '../contract/editions.ts';
import type { LinkKey } from '../contract/link.ts';

/** Who sends: the edition of the server, and what the profile says. */
export interface Sender {
  readonly edition: Edition;
  readonly defaults: { readonly batch_size?: number | null | undefined };
}

/**
 * Items in one call: by the flag, else by the profile, else the edition's bound, which a profile that was made for another edition
 * may exceed (D15). Deployments differ (FIELD-NOTES 21). Throws a UsageError for a flag that exceeds it.
 */
export function batchSizeOf({ edition, defaults }: Sender, flag?: number): number {
  const { groupBound, title } = editions[edition];
  if (flag !== undefined && flag > groupBound) {
    throw new UsageError(`--batch-size: ${title} accepts at most ${groupBound} items per request`);
  }
  return flag ?? Math.min(defaults.batch_size ?? groupBound, groupBound);
}

/** Bytes that a list of hashes may take in an address: what is around it has the rest of the 6,000 (B85, R-14). */
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
