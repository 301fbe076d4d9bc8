import type { Command } from 'commander';
import { CliError, UsageError } from '../base/errors.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { openSession, type Session } from '../cli/session.ts';
import type { FilteredPage } from '../client/filtered-pages.ts';
import { foldedHash } from '../contract/link.ts';
import type { StatsRecord } from '../contract/records.ts';
import { addBatchFlags, addUndoFlags, refuseRunFlags } from '../flags/bulk-flags.ts';
import { choice, count, givenFlags } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import { clickColumns, clickFields, clickRows, counterFields } from '../output/counter-rows.ts';
import { clickGroupings, periodColumns } from '../output/period-rows.ts';
import { quantity } from '../output/quantity.ts';
import type { Report, Row, RowsReport } from '../output/report.ts';
import { selectLinks } from '../select/link-selection.ts';
import { emptyText, matchNote, type NamedPage, namedRows } from '../select/named-rows.ts';
import type { ListedLinks, NamedLinks } from '../select/selected-links.ts';
import { addSelectionFlags, readSelection } from '../select/selection-flags.ts';
import type { ResetOptions } from './stats/stats-reset.ts';
import type { SinceOptions } from './stats/stats-since.ts';

interface StatsOptions extends ResetOptions, SinceOptions {
  readonly reset?: boolean;
  readonly record?: boolean;
}

export function register(command: Command, run: Runner): void {
  addSelectionFlags(command);
  command
    .option('--top <n>', 'show only the <n> links with the most clicks', count(1))
    .option('--chart', 'draw bars instead of a table')
    .option('--record', 'add the counters to the local history, for --since')
    .option('--since <time>', 'clicks since <time>, such as 7d, 3m or today, and in the period before')
    .option('--until <time>', 'with --since: clicks before <time> (default: now)')
    .option('--by <grouping>', 'with --since: a row for each {link|tag|host|day} (default: link)', choice(clickGroupings))
    .option('--reset', 'reset the counters to 0, after confirmation')
    .option('--ignore-missing', 'ignore hashes that do not exist');
  addBatchFlags(command);
  addUndoFlags(command);
  command.action(run(stats));
  describe(command, {
    examples: [
      'linkctl stats abc',
      'linkctl stats --top 10',
      'linkctl stats --chart --by-tags promo',
      "linkctl stats --filter 'host=*.example.com'",
      "linkctl stats --by-tags 'promo' -o csv > clicks.csv",
      'linkctl list --limit 9 --fields short_url | linkctl stats --hashes-from -',
      'linkctl stats --record',
      'linkctl stats --since 7d --by tag',
      'linkctl stats abc --reset',
    ],
    fields: [...clickColumns, ...periodColumns.filter(({ name }) => !clickColumns.some((column) => column.name === name))],
    notes: [
      'Without a selection, stats covers all links of the default domain, of --domain, or of all domains with --all-domains. One more API call ' +
        'finds the other domains of the account. Links with the most clicks come first. A table shows short URLs and destinations; a pipe shows ' +
        'hashes (short URLs if there are several domains) and counters. --fields accepts every field of list. --chart draws the first 20 links, ' +
        'or those of --top.',
      '--record adds a reading of the counters to a history on this computer: run it every night. Without a selection it reads all domains.',
      '--since compares two recorded readings: the one closest to <time> and the latest (or closest to --until). The previous period of the same ' +
        "length is shown as BEFORE. Without a selection, --since covers all domains, too. Without an old enough reading, linkctl uses the server's daily totals (UTC days). These need a listing that has them, or at most 100 clicked links. Today is not over: its clicks are shown as TODAY SO FAR and left out of the change. Readings count up to the last one, and today (null in JSON) is not separate: linkctl stats --record makes one now.",
      'Renamed links keep their history. Clicks before a reset or deletion still count. A change with --no-undo or config set undo off ' +
        'may not read the counters first. Clicks since the last recorded reading are then lost. Times are UTC: today, yesterday, 12h, 7d, 3m (months), 1y, ' +
        '2026-01-31 or 2026-01-31T09:00.',
      'Without a terminal, --reset requires --yes; with --by-tags, --search and --all also --max-affected.',
    ],
    globals: ['--fields', '--domain', '--header', '--quiet', '--yes', '--dry-run', '--max-affected'],
  });
}

