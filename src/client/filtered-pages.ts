import { UnavailableError } from '../base/errors.ts';
import { quoted } from '../base/quoted.ts';
import { editions } from '../contract/editions.ts';
import { type LinkKey, recordDomain } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import type { Client } from './client.ts';
import type { Extent, PagingOptions } from './page-cursor.ts';
import { type ListSelection, urlPages } from './pages.ts';

interface RecordFilter {
  matches(record: UrlRecord): boolean;
}

export interface FilteredPage {
  readonly rows: readonly UrlRecord[];
  /** Links read so far; those that the server skipped are not counted. */
  readonly read: number;
  /** Links that match so far. */
  readonly matched: number;
  /** The server's total before filtering, known when each listing has reported its own. */
  readonly total: number | undefined;
  /** Includes the domain, because several domains can share a hash. */
  linkOf(record: UrlRecord): LinkKey;
}

/**
 * Reads several listings as one and keeps the links that match; `limit` and `offset` count only those, over all listings together. Yields
 * pages without matches too, so that callers can show progress.
 */
export async function* filteredPages(
  client: Client,
  selections: readonly ListSelection[],
  filter: RecordFilter | undefined,
  { limit, offset = 0, pageSize, ...options }: Omit<Extent, 'all'> & PagingOptions = {},
): AsyncGenerator<FilteredPage> {
  // Without a filter the server applies limit and offset.
  const cut = filter && new MatchingRows(filter, offset, limit);
  let wanted = filter ? undefined : limit;
  let read = 0;
  let before: number | undefined = 0;
  for (const [index, selection] of selections.entries()) {
    const extent = { limit: wanted, all: wanted === undefined, offset: filter ? 0 : offset, pageSize };
    const linkOf = linksOf(selection, client);
    let sum: number | undefined;
    for await (const { rows, total } of urlPages(client, selection, extent, options)) {
      sum = before === undefined || total === undefined ? undefined : before + total;
      if (wanted !== undefined) wanted -= rows.length;
      const taken = cut?.take(rows) ?? { rows, read: rows.length };
      read += taken.read;
      const isLast = index === selections.length - 1;
      yield { rows: taken.rows, read, matched: cut?.matched ?? read, total: isLast ? sum : undefined, linkOf };
      if (cut?.isEnough) return;
    }
    before = sum;
    if (wanted === 0) return;
  }
}

class MatchingRows {
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

  /** `read` counts the rows up to the last one needed. */
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
 * Links of a tag expression can be on any domain (4.1.7). Throws if a record does not name its domain, because the hash could belong to
 * another link on the default domain.
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
