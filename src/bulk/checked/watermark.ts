import { foldedHash } from '../../contract/link.ts';
import type { Watermark } from '../journal/lines.ts';
import type { KnownRecord } from '../matching/verdict.ts';
import { type ListingSettings, type Scan, scanFront } from './newest-links.ts';

/** Links that are listed after this many known hashes are old (R 1.6). */
const enoughKnown = 50;

/** The newest hashes of the listing before a batch, and its count. */
export async function takeWatermark(listing: ListingSettings, signal?: AbortSignal): Promise<Watermark> {
  const { records, total } = await scanFront(listing, signal);
  return { known: [...records.keys()], total };
}

/** Whether what is listed next is older than the watermark, after each page of a scan. */
export function beyond({ known }: Watermark): (scan: Scan) => boolean {
  const needed = Math.min(enoughKnown, known.length);
  let before = 0;
  return ({ records }) => {
    const seen = known.filter((hash) => records.has(hash)).length;
    // Known hashes are listed together: where a page brings no more of them, the others were deleted.
    const isPast = needed > 0 && (seen >= needed || (seen > 0 && seen === before));
    before = seen;
    return isPast;
  };
}

/** Whether as much was read as the server counts: only the next page shows that there is no more. */
export function mayBeWhole({ records, total }: Scan): boolean {
  return total === records.size;
}

/** The records that are listed before the 50th known one, or before the last known one, where fewer are left. */
export function newerThan({ known }: Watermark, { records }: Pick<Scan, 'records'>): KnownRecord[] {
  const old = new Set(known);
  const listed = [...records.values()];
  const positions = listed.flatMap(({ hash }, position) => (old.has(hash) ? [position] : []));
  const fence = positions[enoughKnown - 1] ?? positions.at(-1) ?? listed.length;
  return listed.slice(0, fence).filter(({ hash }) => !old.has(hash));
}

/** The position of the first of these hashes in a listing, in any case; -1 where it has none. */
export function positionIn(listed: Iterable<string>, hashes: readonly string[]): number {
  const wanted = new Set(hashes.map(foldedHash));
  return [...listed].findIndex((hash) => wanted.has(foldedHash(hash)));
}