/** One hash needs GET /stats/[hash], several GET /urls?hashes=, anything else the listing. */
async function stats(options: StatsOptions, invocation: Invocation, operands: string[]): Promise<Report> {
  refuseConflicts(options, invocation);
  if (options.reset) {
    const { resetStats } = await import('./stats/stats-reset.ts');
    return await resetStats(options, invocation, operands);
  }
  refuseRunFlags(options, 'stats without --reset', '--reset --hashes-from');
  const selection = readSelection(operands, options);
  const session = await openSession(invocation);
  if (options.chart) refuseOtherFormats(session);
  if (options.record) {
    const { recordStats } = await import('./stats/stats-record.ts');
    return await recordStats({ selection, options }, session);
  }
  if (options.since !== undefined) {
    const { statsSince } = await import('./stats/stats-since.ts');
    return await statsSince({ selection, options }, session);
  }
  const links = await selectLinks(selection, options, session, 'show');
  return links.kind === 'named' ? namedStats(links, options, session) : listedStats(links, options, session);
}

/** Throws a UsageError. */
function refuseConflicts(
  { reset, record, since, until, by, top, chart, ignoreMissing }: StatsOptions,
  { global: { dryRun } }: Invocation,
): void {
  const [first, second] = givenFlags({ '--reset': reset, '--record': record, '--since': since, '--top': top, '--chart': chart });
  const isAlone = first === '--reset' || first === '--record';
  if (isAlone && second) throw new UsageError(`specify only one of ${first} or ${second}`);
  if (record && dryRun) throw new UsageError('specify only one of --record or --dry-run');
  const [needy] = since === undefined ? givenFlags({ '--until': until, '--by': by }) : [];
  if (needy) throw new UsageError(`${needy} requires --since`);
  if (ignoreMissing && (record || since !== undefined)) {
    throw new UsageError(`specify only one of ${record ? '--record' : '--since'} or --ignore-missing`);
  }
}

function refuseOtherFormats({ output }: Session): void {
  if (output.fields) throw new UsageError('specify only one of --chart or --fields');
  if (output.format && output.format !== 'table') throw new UsageError(`specify only one of --chart or -o ${output.format}`);
}

function namedStats(links: NamedLinks, { top, chart, ignoreMissing }: StatsOptions, session: Session): RowsReport {
  const { count, filter, severalDomains } = links;
  const { rows, failure, notes, outcome } =
    count === 1 && !filter && !chart && needsOnlyCounters(session)
      ? namedRows(statsOfOne(links, session), count, { ignoreMissing, rowOf: (record) => record })
      : namedRows(links.pages(), count, {
          isFiltered: filter !== undefined,
          ignoreMissing,
          rowOf: clickFields(session.output.fields),
        });
  const report = clickRows(rows, {
    top,
    chart,
    glyphs: session.streams.glyphs,
    isMissing: (row) => failure(row) !== undefined,
    severalDomains,
  });
  return {
    ...report,
    empty: emptyText(filter !== undefined),
    failure,
    outcome,
    notes: () => [...(report.notes?.() ?? []), ...notes()],
  };
}

/** GET /stats/[hash] returns neither short URL nor destination. JSON prints its whole answer. */
function needsOnlyCounters({ output, format }: Session): boolean {
  if (output.fields) return output.fields.every((name) => counterFields.includes(name));
  return format() !== 'table';
}

/** Servers answer an unknown hash with an empty list or with 1306. */
async function* statsOfOne({ open }: NamedLinks, { client }: Session): AsyncGenerator<NamedPage<StatsRecord>> {
  for await (const target of open()) {
    const { hash, domain } = target;
    const { stats } = await client.send('getStats', { path: { hash }, query: { domain } }).catch((error) => {
      if (error instanceof CliError && error.apiCode === 1306) return { stats: [] };
      throw error;
    });
    const record = stats.find((one) => one.hash === hash) ?? stats.find((one) => foldedHash(one.hash) === foldedHash(hash));
    yield { links: [{ target, record }], read: 1 };
  }
}

function listedStats(links: ListedLinks, { top, chart }: StatsOptions, { streams, global, output }: Session): RowsReport {
  const rowOf = clickFields(output.fields);
  const notes: string[] = [];
  async function* pages(): AsyncGenerator<Row[]> {
    let last: FilteredPage | undefined;
    for await (const page of links.records()) {
      last = page;
      streams.progress.step(() => quantity(page.read, 'link'));
      yield page.rows.map(rowOf);
    }
    if (filter) notes.push(matchNote(last?.matched ?? 0, last?.read ?? 0));
    if (!global.quiet) notes.push(...(await links.coverage()));
  }
  const { severalDomains, filter } = links;
  const report = clickRows(pages(), { top, chart, glyphs: streams.glyphs, severalDomains });
  return { ...report, empty: emptyText(filter !== undefined), notes: () => [...(report.notes?.() ?? []), ...notes] };
}
