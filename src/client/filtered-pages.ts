import { UnavailableError } from '../base/errors.ts';
import { quoted } from '../base/quoted.ts';
import { editions } from '../contract/editions.ts';
import { type LinkKey, recordDomain } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import type { Client } from './client.ts';
import type { Extent, PagingOptions } from './page-cursor.ts';
import type { ListSelection } from './pages.ts';
import { joinedPages } from './whole-listing.ts';

/** What is asked of every link of a listing (F2). */
interface RecordFilter {
  matches(record: UrlRecord): boolean;
}

/** The links of one page that match, and how far the listing was read. */
export interface FilteredPage {
  readonly rows: readonly UrlRecord[];
  /** Links read so far, on this page and before it; those that the server skipped are none of them. */
  readonly read: number;
  /** Those of them that match. */
  readonly matched: number;
  /** The server's count of the links before the filter. */
  readonly total: number | undefined;
  /** What identifies a link of this page (F5). */
  linkOf(record: UrlRecord): LinkKey;
}

/**
 * Pages of several listings as if they were one, without the links that do not match (F2). `limit` and `offset` count those that do, and
 * reading stops at the last that is wanted (F3). A page without any comes too, so that a reader can say how far it is.
 */
export async function* filteredPages(
  client: Client,
  selections: readonly ListSelection[],
  filter: RecordFilter | undefined,
  { limit, offset = 0, pageSize, ...options }: Omit<Extent, 'all'> & PagingOptions = {},
): AsyncGenerator<FilteredPage> {
  // Without a filter the server counts.
  const extent = filter ? { all: true, pageSize } : { limit, offset, all: limit === undefined, pageSize };
  const cut = filter && new FilteredRows(filter, offset, limit);
  let read = 0;
  for await (const { rows, total, selection } of joinedPages(client, selections, extent, options)) {
    const taken = cut?.take(rows) ?? { rows, read: rows.length };
    read += taken.read;
    yield { rows: taken.rows, read, matched: cut?.matched ?? read, total, linkOf: linksOf(selection, client) };
    if (cut?.isEnough) return;
  }
}

/** Takes the rows that match, from one on and up to another. */
class FilteredRows {
  readonly #filter: RecordFilter;
  readonly #offset: number;
  readonly #last: number;
  matched = 0;

  constructor(filter: RecordFilter, offset: number, limit = Number.POSITIVE_INFINITY) {
    this.#filter = filter;
    this.#offset = offset;
    this.#last = offset + limit;
  }

  get isEnough(): boolean {
    return this.matched >= this.#last;
  }

  /** `read` counts the rows up to the last that is wanted. */
  take(rows: readonly UrlRecord[]): { rows: readonly UrlRecord[]; read: number } {
    const found: UrlRecord[] = [];
    let read = 0;
    for (const record of rows) {
      read += 1;
      if (!this.#filter.matches(record)) continue;
      this.matched += 1;
      if (this.matched > this.#offset) found.push(record);
      if (this.isEnough) break;
    }
    return { rows: found, read };
  }
}

/**
 * A listing of one domain is of that domain; the links of a tag expression say theirs, as they can be on any (4.1.7). Throws where one
 * does not: its hash may be that of another link on the default domain.
 */
function linksOf({ tags, domain }: ListSelection, { edition }: Client): FilteredPage['linkOf'] {
  if (!editions[edition].severalDomains) return ({ hash }) => ({ hash });
  if (tags === undefined) return ({ hash }) => ({ hash, domain });
  return (record) => {
    const own = recordDomain(record);
    if (own === undefined) throw new UnavailableError(`the server lists ${quoted(record.hash)} without its domain`);
    return { hash: record.hash, domain: own };
  };
}
