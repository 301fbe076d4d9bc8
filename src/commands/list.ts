import type { Command } from 'commander';
import type { Runner } from '../action.ts';
import { batchSizeOf } from '../client/groups.ts';
import { missingFailure, namedUrls, notFound } from '../client/named-urls.ts';
import { type ListSelection, urlPages } from '../client/pages.ts';
import { type Context, checkTagExpression, openInput } from '../context.ts';
import type { LinkKey } from '../contract/link.ts';
import { type CliError, EmptyError, UsageError } from '../errors.ts';
import { addQrFlags, type QrOptions } from '../flags/qr-flags.ts';
import { addSelectionFlags, readSelection, type SelectionOptions } from '../flags/selection-flags.ts';
import { count, suggested } from '../flags/values.ts';
import { describe } from '../help/layout.ts';
import { type NamedTargets, readTargets } from '../input/hash-targets.ts';
import type { Row, RowsReport } from '../output/report.ts';
import { urlColumns, urlCsvFields, urlPipedFields, urlTableFields } from '../output/url-columns.ts';
import { qrPictures } from '../qr-pictures.ts';
import type { Session } from '../session.ts';

interface ListOptions extends SelectionOptions, QrOptions {
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
    .option('-L, --limit <n>', 'rows wanted; one batch of the server without it', count(1))
    .option('--offset <n>', 'rows to pass over first', count(0))
    .option('--all', 'all rows, however many pages that takes')
    .option('--page-size <n>', 'rows in one call', count(1))
    .option('--search <text>', 'rows whose URL, note or hash holds the text')
    .option('--order-by <order>', 'created, clicks, hash, modified, or what else the server knows', suggested(orders))
    .option('--fail-empty', 'exit 11 when nothing matches');
  addQrFlags(command);
  command.action(run(list));
  describe(command, {
    examples: [
      'linkctl list',
      'linkctl list --all -o csv > links.csv',
      'linkctl list --search nodejs.org --fields hash,long_url',
      "linkctl list --by-tags '(promo|sale)&~old' --order-by clicks --limit 10",
      'linkctl list abc https://s.ex/def',
      'linkctl list abc --qr',
      "linkctl list --by-tags 'poster' --all --qr-file codes",
    ],
    fields: urlColumns.map(({ name }) => name),
    notes: ['As csv, a listing feeds shorten -f. Tag expressions: linkctl help tags.'],
    globals: ['--fields', '--domain', '--header', '--no-header', '--no-truncate', '--formula-guard', '--quiet'],
  });
}

/** Orders of the field (FIELD-NOTES 14); API.md shows `clicks` and leaves the others open, so any text goes out. */
const orders = ['created', 'clicks', 'hash', 'modified'];

/** GET /urls: by pages, or by hashes in groups. */
async function list(options: ListOptions, context: Context, operands: string[]): Promise<RowsReport> {
  const selection = readSelection(operands, options);
  if (options.all && options.limit !== undefined) throw new UsageError('specify only one of --all or --limit');
  if (selection && selection.kind !== 'tags') {
    refusePaging(options);
    const session = await context.session();
    const targets = await readTargets(selection, session, (path) => openInput(path, 'hashes', context));
    return qrPictures(options, context)(listNamed(targets, options, session), session);
  }
  if (options.qr) throw new UsageError('--qr goes with <hash>...; --qr-file <dir> takes any listing');
  const session = await context.session();
  const { search, orderBy } = options;
  const tags = selection?.expression;
  if (tags !== undefined) await checkTagExpression(tags, session, context);
  const domain = tags === undefined ? session.domain : undefined;
  const picture = qrPictures(options, context);
  return picture(listPages({ search, order_by: orderBy, tags, domain }, options, session, context), session);
}

function refusePaging({ limit, offset, all, pageSize, search, orderBy }: ListOptions): void {
  const paging = {
    '--limit': limit,
    '--offset': offset,
    '--all': all,
    '--page-size': pageSize,
    '--search': search,
    '--order-by': orderBy,
  };
  const [flag] = Object.entries(paging).find(([, value]) => value !== undefined) ?? [];
  if (flag) throw new UsageError(`specify only one of ${flag} or <hash>...`);
}

function listPages(selection: ListSelection, options: ListOptions, session: Session, context: Context): RowsReport {
  const { limit, offset = 0, all, pageSize } = options;
  let total: number | undefined;
  let shown = 0;
  async function* rows(): AsyncGenerator<Row[]> {
    const pages = urlPages(
      session.client,
      selection,
      { limit, offset, all, pageSize },
      { warn: (text) => void context.warn(text) },
    );
    for await (const next of pages) {
      total = next.total;
      shown += next.rows.length;
      yield next.rows as unknown as Row[];
      context.streams.progress.step(() => `${shown}/${total ?? '?'} URLs`);
    }
  }
  return {
    ...urlRows(rows(), session),
    members: () => ({ page: { results_count: shown, total_count: total ?? offset + shown, offset } }),
    notes: () => {
      return total !== undefined && total > offset + shown && shown > 0
        ? [`Showing ${shown} of ${total} URLs. Use --all or --limit N.`]
        : [];
    },
    outcome: () => emptiness(shown, options),
  };
}

/** The URLs that were named; one that is not there is a failed row (B43). */
function listNamed(targets: NamedTargets, options: ListOptions, session: Session): RowsReport {
  let found = 0;
  let missing = 0;
  const failures = new WeakMap<Row, CliError>();
  async function* rows(): AsyncGenerator<[Row]> {
    const size = { items: batchSizeOf(session) };
    for await (const { target, record } of namedUrls(session.client, targets.open(), size)) {
      const row = record ? (record as unknown as Row) : missingRow(target);
      if (record) found += 1;
      else {
        missing += 1;
        failures.set(row, notFound(target));
      }
      yield [row];
    }
  }
  return {
    ...urlRows(rows(), session),
    failure: (row) => failures.get(row),
    members: () => ({ page: { results_count: found, total_count: found, offset: 0 } }),
    outcome: () => missingFailure(missing, targets.count) ?? emptiness(found, options),
  };
}

function urlRows(rows: RowsReport['rows'], { edition }: Session): RowsReport {
  return {
    kind: 'rows',
    key: 'urls',
    rows,
    columns: urlColumns,
    tableFields: urlTableFields(edition),
    pipedFields: urlPipedFields,
    csvFields: urlCsvFields(edition),
    empty: 'no URLs match',
  };
}

function missingRow({ hash, domain }: LinkKey): Row {
  return { hash, ...(domain && { domain }), error: { code: 1306, message: 'URL not found', details: '' } };
}

function emptiness(shown: number, { failEmpty }: ListOptions): EmptyError | undefined {
  return failEmpty && shown === 0 ? new EmptyError('no URLs match') : undefined;
}
