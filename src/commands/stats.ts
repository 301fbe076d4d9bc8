import type { Command } from 'commander';
import { CliError, UsageError } from '../base/errors.ts';
import type { ResetOptions } from '../changes/stats-reset.ts';
import type { Invocation } from '../cli/invocation.ts';
import { type Listing, listingOf, readFilter, refuseDomains } from '../cli/listing.ts';
import type { Runner } from '../cli/run.ts';
import { openSession, type Session } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { type FilteredPage, filteredPages } from '../client/filtered-pages.ts';
import { namedUrls } from '../client/named-urls.ts';
import { coverage } from '../client/whole-listing.ts';
import { foldedHash } from '../contract/link.ts';
import type { StatsRecord, UrlRecord } from '../contract/records.ts';
import { addBatchFlags, addUndoFlags, refuseRunFlags } from '../flags/bulk-flags.ts';
import { addSelectionFlags, readSelection } from '../flags/selection-flags.ts';
import { count } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import { type NamedTargets, readTargets } from '../input/named-links.ts';
import type { LinkFilter } from '../links/filter.ts';
import { clickColumns, clickRows } from '../output/click-rows.ts';
import { namesOf, type Report, type Row, type RowsReport } from '../output/report.ts';
import { matchNote, type NamedLink, namedRows } from './selected-links.ts';

interface StatsOptions extends ResetOptions {
  readonly top?: number;
  readonly reset?: boolean;
}

export function registerStats(command: Command, run: Runner): void {
  addSelectionFlags(command);
  command
    .option('--top <n>', 'show only the <n> links with the most clicks', count(1))
    .option('--reset', 'reset the counters to 0, after confirmation')
    .option('--ignore-missing', 'ignore hashes that do not exist');
  addBatchFlags(command);
  addUndoFlags(command);
  command.action(run(stats));
  describe(command, {
    examples: [
      'linkctl stats abc',
      'linkctl stats --top 10',
      "linkctl stats --filter 'host=*.example.com'",
      "linkctl stats --by-tags 'promo' -o csv > clicks.csv",
      'linkctl list --limit 9 --fields short_url | linkctl stats --hashes-from -',
      'linkctl stats abc --reset',
    ],
    fields: namesOf(clickColumns),
    notes: [
      'Without a selection, stats covers all links of the default domain, of --domain or of all domains. One more API call finds the other domains of ' +
        'the account. Links of several domains are shown by short URL. On a terminal, a bar compares each row with the largest. Rows are drawn page by page, so a bar compares only with the pages so far.',
    ],
    globals: ['--fields', '--domain', '--header', '--quiet', '--yes', '--dry-run', '--max-affected'],
  });
}

/** GET /stats/[hash] for one, GET /urls?hashes= for several (B84), the listing for a tag expression or the whole account. */
async function stats(options: StatsOptions, invocation: Invocation, operands: string[]): Promise<Report> {
  if (options.reset) {
    if (options.top !== undefined) throw new UsageError('specify only one of --reset or --top');
    const { resetStats } = await import('../changes/stats-reset.ts');
    return await resetStats(options, invocation, operands);
  }
  refuseRunFlags(options, 'stats without --reset', '--reset --hashes-from');
  const selection = readSelection(operands, options);
  const session = await openSession(invocation);
  const filter = await readFilter(options, session);
  if (selection && selection.kind !== 'tags') {
    refuseDomains(options, session, { '<hash>...': true });
    const targets = await readTargets(selection, session, (path) => session.openInput(path, 'hashes'));
    return namedStats(targets, filter, options, session);
  }
  refuseDomains(options, session, {});
  const listing = await listingOf({ tags: selection?.expression, search: options.search }, options, session);
  return listedStats(listing, filter, options, session);
}

function namedStats(
  { count, open, domains }: NamedTargets,
  filter: LinkFilter | undefined,
  { top, ignoreMissing, batchSize }: StatsOptions,
  session: Session,
): RowsReport {
  const { rows, failure, notes, outcome } =
    count === 1 && !filter
      ? namedRows(statsOfOne(open(), session), count, { ignoreMissing, rowOf: (record) => record })
      : namedRows(namedUrls(session.client, open(), batchSizeOf(session, batchSize)), count, {
          filter,
          ignoreMissing,
          rowOf: statsOf,
        });
  const report = clickRows(pagesOf(rows), {
    top,
    glyphs: session.streams.glyphs,
    isMissing: (row) => failure(row) !== undefined,
    severalDomains: domains.length > 1,
  });
  return { ...report, failure, outcome, notes: () => [...(report.notes?.() ?? []), ...notes()] };
}

/** Rows that a bar is compared with from the first: those of as many URLs as people name. */
const rowsPerPage = 1000;

async function* pagesOf(rows: AsyncIterable<[Row]>): AsyncGenerator<Row[]> {
  let page: Row[] = [];
  for await (const [row] of rows) {
    if (page.push(row) < rowsPerPage) continue;
    yield page;
    page = [];
  }
  yield page;
}

/** An unknown hash is answered with nothing (FIELD-NOTES 10) or with 1306. */
async function* statsOfOne(
  targets: ReturnType<NamedTargets['open']>,
  { client }: Session,
): AsyncGenerator<NamedLink<StatsRecord>> {
  for await (const target of targets) {
    const { hash, domain } = target;
    const { stats } = await client.send('getStats', { path: { hash }, query: { domain } }).catch((error) => {
      if (error instanceof CliError && error.apiCode === 1306) return { stats: [] };
      throw error;
    });
    const record = stats.find((one) => one.hash === hash) ?? stats.find((one) => foldedHash(one.hash) === foldedHash(hash));
    yield { target, record };
  }
}

/** What the listing says of clicks. */
function listedStats(
  { selections, severalDomains, isPart }: Listing,
  filter: LinkFilter | undefined,
  { top }: StatsOptions,
  session: Session,
): RowsReport {
  const { warn, streams, global, client } = session;
  const notes: string[] = [];
  async function* pages(): AsyncGenerator<Row[]> {
    let last: FilteredPage | undefined;
    for await (const page of filteredPages(client, selections, filter, { warn })) {
      last = page;
      streams.progress.step(() => `${page.read} links`);
      yield page.rows.map(statsOf);
    }
    if (filter) notes.push(`${matchNote(last?.matched ?? 0, last?.read ?? 0)}.`);
    if (isPart && !global.quiet) notes.push(...(await coverage(session)));
  }
  const report = clickRows(pages(), { top, glyphs: streams.glyphs, severalDomains });
  return { ...report, notes: () => [...(report.notes?.() ?? []), ...notes] };
}

/** The short URL distinguishes equal hashes of several domains. */
function statsOf({ hash, short_url, total_clicks, unique_clicks }: UrlRecord): Row {
  return { hash, short_url, total_clicks, unique_clicks };
}
