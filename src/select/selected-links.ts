import type { FilteredPage } from '../client/filtered-pages.ts';
import type { Extent } from '../client/page-cursor.ts';
import type { ListSelection } from '../client/pages.ts';
import type { LinkKey, SoughtLink } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import type { LinkFilter } from '../link/rules/filter.ts';

/**
 * The reason for reading links. `show` warns if a listing is incomplete; the others throw. `record` covers the whole account if there is
 * no selection. `compare` also requires that the domain of each link is certain, and `change` that no run left the link alone.
 */
export type Purpose = 'show' | 'record' | 'compare' | 'change';

/** The domain of each link must be certain. */
export function isExact(purpose: Purpose): boolean {
  return purpose === 'compare' || purpose === 'change';
}

/** A link of a selection. Only a named link can be missing. */
export interface SelectedLink {
  readonly target: SoughtLink;
  readonly record: UrlRecord | undefined;
  /** The first line of its row, if a file names it. */
  readonly line?: number | undefined;
}

export interface SelectedPage<Link extends SelectedLink = SelectedLink> {
  readonly links: readonly Link[];
  /** Number of links read so far, including those that the filter left out. */
  readonly read: number;
}

/** The filter of the command line, if there is one. */
export interface Narrowing {
  /** Everything as typed that determines the links. The same command resumes its run by it. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly filter: LinkFilter | undefined;
  /** Returns the filter with days relative to `now`. A resumed run uses the time at which it began. */
  filterAt?(now: number): LinkFilter;
}

/** The links of a command, selected in any way. */
export interface SelectedLinks<Link extends SelectedLink = SelectedLink> extends Narrowing {
  /** The file that names them, if it can be read again. */
  readonly file?: { readonly name: string; readonly sha256: string } | undefined;
  /** The links may be on several domains, so that a hash alone is ambiguous. */
  readonly severalDomains: boolean;
  pages(): AsyncIterable<SelectedPage<Link>>;
}

/** Links that operands or a file name, including missing ones. */
export interface NamedLinks extends SelectedLinks {
  readonly kind: 'named';
  readonly count: number;
  open(): Iterable<LinkKey> | AsyncIterable<LinkKey>;
}

/** Links that the server lists. */
export interface ListedLinks extends SelectedLinks {
  readonly kind: 'listed';
  /** Read one after the other. */
  readonly listings: readonly ListSelection[];
  records(extent?: Omit<Extent, 'all'>): AsyncGenerator<FilteredPage>;
  /** Returns a sentence about the account's domains that are left out; empty if there are none. */
  coverage(advice?: string): Promise<string[]>;
  /** True once a listing was found to be incomplete, which only `show` survives. */
  hasGaps(): boolean;
}
