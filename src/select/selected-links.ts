import type { FilteredPage } from '../client/filtered-pages.ts';
import type { Extent } from '../client/page-cursor.ts';
import type { ListSelection } from '../client/pages.ts';
import type { LinkKey } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import type { LinkFilter } from '../link/rules/filter.ts';

/**
 * Why links are read. To be shown, an incomplete listing is good enough, with a warning. A reading of the counters must be whole, and covers
 * the whole account without a selection. For a change, it must also be certain on which domain each link is.
 */
export type Purpose = 'show' | 'record' | 'change';

/** A link of a selection; only one that was named may not exist. */
export interface SelectedLink {
  readonly target: LinkKey;
  readonly record: UrlRecord | undefined;
}

export interface SelectedPage<Link extends SelectedLink = SelectedLink> {
  readonly links: readonly Link[];
  /** Links read so far, those that the filter left out included. */
  readonly read: number;
}

/** By the filter of the line, where there is one. */
export interface Narrowing {
  /** All that decides which the links are, as it was typed: the same command resumes its run by it. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly filter: LinkFilter | undefined;
  /** The same with days that are counted from `now`: a resumed run means those of its beginning. */
  filterAt?(now: number): LinkFilter;
}

/** The links that a command is about, in whatever way they were selected. */
export interface SelectedLinks<Link extends SelectedLink = SelectedLink> extends Narrowing {
  /** The file that names them, if it can be read again. */
  readonly file?: { readonly name: string; readonly sha256: string } | undefined;
  /** They are on several domains, or may be: a hash alone does not name them. */
  readonly severalDomains: boolean;
  pages(): AsyncIterable<SelectedPage<Link>>;
}

/** Links that were named, by operands or by a file; those that do not exist are among them. */
export interface NamedLinks extends SelectedLinks {
  readonly kind: 'named';
  readonly count: number;
  open(): Iterable<LinkKey> | AsyncIterable<LinkKey>;
  /** Each of them, before the filter. */
  links(): AsyncIterable<SelectedLink>;
}

/** Links that the server lists. */
export interface ListedLinks extends SelectedLinks {
  readonly kind: 'listed';
  /** They are read one after the other. */
  readonly listings: readonly ListSelection[];
  records(extent?: Omit<Extent, 'all'>): AsyncGenerator<FilteredPage>;
  /** The domains of the account that they leave out, in a sentence; empty if there are none. */
  coverage(): Promise<string[]>;
}
