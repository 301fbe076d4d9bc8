import { EmptyError } from '../../base/errors.ts';
import type { Session } from '../../cli/session.ts';
import type { FilteredPage } from '../../client/filtered-pages.ts';
import { type CutListing, cutListing } from '../../client/whole-listing.ts';
import { type Edition, editions } from '../../contract/editions.ts';
import { fieldNames } from '../../contract/fields.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { sharedDestinations } from '../../link/shared-destinations.ts';
import { grouped, quantity } from '../../output/quantity.ts';
import type { Row, RowsReport } from '../../output/report.ts';
import { urlColumns, urlCsvFields, urlPipedFields, urlTableFields } from '../../output/url-columns.ts';
import { emptyText, matchNote, matchVerb } from '../../select/named-rows.ts';
import type { ListedLinks } from '../../select/selected-links.ts';

export interface ListExtent {
  readonly limit: number | undefined;
  /** The limit was typed, so the user does not expect the whole account, and no call is made to check for other domains. */
  readonly isLimited: boolean;
  readonly offset: number;
  readonly pageSize: number | undefined;
  /** An empty listing is a failure. */
  readonly failEmpty?: boolean | undefined;
}

/** Filters are applied here, so that limit and offset count only links that match. */
export function listPages(links: ListedLinks, extent: ListExtent, session: Session): RowsReport {
  const { streams, global, client } = session;
  const { limit, offset } = extent;
  const isFiltered = links.filter !== undefined;
  let [read, matched, shown] = [0, 0, 0];
  let total: number | undefined;
  let counted: number | undefined;
  const notes: string[] = [];
  async function* rows(): AsyncGenerator<readonly Row[]> {
    for await (const next of links.records(extent)) {
      ({ read, matched, total } = next);
      shown += next.rows.length;
      yield next.rows;
      streams.progress.step(() => (isFiltered ? readingText(next) : `${shown}/${total ?? '?'} links`));
    }
    counted = total;
    // Nobody reads the notes for which further calls are made.
    if (streams.stdout.failure()) return;
    if (global.quiet && !isFiltered && shown === limit) return;
    const seen = { offset: isFiltered ? 0 : offset, shown: read, total };
    const cut = shown === limit ? await cutListing(client, links.listings, seen) : undefined;
    if (isFiltered) counted = cut ? undefined : matched;
    else if (cut) counted = cut.total;
    // Only the server knows how many links were skipped.
    else if (offset === 0) counted ??= shown;
    const matching = `Showing ${quantity(shown, 'link')} that ${matchVerb(shown)}, of the first ${grouped(read)} read.`;
    if (cut) notes.push(`${isFiltered ? matching : cutSentence(shown, cut)}${howToSeeMore(extent)}`);
    else if (isFiltered) notes.push(matchNote(matched, read));
    if (global.quiet) return;
    notes.push(...orderNotes(links), ...(extent.isLimited ? [] : await links.coverage()));
  }
  const page = () => ({ results_count: shown, total_count: counted, offset });
  return {
    ...urlRows(rows(), links.severalDomains, session),
    empty: emptyText(isFiltered),
    members: () => ({ page: page() }),
    notes: () => notes,
    outcome: () => emptiness(shown, extent),
  };
}

/** Listings of several domains follow one another. */
function orderNotes({ listings: [first, ...others] }: ListedLinks): string[] {
  if (others.length === 0 || first?.order_by === undefined) return [];
  const advice = first.order_by === 'clicks' ? ' To order the links of all domains by clicks, use stats --all-domains.' : '';
  return [`Each domain is ordered separately.${advice}`];
}

function cutSentence(shown: number, { total, isCertain }: CutListing): string {
  if (total !== undefined) return `Showing ${grouped(shown)} of ${quantity(total, 'link')}.`;
  return `Showing ${quantity(shown, 'link')}; there ${isCertain ? 'are' : 'may be'} more.`;
}

/** Whoever gave a limit knows the flag. */
function howToSeeMore({ isLimited }: Pick<ListExtent, 'isLimited'>): string {
  return isLimited ? '' : ' Use --all or --limit N.';
}

/** Groups links that share a destination. Reads the listing at least twice. */
export function listDuplicates(selected: ListedLinks, extent: ListExtent, session: Session): RowsReport {
  const { limit = Number.POSITIVE_INFINITY, isLimited, pageSize } = extent;
  const { streams, global } = session;
  let last: FilteredPage | undefined;
  let links = 0;
  let shown = 0;
  const notes: string[] = [];
  async function* listing(): AsyncGenerator<readonly UrlRecord[]> {
    for await (const page of selected.records({ pageSize })) {
      last = page;
      streams.progress.step(() => readingText(page));
      yield page.rows;
    }
  }
  async function* rows(): AsyncGenerator<readonly Row[]> {
    const shared = await sharedDestinations(listing);
    ({ links } = shared);
    for await (const page of shared.pages()) {
      const wanted = page.slice(0, limit - shown);
      shown += wanted.length;
      yield wanted;
      if (shown === limit) break;
    }
    const found = `${quantity(links, 'link')} that share ${quantity(shared.destinations, 'destination')}`;
    const matched = last?.matched ?? 0;
    const all = `${quantity(matched, 'link')}${selected.filter ? ` that ${matchVerb(matched)}` : ''}`;
    if (links === 0) notes.push(`no links share a destination, of ${all}`);
    else if (shown < links) notes.push(`Showing ${grouped(shown)} of ${found}.${howToSeeMore({ isLimited })}`);
    else notes.push(`${found}, of ${all}`);
    if (!isLimited && !global.quiet) notes.push(...(await selected.coverage()));
  }
  return {
    ...urlRows(rows(), selected.severalDomains, session),
    members: () => ({ page: { results_count: shown, total_count: links, offset: 0 } }),
    notes: () => notes,
    outcome: () => emptiness(shown, extent),
  };
}

export function emptiness(shown: number, { failEmpty }: Pick<ListExtent, 'failEmpty'>): EmptyError | undefined {
  return failEmpty && shown === 0 ? new EmptyError('no URLs match') : undefined;
}

function readingText({ read, total, matched }: FilteredPage): string {
  return `${grouped(read)}/${total === undefined ? '?' : grouped(total)} links read, ${grouped(matched)} match`;
}

export function urlRows(rows: RowsReport['rows'], severalDomains: boolean, { edition, output }: Session): RowsReport {
  output.fields = output.fields?.flatMap((name) => (name === 'writable' ? writableFields(edition) : [name]));
  return {
    kind: 'rows',
    key: 'urls',
    rows,
    columns: urlColumns,
    tableFields: urlTableFields(edition, severalDomains),
    pipedFields: urlPipedFields(severalDomains),
    csvFields: urlCsvFields(edition, severalDomains),
  };
}

/** Returns the fields that a file of links can set, after the one that identifies a link without ambiguity. */
function writableFields(edition: Edition): string[] {
  const name = editions[edition].severalDomains ? 'short_url' : 'hash';
  return [name, ...fieldNames('edit', edition).filter((field) => field !== 'custom_hash')];
}
