import type { Command } from 'commander';
import { EmptyError, UsageError } from '../base/errors.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/run.ts';
import { openSession, type Session } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { namedUrls } from '../client/named-urls.ts';
import { coverage, cutListing, joinedPages } from '../client/whole-listing.ts';
import { addSelectionFlags, readSelection, type SelectionOptions } from '../flags/selection-flags.ts';
import { count, suggested } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import { type NamedTargets, readTargets } from '../input/named-links.ts';
import { namesOf, type Row, type RowsReport } from '../output/report.ts';
import { urlColumns, urlCsvFields, urlPipedFields, urlTableFields } from '../output/url-columns.ts';
import { addQrFlags, type QrOptions, qrPictures } from './qr-pictures.ts';
import { addDomainsFlag, type DomainsOptions, type Listing, listingOf, namedRows, refuseDomains } from './selected-links.ts';

interface ListOptions extends SelectionOptions, DomainsOptions, QrOptions {
  readonly limit?: number;
  readonly offset?: number;
  readonly all?: boolean;
  readonly pageSize?: number;
  readonly search?: string;
  readonly orderBy?: string;
  readonly failEmpty?: boolean;
}

export function registerList(command: Command, run: Runner): void {
  addSelectionFlags(command);
  command
    .option('-L, --limit <n>', 'maximum number of rows (default: 50 on a terminal, else all)', count(1))
    .option('--offset <n>', 'number of rows to skip', count(0))
    .option('--all', 'list all rows, even on a terminal')
    .option('--page-size <n>', 'rows per request', count(1))
    .option('--search <text>', 'rows whose long URL, note or hash contains <text>')
    .option('--order-by <order>', 'created, clicks, hash, modified, or another order of the server', suggested(orders))
    .option('--fail-empty', 'exit 11 if nothing matches');
  addDomainsFlag(command);
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
  if (selection && selection.kind !== 'tags') {
    refusePaging(options);
    const session = await openSession(invocation);
    const targets = await readTargets(selection, session, (path) => session.openInput(path, 'hashes'));
    return qrPictures(options, session)(listNamed(targets, options, session));
  }
  if (options.qr) throw new UsageError('--qr requires <hash>...; for other listings use --qr-file <dir>');
  const session = await openSession(invocation);
  refuseDomains(options, session, { '--offset': options.offset });
  const order = { search: options.search, order_by: options.orderBy };
  const listing = await listingOf(selection?.expression, order, options, session);
  return qrPictures(options, session)(listPages(listing, options, session));
}

function refusePaging({ limit, offset, all, pageSize, search, orderBy, allDomains }: ListOptions): void {
  const paging = {
    '--limit': limit,
    '--offset': offset,
    '--all': all,
    '--page-size': pageSize,
    '--search': search,
    '--order-by': orderBy,
    '--all-domains': allDomains,
  };
  const [flag] = Object.entries(paging).find(([, value]) => value !== undefined) ?? [];
  if (flag) throw new UsageError(`specify only one of ${flag} or <hash>...`);
}

/** Rows that a terminal shows, where no flag says how many (F7). */
const shownOnTerminal = 50;

function listPages({ selections, severalDomains, isPart }: Listing, options: ListOptions, session: Session): RowsReport {
  const { streams, warn, global, client } = session;
  const { offset = 0, all, pageSize } = options;
  const limit = options.limit ?? (all || !streams.terminal ? undefined : shownOnTerminal);
  let total: number | undefined;
  let shown = 0;
  let isCounted = true;
  const notes: string[] = [];
  async function* rows(): AsyncGenerator<readonly Row[]> {
    const extent = { limit, offset, all: limit === undefined, pageSize };
    for await (const next of joinedPages(client, selections, extent, { warn })) {
      total = next.total;
      shown += next.rows.length;
      yield next.rows;
      streams.progress.step(() => `${shown}/${total ?? '?'} links`);
    }
    if (global.quiet) return;
    if (shown > 0 && shown === limit) {
      const cut = await cutListing(client, selections, { offset, shown, total });
      isCounted = cut === undefined || cut.isCounted;
      if (cut) notes.push(`${cut.sentence} Use --all or --limit N.`);
    }
    // Who says how many rows does not expect the whole account, and pays no call for it (B84).
    if (isPart && options.limit === undefined) notes.push(...(await coverage(session)));
  }
  const page = () => ({ results_count: shown, ...(isCounted && { total_count: total ?? offset + shown }), offset });
  return {
    ...urlRows(rows(), severalDomains, session),
    members: () => ({ page: page() }),
    notes: () => notes,
    outcome: () => emptiness(shown, options),
  };
}

function listNamed({ open, count, domains }: NamedTargets, options: ListOptions, session: Session): RowsReport {
  const { rows, found, failure, outcome } = namedRows(namedUrls(session.client, open(), batchSizeOf(session)), count);
  return {
    ...urlRows(rows, domains.length > 1, session),
    failure,
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
