import type { Command } from 'commander';
import { EmptyError, UsageError } from '../base/errors.ts';
import type { Invocation } from '../cli/invocation.ts';
import { type Listing, listingOf, readFilter, refuseDomains } from '../cli/listing.ts';
import type { Runner } from '../cli/run.ts';
import { openSession, type Session } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { filteredPages } from '../client/filtered-pages.ts';
import { namedUrls } from '../client/named-urls.ts';
import { coverage, cutListing, joinedPages } from '../client/whole-listing.ts';
import { addSelectionFlags, readSelection, type SelectionOptions } from '../flags/selection-flags.ts';
import { count, suggested } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import { type NamedTargets, readTargets } from '../input/named-links.ts';
import type { LinkFilter } from '../links/filter.ts';
import { grouped, quantity } from '../output/quantity.ts';
import { namesOf, type Row, type RowsReport } from '../output/report.ts';
import { urlColumns, urlCsvFields, urlPipedFields, urlTableFields } from '../output/url-columns.ts';
import { addQrFlags, type QrOptions, qrPictures } from './qr-pictures.ts';
import { matchNote, namedRows } from './selected-links.ts';

interface ListOptions extends SelectionOptions, QrOptions {
  readonly limit?: number;
  readonly offset?: number;
  readonly pageSize?: number;
  readonly orderBy?: string;
  readonly failEmpty?: boolean;
}

export function registerList(command: Command, run: Runner): void {
  addSelectionFlags(command, 'list all rows, even on a terminal');
  command
    .option('-L, --limit <n>', 'maximum number of rows (default: 50 on a terminal, else all)', count(1))
    .option('--offset <n>', 'number of rows to skip', count(0))
    .option('--page-size <n>', 'rows per request', count(1))
    .option('--order-by <order>', 'created, clicks, hash, modified, or another order of the server', suggested(orders))
    .option('--fail-empty', 'exit 11 if nothing matches');
  addQrFlags(command);
  command.action(run(list));
  describe(command, {
    examples: [
      'linkctl list',
      'linkctl list -o csv > links.csv',
      'linkctl list --search nodejs.org --fields hash,long_url',
      "linkctl list --by-tags '(promo|sale)&~old' --order-by clicks --limit 10",
      'linkctl list abc https://s.ex/def',
      'linkctl list abc --qr',
      "linkctl list --by-tags 'poster' --all --qr-file codes",
    ],
    fields: namesOf(urlColumns),
    notes: [
      'On a terminal, the newest 50 links are shown; in a pipe or file, all links. A listing covers one domain: --domain or the default. ' +
        'One more API call finds the other domains of the account. --by-tags covers all domains. Links of several domains are listed ' +
        'by short URL.',
      'shorten -f reads a listing in csv. Tag expressions: linkctl help tags.',
    ],
    globals: ['--fields', '--domain', '--header', '--no-header', '--no-truncate', '--formula-guard', '--quiet'],
  });
}

/** Orders of the field (FIELD-NOTES 14); API.md shows `clicks` and leaves the others open, so any text goes out. */
const orders = ['created', 'clicks', 'hash', 'modified'];

/** GET /urls: by pages, or by hashes in groups. */
async function list(options: ListOptions, invocation: Invocation, operands: string[]): Promise<RowsReport> {
  const selection = readSelection(operands, options);
  if (options.all && options.limit !== undefined) throw new UsageError('specify only one of --all or --limit');
  const named = selection?.kind === 'tags' ? undefined : selection;
  const expression = selection?.kind === 'tags' ? selection.expression : undefined;
  if (named) refusePaging(options);
  else if (options.qr) throw new UsageError('--qr requires <hash>...; for other listings use --qr-file <dir>');
  const session = await openSession(invocation);
  const filter = readFilter(options, session);
  const withPictures = qrPictures(options, session);
  if (named) {
    const targets = await readTargets(named, session, (path) => session.openInput(path, 'hashes'));
    return withPictures(listNamed(targets, filter, options, session));
  }
  refuseDomains(options, session, { '--offset': options.offset });
  const query = { tags: expression, search: options.search, order_by: options.orderBy };
  const listing = await listingOf(query, options, session);
  const extent = extentOf(options, session);
  const report = filter ? listMatching(listing, filter, extent, session) : listPages(listing, extent, session);
  return withPictures({ ...report, outcome: () => emptiness(report.shown(), options) });
}

function refusePaging({ limit, offset, pageSize, orderBy, allDomains }: ListOptions): void {
  const paging = {
    '--limit': limit,
    '--offset': offset,
    '--page-size': pageSize,
    '--order-by': orderBy,
    '--all-domains': allDomains,
  };
  const [flag] = Object.entries(paging).find(([, value]) => value !== undefined) ?? [];
  if (flag) throw new UsageError(`specify only one of ${flag} or <hash>...`);
}

