import { DuplicateCandidateSearch, type DuplicateCandidates } from '../base/duplicate-candidates.ts';
import type { UrlRecord } from '../contract/records.ts';
import { canonicalUrl } from './value.ts';

/** Links of a listing that lead where another of its links leads. */
interface SharedDestinations {
  readonly links: number;
  readonly destinations: number;
  /** Destination after destination, in the order in which the listing has them. */
  pages(): AsyncGenerator<readonly UrlRecord[]>;
}

/** Some tens of megabytes; the links of more than that take a further reading. */
const usuallyHeld = 50_000;

/**
 * Finds them in two readings: prints of all destinations, then the links whose print is there twice (F3). Nearly always these few links are
 * held until they can be put together. Where there are too many of them, the listing is read again for each part that can be held.
 */
export async function sharedDestinations(
  read: () => AsyncIterable<readonly UrlRecord[]>,
  mostHeld = usuallyHeld,
): Promise<SharedDestinations> {
  const search = new DuplicateCandidateSearch();
  for await (const rows of read()) for (const { long_url } of rows) search.add(canonicalUrl(long_url));
  const candidates = search.candidates();
  let links = 0;
  for (let index = 0; index < candidates.count; index += 1) links += candidates.occurrences(index);
  async function* pages(): AsyncGenerator<readonly UrlRecord[]> {
    for (const part of partsOf(candidates, mostHeld)) {
      const isIn = (url: string): boolean => {
        const index = candidates.indexOf(url);
        return index >= part.from && index < part.to;
      };
      yield* part.links > mostHeld ? linksOfOne(read(), isIn) : groupedLinks(read(), isIn);
    }
  }
  return { links, destinations: candidates.count, pages };
}

/** Some neighbouring candidates. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly links: number;
}

/** As many destinations at a time as can be held; one that has more links than that is a part by itself. */
function* partsOf({ count, occurrences }: DuplicateCandidates, mostHeld: number): Generator<Part> {
  let from = 0;
  let links = 0;
  for (let index = 0; index < count; index += 1) {
    const more = occurrences(index);
    if (links > 0 && links + more > mostHeld) {
      yield { from, to: index, links };
      from = index;
      links = 0;
    }
    links += more;
  }
  if (links > 0) yield { from, to: count, links };
}

/** What two links share is compared in full: prints can be equal by chance, and a link can be gone by now. */
async function* groupedLinks(
  listing: AsyncIterable<readonly UrlRecord[]>,
  isIn: (url: string) => boolean,
): AsyncGenerator<readonly UrlRecord[]> {
  const groups = new Map<string, UrlRecord[]>();
  for await (const rows of listing) {
    for (const record of rows) {
      const url = canonicalUrl(record.long_url);
      if (!isIn(url)) continue;
      const group = groups.get(url);
      if (group) group.push(record);
      else groups.set(url, [record]);
    }
  }
  for (const group of groups.values()) if (group.length > 1) yield group;
}

/** The links of a single destination need not be held. */
async function* linksOfOne(
  listing: AsyncIterable<readonly UrlRecord[]>,
  isIn: (url: string) => boolean,
): AsyncGenerator<readonly UrlRecord[]> {
  let shared: string | undefined;
  for await (const rows of listing) {
    yield rows.filter(({ long_url }) => {
      const url = canonicalUrl(long_url);
      if (shared === undefined && isIn(url)) shared = url;
      return url === shared;
    });
  }
}
