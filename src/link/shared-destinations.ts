import { DuplicateCandidateSearch, type DuplicateCandidates } from '../base/duplicate-candidates.ts';
import type { UrlRecord } from '../contract/records.ts';
import { canonicalUrl } from './value.ts';

interface SharedDestinations {
  readonly links: number;
  readonly destinations: number;
  /** Grouped by destination, in the order of the listing. */
  pages(): AsyncGenerator<readonly UrlRecord[]>;
}

/** A link whose destination the server does not show shares it with none. */
type ShownLink = UrlRecord & { readonly long_url: string };

/** Maximum number of links in memory, some tens of megabytes; more links need a further reading. */
const defaultMaxHeld = 50_000;

/**
 * Reads the listing twice: first for fingerprints of all destinations, then for the links whose fingerprint is repeated. If these do not
 * fit in memory, the listing is read again for each part that does.
 */
export async function sharedDestinations(
  readAll: () => AsyncIterable<readonly UrlRecord[]>,
  maxHeld = defaultMaxHeld,
): Promise<SharedDestinations> {
  const read = () => shownLinks(readAll());
  const search = new DuplicateCandidateSearch();
  for await (const rows of read()) for (const { long_url } of rows) search.add(canonicalUrl(long_url));
  const candidates = search.candidates();
  let links = 0;
  for (let index = 0; index < candidates.count; index += 1) links += candidates.occurrences(index);
  async function* pages(): AsyncGenerator<readonly UrlRecord[]> {
    for (const part of partsOf(candidates, maxHeld)) {
      const isIn = (url: string): boolean => {
        const index = candidates.indexOf(url);
        return index >= part.from && index < part.to;
      };
      yield* part.links > maxHeld ? linksOfOne(read(), isIn) : groupedLinks(read(), isIn);
    }
  }
  return { links, destinations: candidates.count, pages };
}

async function* shownLinks(listing: AsyncIterable<readonly UrlRecord[]>): AsyncGenerator<readonly ShownLink[]> {
  for await (const rows of listing) yield rows.filter((record): record is ShownLink => record.long_url !== undefined);
}

/** A range of candidates. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly links: number;
}

/** Each part fits in memory; a destination with too many links is a part of its own. */
function* partsOf({ count, occurrences }: DuplicateCandidates, maxHeld: number): Generator<Part> {
  let from = 0;
  let links = 0;
  for (let index = 0; index < count; index += 1) {
    const more = occurrences(index);
    if (links > 0 && links + more > maxHeld) {
      yield { from, to: index, links };
      from = index;
      links = 0;
    }
    links += more;
  }
  if (links > 0) yield { from, to: count, links };
}

/** Compares full URLs, because fingerprints can collide and links can disappear meanwhile. */
async function* groupedLinks(
  listing: AsyncIterable<readonly ShownLink[]>,
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

/** Links of a single destination need no grouping, so they are not held in memory. */
async function* linksOfOne(
  listing: AsyncIterable<readonly ShownLink[]>,
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
