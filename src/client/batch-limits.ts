import { UsageError } from '../base/errors.ts';
import { type Edition, editions } from '../contract/editions.ts';
import type { LinkKey } from '../contract/link.ts';

interface Sender {
  readonly edition: Edition;
  readonly defaults: { readonly batch_size?: number | null | undefined };
}

/**
 * Prefers the flag, then the profile's `batch_size`, then the edition's limit. A profile value above the limit is reduced, because it may
 * have been set for another edition. Throws a UsageError for a flag above the limit.
 */
export function batchSizeOf({ edition, defaults }: Sender, flag?: number): number {
  const { groupBound, title } = editions[edition];
  if (flag !== undefined && flag > groupBound) {
    throw new UsageError(`--batch-size: ${title} accepts at most ${groupBound} items per request`);
  }
  return flag ?? Math.min(defaults.batch_size ?? groupBound, groupBound);
}

/** Bytes for the hashes in a URL of at most 6,000 bytes. */
const listBytes = 5800;

/** Returns at least 1, so that a single long hash is still sent. */
export function fittingHashes(urls: readonly LinkKey[]): number {
  let bytes = 0;
  for (const [position, { hash }] of urls.entries()) {
    // The comma after it becomes `%2C`.
    bytes += encodeURIComponent(hash).length + 3;
    if (bytes > listBytes) return Math.max(1, position);
  }
  return urls.length;
}