/** Which rows of a listing are wanted. */
interface ListExtent {
  readonly limit: number | undefined;
  /** Whether the limit was typed: who says how many rows does not expect the whole account, and pays no call for it (B84). */
  readonly isLimited: boolean;
  readonly offset: number;
  readonly pageSize: number | undefined;
}

/** Rows that a terminal shows, where no flag says how many (F7). */
const shownOnTerminal = 50;

function extentOf({ limit, all, offset = 0, pageSize }: ListOptions, { streams }: Session): ListExtent {
  const usual = all || !streams.terminal ? undefined : shownOnTerminal;
  return { limit: limit ?? usual, isLimited: limit !== undefined, offset, pageSize };
}

/** A listing, and how many rows it has so far. */
type ListReport = RowsReport & { shown(): number };

function listPages({ selections, severalDomains, isPart }: Listing, extent: ListExtent, session: Session): ListReport {
  const { streams, warn, global, client } = session;
  const { limit, offset } = extent;
  let total: number | undefined;
  let shown = 0;
  let isCounted = true;
  const notes: string[] = [];
  async function* rows(): AsyncGenerator<readonly Row[]> {
    for await (const next of joinedPages(client, selections, { ...extent, all: limit === undefined }, { warn })) {
      total = next.total;
      shown += next.rows.length;
      yield next.rows;
      streams.progress.step(() => `${shown}/${total ?? '?'} links`);
    }
    if (global.quiet) return;
    if (shown > 0 && shown === limit) {
      const cut = await cutListing(client, selections, { offset, shown, total });
      isCounted = cut === undefined || cut.isCounted;
      if (cut) notes.push(`${cut.sentence} ${howToSeeMore}`);
    }
    if (isPart && !extent.isLimited) notes.push(...(await coverage(session)));
  }
  const page = () => ({ results_count: shown, ...(isCounted && { total_count: total ?? offset + shown }), offset });
  return {
    ...urlRows(rows(), severalDomains, session),
    members: () => ({ page: page() }),
    notes: () => notes,
    shown: () => shown,
  };
}

const howToSeeMore = 'Use --all or --limit N.';

/** The links that match a filter: they are found here, so that limit and offset count them, and no others (F3). */
function listMatching(
  { selections, severalDomains, isPart }: Listing,
  filter: LinkFilter,
  extent: ListExtent,
  session: Session,
): ListReport {
  const { streams, warn, global, client } = session;
  const { limit, offset } = extent;
  let shown = 0;
  let isWhole = true;
  let matched = 0;
  const notes: string[] = [];
  async function* rows(): AsyncGenerator<readonly Row[]> {
    let read = 0;
    for await (const next of filteredPages(client, selections, filter, { ...extent, warn })) {
      ({ read, matched } = next);
      shown += next.rows.length;
      isWhole = shown !== limit || next.read === next.total;
      yield next.rows;
      streams.progress.step(() => `${grouped(read)}/${next.total ?? '?'} links read, ${grouped(matched)} match`);
    }
    if (isWhole) notes.push(`${matchNote(matched, read)}.`);
    else notes.push(`Showing ${quantity(shown, 'link')} that match, of the first ${grouped(read)} read. ${howToSeeMore}`);
    if (isPart && !extent.isLimited && !global.quiet) notes.push(...(await coverage(session)));
  }
  const page = () => ({ results_count: shown, ...(isWhole && { total_count: matched }), offset });
  return {
    ...urlRows(rows(), severalDomains, session),
    members: () => ({ page: page() }),
    notes: () => notes,
    shown: () => shown,
  };
}

function listNamed(
  { open, count, domains }: NamedTargets,
  filter: LinkFilter | undefined,
  options: ListOptions,
  session: Session,
): RowsReport {
  const links = namedUrls(session.client, open(), batchSizeOf(session));
  const { rows, found, failure, notes, outcome } = namedRows(links, count, { filter, rowOf: (record) => record });
  return {
    ...urlRows(rows, domains.length > 1, session),
    failure,
    notes,
    members: () => ({ page: { results_count: found(), total_count: found(), offset: 0 } }),
    outcome: () => outcome() ?? emptiness(found(), options),
  };
}

function urlRows(rows: RowsReport['rows'], severalDomains: boolean, { edition }: Session): RowsReport {
  return {
    kind: 'rows',
    key: 'urls',
    rows,
    columns: urlColumns,
    tableFields: urlTableFields(edition, severalDomains),
    pipedFields: urlPipedFields(severalDomains),
    csvFields: urlCsvFields(edition, severalDomains),
    empty: 'no URLs match',
  };
}

function emptiness(shown: number, { failEmpty }: ListOptions): EmptyError | undefined {
  return failEmpty && shown === 0 ? new EmptyError('no URLs match') : undefined;
}
