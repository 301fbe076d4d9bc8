import type { Command } from 'commander';
import type { Runner } from '../action.ts';
import type { ResetOptions } from '../changes/stats-reset.ts';
import { batchSizeOf } from '../client/groups.ts';
import { missingFailure, namedUrls, notFound } from '../client/named-urls.ts';
import { type ListSelection, urlPages } from '../client/pages.ts';
import { type Context, checkTagExpression, openInput } from '../context.ts';
import { foldedHash, type LinkKey } from '../contract/link.ts';
import type { StatsRecord } from '../contract/records.ts';
import { type CliError, UsageError } from '../errors.ts';
import { addBatchFlags, refuseRunFlags } from '../flags/bulk-flags.ts';
import { addSelectionFlags, readSelection } from '../flags/selection-flags.ts';
import { count } from '../flags/values.ts';
import { describe } from '../help/layout.ts';
import { type NamedTargets, readTargets } from '../input/hash-targets.ts';
import { clickColumns, clickRows } from '../output/click-rows.ts';
import type { Report, Row, RowsReport } from '../output/report.ts';
import type { Session } from '../session.ts';

interface StatsOptions extends ResetOptions {
  readonly top?: number;
  readonly reset?: boolean;
}

export function registerStats(command: Command, run: Runner): void {
  addSelectionFlags(command);
  command
    .option('--top <n>', 'only those with the most clicks, the largest first', count(1))
    .option('--reset', 'set the counters to 0, after a question')
    .option('--ignore-missing', 'a hash that does not exist is no failure');
  addBatchFlags(command);
  command.action(run(stats));
  describe(command, {
    examples: [
      'linkctl stats abc',
      'linkctl stats --top 10',
      "linkctl stats --by-tags 'promo' -o csv > clicks.csv",
      'linkctl list --all --fields short_url | linkctl stats --hashes-from -',
      'linkctl stats abc --reset',
    ],
    fields: clickColumns.map(({ name }) => name),
    notes: [
      'Without a selection: the whole account, on all its domains unless one is named. On a terminal each row has a bar, its ' +
        'share of the most clicks; a listing of several pages is drawn as it comes, so a bar compares with the pages before it.',
    ],
    globals: ['--fields', '--domain', '--header', '--quiet', '--yes', '--dry-run', '--max-affected'],
  });
}

/** GET /stats/[hash] for one, GET /urls?hashes= for several (B84), the listing for a tag expression or the whole account. */
async function stats(options: StatsOptions, context: Context, operands: string[]): Promise<Report> {
  if (options.reset) {
    if (options.top !== undefined) throw new UsageError('specify only one of --reset or --top');
    const { resetStats } = await import('../changes/stats-reset.ts');
    return await resetStats(options, context, operands);
  }
  refuseRunFlags(options, 'a reading', '--reset --hashes-from');
  const selection = readSelection(operands, options);
  const session = await context.session();
  if (selection && selection.kind !== 'tags') {
    const targets = await readTargets(selection, session, (path) => openInput(path, 'hashes', context));
    return namedStats(targets, options, session, context);
  }
  if (selection) await checkTagExpression(selection.expression, session, context);
  const pages = listedStats(selection && { tags: selection.expression }, session, context);
  return clickRows(pages, { top: options.top, glyphs: context.streams.glyphs });
}

/** The URLs that were named; one that is not there is a failed row (B43). */
function namedStats(
  targets: NamedTargets,
  { top, ignoreMissing, batchSize }: StatsOptions,
  session: Session,
  context: Context,
): RowsReport {
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
  const { streams } = context;
  return {
    ...clickRows(pages(), { top, glyphs: streams.glyphs, isMissing: (row) => failures.has(row) }),
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

/** What a listing says of clicks, a page at a time, one domain after the other. */
async function* listedStats(
  selection: { readonly tags: string } | undefined,
  session: Session,
  { warn, streams }: Context,
): AsyncGenerator<Row[]> {
  let read = 0;
  const queries: ListSelection[] = selection ? [selection] : await domainQueries(session);
  for (const query of queries) {
    for await (const { rows } of urlPages(session.client, query, { all: true }, { warn: (text) => void warn(text) })) {
      read += rows.length;
      streams.progress.step(() => `${read} URLs`);
      yield rows.map((record) => ({ ...statsOf(record) }));
    }
  }
}

/** A listing is of one domain (4.1.7): the whole account is all of them. A server that has no list of domains has one. */
async function domainQueries({ client, edition, domain }: Session): Promise<ListSelection[]> {
  if (domain !== undefined || edition === 'b') return [{ domain }];
  try {
    const { domains } = await client.send('listDomains', {});
    return domains.length > 1 ? domains.map((one) => ({ domain: one.domain })) : [{}];
  } catch (error) {
    const { apiCode, status } = error as { apiCode?: number; status?: number };
    if (apiCode === 1301 || apiCode === 1302 || status === 404) return [{}];
    throw error;
  }
}

/** The short URL tells apart namesakes on several domains. */
function statsOf(record: StatsRecord & { short_url?: string }): StatsRecord & { short_url?: string } {
  const { hash, short_url, total_clicks, unique_clicks } = record;
  return { hash, short_url, total_clicks, unique_clicks };
}

function missingRow({ hash, domain }: LinkKey): Row {
  return { hash, ...(domain && { domain }), error: { code: 1306, message: 'URL not found', details: '' } };
}
