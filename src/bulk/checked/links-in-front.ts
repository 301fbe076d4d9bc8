import { SeenKeys } from '../../base/seen-keys.ts';
import { foldedHash } from '../../contract/link.ts';
import type { Watermark } from '../journal/lines.ts';
import { readRecord } from '../matching/answer-items.ts';
import { enoughKnown, type ListingSettings } from './newest-links.ts';

const pageSize = 1000;
const attempts = 4;

/** Returns true for a link that is newer than a watermark, false for an older one, and undefined if the listing does not show which it is. */
export type NewnessTest = (hash: string) => boolean | undefined;

/**
 * A link is newer than a watermark if it is not in it and is listed before a link of it. A link that was deleted and recreated is listed
 * first, so the reading continues to the page of the 50th known link or to the end. All links behind that page are older. If the listing
 * shows no link of the watermark, no link is proven to be newer.
 */
export async function linksInFront(mark: Watermark, listing: ListingSettings): Promise<NewnessTest> {
  if (mark.known.length === 0) return () => mark.total === 0 || undefined;
  const known = new Set(mark.known.map(foldedHash));
  let front: Front | undefined;
  for (let attempt = 0; attempt < attempts && !front; attempt += 1) front = await readFront(known, listing);
  const others = front?.isPast ? false : undefined;
  return (hash) => (known.has(foldedHash(hash)) ? false : front?.newer.has(foldedHash(hash)) || others);
}

interface Front {
  readonly newer: SeenKeys;
  /** All links that were not read are older. */
  readonly isPast: boolean;
}

/** Each page begins with the last link of the previous one, so that none is missed. Undefined if links were deleted meanwhile. */
async function readFront(known: ReadonlySet<string>, { client, domain }: ListingSettings): Promise<Front | undefined> {
  const newer = new SeenKeys();
  const needed = Math.min(enoughKnown, known.size);
  let seen = 0;
  const unproven: string[] = [];
  let last: string | undefined;
  for (let offset = 0; ; ) {
    const { urls } = await client.send('listUrls', { query: { limit: pageSize, offset: offset || undefined, domain } });
    const hashes = urls.flatMap((url) => readRecord(url)?.hash ?? []).map(foldedHash);
    if (last !== undefined && hashes.length > 0 && hashes[0] !== last) return undefined;
    for (const hash of last === undefined ? hashes : hashes.slice(1)) {
      if (!known.has(hash)) {
        unproven.push(hash);
        continue;
      }
      for (const each of unproven.splice(0)) newer.add(each);
      seen += 1;
    }
    if (seen >= needed) return { newer, isPast: true };
    if (hashes.length === 0 || hashes.at(-1) === last) return { newer, isPast: false };
    last = hashes.at(-1);
    offset += urls.length - 1;
  }
}
