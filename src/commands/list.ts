import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { openSession, type Session } from '../cli/session.ts';
import { count, givenFlags, suggested } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import type { RowsReport } from '../output/report.ts';
import { urlColumns } from '../output/url-columns.ts';
import { selectLinks } from '../select/link-selection.ts';
import { emptyText, namedRows } from '../select/named-rows.ts';
import type { NamedLinks } from '../select/selected-links.ts';
import { addSelectionFlags, readSelection, type SelectionOptions } from '../select/selection-flags.ts';
import { emptiness, type ListExtent, listDuplicates, listPages, urlRows } from './list/listed-links.ts';
import { addQrFlags, picturesOf } from './qr/qr-flags.ts';
import type { QrOptions } from './qr/qr-pictures.ts';

interface ListOptions extends SelectionOptions, QrOptions {
  readonly limit?: number;
  readonly offset?: number;
  readonly pageSize?: number;
  readonly orderBy?: string;
  readonly duplicates?: boolean;
  readonly failEmpty?: boolean;
}

export function register(command: Command, run: Runner): void {
  addSelectionFlags(command, 'list all rows, even on a terminal');
  command
    .option('-L, --limit <n>', 'maximum number of rows (default: 50 on a terminal, else all)', count(1))
    .option('--offset <n>', 'number of rows to skip', count(0))
    .option('--page-size <n>', 'rows per request', count(1))
    .option('--order-by <order>', 'created, clicks, hash, modified, or another order of the server', suggested(orders))
    .option('--duplicates', 'only links that share a destination, grouped')
    .option('--fail-empty', 'exit 11 if nothing matches');
  addQrFlags(command);
  command.action(run(list));
  describe(command, {
    examples: [
      'linkctl list',
      'linkctl list -o csv > links.csv',
      'linkctl list --search nodejs.org --fields hash,long_url',
      'linkctl list --fields writable --order-by hash -o csv > links.csv',
      "linkctl list --by-tags '(promo|sale)&~old' --order-by clicks --limit 10",
      'linkctl list abc https://s.ex/def',
      "linkctl list --filter 'total_clicks=0' --filter 'url^=https://old.example'",
      'linkctl list --duplicates -o csv > duplicates.csv',
      'linkctl list abc --qr',
      "linkctl list --by-tags 'poster' --all --qr-file codes",
    ],
    fields: [...urlColumns, { name: 'writable' }],
    notes: [
      'On a terminal, the newest 50 links are shown; in a pipe or file, all links. A listing covers one domain: --domain or the default. ' +
        'One more API call finds the other domains of the account. --by-tags covers all domains. Links of several domains are listed ' +
        'by short URL. --all-domains lists one domain after another, and --order-by orders each.',
      '--fields writable shows the fields that a file of links can set. --filter reads all links until --limit is reached; --duplicates reads them twice. shorten -f accepts a csv listing. ' +
        'Tag expressions: linkctl help tags.',
    ],
    onlyReads: true,
    globals: ['--fields', '--domain', '--header', '--no-header', '--no-truncate', '--formula-guard', '--quiet'],
  });
}

/** Servers know these orders; API.md shows only `clicks`, so any other text is sent too. */
const orders = ['created', 'clicks', 'hash', 'modified'];

async function list(options: ListOptions, invocation: Invocation, operands: string[]): Promise<RowsReport> {
  const selection = readSelection(operands, options);
  refuseConflicts(options);
  if (selection.kind !== 'listing') refusePaging(options);
  else if (options.qr) throw new UsageError('--qr requires <hash>...; for other listings use --qr-file <dir>');
  const session = await openSession(invocation);
  const links = await selectLinks(selection, options, session, 'show');
  const withPictures = await picturesOf(options, session);
  if (links.kind === 'named') return withPictures(listNamed(links, options, session));
  const extent = extentOf(options, session);
  return withPictures((options.duplicates ? listDuplicates : listPages)(links, extent, session));
}

function refuseConflicts({ all, limit, duplicates, offset, allDomains }: ListOptions): void {
  if (all && limit !== undefined) throw new UsageError('specify only one of --all or --limit');
  if (offset === undefined) return;
  if (duplicates) throw new UsageError('specify only one of --duplicates or --offset');
  if (allDomains) throw new UsageError('specify only one of --all-domains or --offset');
}

function refusePaging({ limit, offset, pageSize, orderBy, allDomains, duplicates }: ListOptions): void {
  const paging = {
    '--limit': limit,
    '--offset': offset,
    '--page-size': pageSize,
    '--order-by': orderBy,
    '--all-domains': allDomains,
    '--duplicates': duplicates,
  };
  const [flag] = givenFlags(paging);
  if (flag) throw new UsageError(`specify only one of ${flag} or <hash>...`);
}

const shownOnTerminal = 50;

function extentOf({ limit, all, offset = 0, pageSize, failEmpty }: ListOptions, { streams }: Session): ListExtent {
  const defaultLimit = all || !streams.terminal ? undefined : shownOnTerminal;
  return { limit: limit ?? defaultLimit, isLimited: limit !== undefined, offset, pageSize, failEmpty };
}

function listNamed(links: NamedLinks, options: ListOptions, session: Session): RowsReport {
  const { rows, found, failure, notes, outcome } = namedRows(links.pages(), links.count, {
    isFiltered: links.filter !== undefined,
    rowOf: (record) => record,
  });
  return {
    ...urlRows(rows, links.severalDomains, session),
    empty: emptyText(links.filter !== undefined),
    failure,
    notes,
    members: () => ({ page: { results_count: found(), total_count: found(), offset: 0 } }),
    outcome: () => outcome() ?? emptiness(found(), options),
  };
}
