import { SeenKeys } from '../../base/seen-keys.ts';
import { foldedHash } from '../../contract/link.ts';
import type { Watermark } from '../journal/lines.ts';
import { enoughKnown, type ListingSettings, newestPages } from './newest-links.ts';

/** Returns true for a link that is newer than a watermark, false for an older one, and undefined if the listing does not show which it is. */
export type NewnessTest = (hash: string) => boolean | undefined;

/**
 * A link is newer than a watermark if it is not in it and is listed before most links of it. Those that were deleted and recreated are listed
 * first, so the reading continues to the page of the 50th known link or to the end. All links behind that page are older. If the listing shows
 * no link of the watermark, no link is proven to be newer, and if it shows the oldest links first, none is either.
 */
export async function linksInFront(mark: Watermark, listing: ListingSettings): Promise<NewnessTest> {
  if (mark.known.length === 0) return () => mark.total === 0 || undefined;
  const known = new Set(mark.known.map(foldedHash));
  const front = await readFront(known, listing);
  const others = front?.isPast ? false : undefined;
  return (hash) => (known.has(foldedHash(hash)) ? false : front?.newer.has(foldedHash(hash)) || others);
}

interface Front {
  readonly newer: SeenKeys;
  /** All links that were not read are older. */
  readonly isPast: boolean;
}

/** Undefined if others changed so many links meanwhile that one may be missing. */
async function readFront(known: ReadonlySet<string>, listing: ListingSettings): Promise<Front | undefined> {
  const needed = Math.min(enoughKnown, known.size);
  const others: string[] = [];
  /** For each known link, the number of others before it. */
  const borders: number[] = [];
  for await (const page of newestPages(listing)) {
    if (page === 'gap') return undefined;
    for (const hash of page.fresh.map((record) => foldedHash(record.hash))) {
      if (known.has(hash)) borders.push(others.length);
      else others.push(hash);
    }
    if (borders.length >= needed) break;
  }
  const newer = new SeenKeys();
  const middle = Math.ceil(borders.length / 2) - 1;
  for (const hash of others.slice(0, borders[middle] ?? 0)) newer.add(hash);
  return { newer, isPast: borders.length >= needed };
}
