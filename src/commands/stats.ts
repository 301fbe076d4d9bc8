import type { Command } from 'commander';
import { type CliError, UsageError } from '../base/errors.ts';
import type { ResetOptions } from '../changes/stats-reset.ts';
import { type Invocation, showsDefaultFields } from '../cli/invocation.ts';
import type { Runner } from '../cli/run.ts';
import { openSession, type Session } from '../cli/session.ts';
import { checkTagExpression } from '../cli/tag-selection.ts';
import { batchSizeOf } from '../client/groups.ts';
import { missingFailure, namedUrls, notFound } from '../client/named-urls.ts';
import { coverage, hasNamesakes, joinedPages, ofEveryDomain } from '../client/whole-listing.ts';
import { foldedHash, type LinkKey } from '../contract/link.ts';
import type { StatsRecord } from '../contract/records.ts';
import { addBatchFlags, refuseRunFlags } from '../flags/bulk-flags.ts';
import {
  addDomainsFlag,
  addSelectionFlags,
  type DomainsOptions,
  readSelection,
  refuseDomains,
} from '../flags/selection-flags.ts';
import { count } from '../flags/values.ts';
import { describe } from '../help/layout.ts';
import { type NamedTargets, readTargets } from '../input/hash-targets.ts';
import { clickColumns, clickRows } from '../output/click-rows.ts';
import type { Report, Row, RowsReport } from '../output/report.ts';
import { missingRow } from '../output/url-columns.ts';

interface StatsOptions extends ResetOptions, DomainsOptions {
  readonly top?: number;
  readonly reset?: boolean;
}

export function registerStats(command: Command, run: Runner): void {
  addSelectionFlags(command);
  command
    .option('--top <n>', 'only those with the most clicks, the largest first', count(1))
    .option('--reset', 'set the counters to 0, after a question')
    .option('--ignore-missing', 'a hash that does not exist is no failure');
  addDomainsFlag(command);
  addBatchFlags(command);
  command.action(run(stats));
  describe(command, {
    examples: [
      'linkctl stats abc',
      'linkctl stats --top 10',
      "linkctl stats --by-tags 'promo' -o csv > clicks.csv",
      'linkctl list --limit 9 --fields short_url | linkctl stats --hashes-from -',
      'linkctl stats abc --reset',
    ],
    fields: clickColumns.map(({ name }) => name),
    notes: [
      'Without a selection: the whole listing, of the default domain, that of --domain, or all; one more call tells which others the ' +
        'account has. Links of several domains are shown by short URL. On a terminal each row has a bar, its share of the most clicks; a listing of several pages is drawn as it comes, so a bar compares with the pages before it.',
    ],
    globals: ['--fields', '--domain', '--header', '--quiet', '--yes', '--dry-run', '--max-affected'],
  });
}

/** GET /stats/[hash] for one, GET /urls?hashes= for several (B84), the listing for a tag expression or the whole account. */
async function stats(options: StatsOptions, invocation: Invocation, operands: string[]): Promise<Report> {
  if (options.reset) {
    const reading = options.top === undefined ? options.allDomains && '--all-domains' : '--top';
    if (reading) throw new UsageError(`specify only one of --reset or ${reading}`);
    const { resetStats } = await import('../changes/stats-reset.ts');
    return await resetStats(options, invocation, operands);
  }
  refuseRunFlags(options, 'a reading', '--reset --hashes-from');
  const selection = readSelection(operands, options);
  const session = await openSession(invocation);
  if (selection && selection.kind !== 'tags') {
    refuseDomains(options, session, { '<hash>...': true });
    const targets = await readTargets(selection, session, (path) => session.openInput(path, 'hashes'));
    return namedStats(targets, options, session);
  }
  refuseDomains(options, session, {});
  return await listedStats(selection?.expression, options, session);
}

/** The URLs that were named; one that is not there is a failed row (B43). */
function namedStats(targets: NamedTargets, { top, ignoreMissing, batchSize }: StatsOptions, session: Session): RowsReport {
  let missing = 0;
  const failures = new WeakMap<Row, CliError>();
  async function* pages(): AsyncGenerator<Row[]> {
    let page: Row[] = [];
    for await (const { target, record } of readNamed(targets, batchSize, session)) {
      if (!record && ignoreMissing) continue;
      const row = record ? { ...record } : missingRow(target);
      if (!record) {
        missing += 1;
        failures.set(row, notFound(target));
      }
      if (page.push(row) < rowsPerPage) continue;
      yield page;
      page = [];
    }
    yield page;
  }
  const { streams } = session;
  return {
    ...clickRows(pages(), {
      top,
      glyphs: streams.glyphs,
      isMissing: (row) => failures.has(row),
      severalDomains: targets.domains.length > 1,
    }),
    failure: (row) => failures.get(row),
    outcome: () => missingFailure(missing, targets.count),
  };
}

/** Rows that a bar is compared with from the first: those of as many URLs as people name. */
const rowsPerPage = 1000;

interface NamedStats {
  readonly target: LinkKey;
  readonly record: StatsRecord | undefined;
}

async function* readNamed(
  { count, open }: NamedTargets,
  batchSize: number | undefined,
  session: Session,
): AsyncGenerator<NamedStats> {
  if (count === 1) {
    for await (const target of open()) yield { target, record: await oneStats(target, session.client) };
    return;
  }
  const size = { items: batchSizeOf(session, batchSize) };
  for await (const { target, record } of namedUrls(session.client, open(), size))
    yield { target, record: record && statsOf(record) };
}

/** An unknown hash is answered with nothing (FIELD-NOTES 10) or with 1306. */
async function oneStats({ hash, domain }: LinkKey, client: Session['client']): Promise<StatsRecord | undefined> {
  try {
    const { stats } = await client.send('getStats', { path: { hash }, query: { domain } });
    return stats.find((record) => record.hash === hash) ?? stats.find((record) => foldedHash(record.hash) === foldedHash(hash));
  } catch (error) {
    if ((error as { apiCode?: number }).apiCode === 1306) return undefined;
    throw error;
  }
}

/** What the listing says of clicks: of what tags select, or of one domain, or of all, one after the other. */
async function listedStats(tags: string | undefined, { top, allDomains }: StatsOptions, session: Session): Promise<RowsReport> {
  const { warn, streams, global } = session;
  const isPart = tags === undefined && !allDomains;
  if (tags !== undefined) await checkTagExpression(tags, session);
  const one = tags === undefined ? { domain: session.domain } : { tags };
  const selections = tags === undefined && allDomains ? ofEveryDomain({}, await session.domains()) : [one];
  const severalDomains =
    tags === undefined ? selections.length > 1 : showsDefaultFields(session) && (await hasNamesakes(session));
  const covered: string[] = [];
  async function* pages(): AsyncGenerator<Row[]> {
    let read = 0;
    for await (const { rows } of joinedPages(session.client, selections, { all: true }, { warn: (text) => void warn(text) })) {
      read += rows.length;
      streams.progress.step(() => `${read} URLs`);
      yield rows.map((record) => ({ ...statsOf(record) }));
    }
    if (isPart && !global.quiet) covered.push(...(await coverage(session)));
  }
  const report = clickRows(pages(), { top, glyphs: streams.glyphs, severalDomains });
  return { ...report, notes: () => [...(report.notes?.() ?? []), ...covered] };
}

/** The short URL tells apart namesakes on several domains. */
function statsOf(record: StatsRecord & { short_url?: string }): StatsRecord & { short_url?: string } {
  const { hash, short_url, total_clicks, unique_clicks } = record;
  return { hash, short_url, total_clicks, unique_clicks };
}
