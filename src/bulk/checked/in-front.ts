import { SeenKeys } from '../../client/seen-keys.ts';
import { foldedHash } from '../../contract/link.ts';
import { readRecord } from '../matching/answer-items.ts';
import type { ListingSettings, Watermark } from './newest-links.ts';

/** Links of one page. */
const pageSize = 1000;
/** Readings of a listing that shifts while it is read. */
const attempts = 4;

/**
 * Which links are listed before all of a watermark, and so are newer than it: a page a call, the newest first. Where the listing shows nothing
 * of the watermark any more, nothing is proven.
 */
export async function linksInFront(mark: Watermark, listing: ListingSettings): Promise<(hash: string) => boolean> {
  if (mark.known.length === 0) return () => mark.total === 0;
  const known = new Set(mark.known.map(foldedHash));
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const newer = await readFront(known, listing);
    if (newer !== 'shifted') return (hash) => newer?.has(foldedHash(hash)) ?? false;
  }
  return () => false;
}

/** Each page begins with the last link of the one before it, so that none is missed where others were deleted meanwhile. */
async function readFront(
  known: ReadonlySet<string>,
  { client, domain }: ListingSettings,
): Promise<SeenKeys | undefined | 'shifted'> {
  const newer = new SeenKeys();
  let last: string | undefined;
  for (let offset = 0; ; ) {
    const { urls } = await client.send('listUrls', { query: { limit: pageSize, offset: offset || undefined, domain } });
    const hashes = urls.flatMap((url) => readRecord(url)?.hash ?? []).map(foldedHash);
    if (last !== undefined && hashes[0] !== last) return hashes.length === 0 ? undefined : 'shifted';
    for (const hash of hashes) {
      if (known.has(hash)) return newer;
      newer.add(hash);
    }
    if (hashes.length === 0 || hashes.at(-1) === last) return undefined;
    last = hashes.at(-1);
    offset += urls.length - 1;
  }
}
