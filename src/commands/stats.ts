import type { Command } from 'commander';
import { type Context, type Runner, refuseDomain, sourceOptions } from '../action.ts';
import { groupSize, type HashTarget } from '../client/groups.ts';
import { namedUrls } from '../client/named-urls.ts';
import { type ListSelection, urlPages } from '../client/pages.ts';
import type { StatsRecord } from '../contract/records.ts';
import { NotFoundError, sharedFailure } from '../errors.ts';
import { addSelectionFlags, readSelection, type SelectionOptions } from '../flags/selection-flags.ts';
import { count } from '../flags/values.ts';
import { describe } from '../help/layout.ts';
import { readTargets } from '../input/hash-targets.ts';
import type { HashOperand } from '../input/hashes.ts';
import type { Column, Row, RowsReport } from '../output/report.ts';
import type { Session } from '../session.ts';

interface StatsOptions extends SelectionOptions {
  readonly top?: number;
  readonly ignoreMissing?: boolean;
}

export function registerStats(command: Command, run: Runner): void {
  addSelectionFlags(command);
  command
    .option('--top <n>', 'only those with the most clicks, the largest first', count(1))
    .option('--ignore-missing', 'a hash that does not exist is no failure')
    .action(run(stats));
  describe(command, {
    examples: [
      'linkctl stats abc',
      'linkctl stats --top 10',
      "linkctl stats --by-tags 'promo' -o csv > clicks.csv",
      'linkctl list --search nodejs.org --fields hash | linkctl stats --hashes-from -',
    ],
    fields: statsColumns.map(({ name }) => name),
    notes: [
      'Without a selection: the whole account, on all its domains unless one is named. On a terminal each row has a bar, its ' +
        'share of the most clicks; a listing of several pages is drawn as it comes, so a bar compares with the pages before it.',
    ],
    globals: ['--fields', '--domain', '--header', '--quiet'],
  });
}

/** GET /stats/[hash] for one, GET /urls?hashes= for several (B84), the listing for a tag expression or the whole account. */
async function stats(options: StatsOptions, context: Context, operands: string[]): Promise<RowsReport> {
  const selection = readSelection(operands, options);
  const session = await context.session();
  if (selection && selection.kind !== 'tags') {
    const targets = await readTargets(selection, session, sourceOptions(context));
    return namedStats(targets, options, session, context);
  }
  if (selection) await refuseDomain(session, context);
  const pages = listedStats(selection && { tags: selection.expression }, session, context);
  return statsRows(pages, options, context);
}

/** The URLs that were named; one that is not there is a failed row (B43). */
function namedStats(targets: readonly HashOperand[], options: StatsOptions, session: Session, context: Context): RowsReport {
  const missing = new Map<Row, NotFoundError>();
  async function* pages(): AsyncGenerator<Row[]> {
    const found: Row[] = [];
    for await (const { target, record } of readNamed(targets, session)) {
      if (!record && options.ignoreMissing) continue;
      const row = record ? { ...record } : missingRow(target);
      if (!record) missing.set(row, notFound(target));
      found.push(row);
    }
    yield found;
  }
  return {
    ...statsRows(pages(), options, context, missing),
    failure: (row) => missing.get(row),
    outcome: () => sharedFailure([...missing.values()], targets.length, 'URLs do not exist'),
  };
}

interface NamedStats {
  readonly target: HashTarget;
  readonly record: StatsRecord | undefined;
}

async function* readNamed(targets: readonly HashOperand[], { client, edition, defaults }: Session): AsyncGenerator<NamedStats> {
  const [only] = targets;
  if (only && targets.length === 1) {
    yield { target: only, record: await oneStats(only, client) };
    return;
  }
  const size = groupSize(edition, defaults.batch_size ?? undefined);
  for await (const { target, record } of namedUrls(client, targets, size)) yield { target, record: record && statsOf(record) };
}

/** An unknown hash is answered with nothing (FIELD-NOTES 10) or with 1306. */
async function oneStats({ hash, domain }: HashTarget, client: Session['client']): Promise<StatsRecord | undefined> {
  try {
    const { stats } = await client.send('getStats', { path: { hash }, query: { domain } });
    return stats.find((record) => record.hash === hash);
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

function statsRows(
  pages: AsyncIterable<Row[]>,
  { top }: StatsOptions,
  { streams: { glyphs } }: Context,
  missing: ReadonlyMap<Row, NotFoundError> = new Map(),
): RowsReport {
  const sum = { urls: 0, total_clicks: 0, unique_clicks: 0 };
  let most = 0;
  async function* counted(): AsyncGenerator<Row[]> {
    for await (const page of pages) {
      for (const row of page) {
        if (missing.has(row)) continue;
        sum.urls += 1;
        sum.total_clicks += clicks(row);
        sum.unique_clicks += Number(row.unique_clicks ?? 0);
        most = Math.max(most, clicks(row));
      }
      yield top === undefined ? page : page.filter((row) => !missing.has(row));
    }
  }
  async function* rows(): AsyncGenerator<Row> {
    for await (const page of top === undefined ? counted() : largest(counted(), top)) yield* page;
    if (top !== undefined) yield* missing.keys();
  }
  return {
    kind: 'rows',
    key: 'stats',
    rows: rows(),
    columns: statsColumns,
    tableFields: ['hash', 'total_clicks', 'unique_clicks'],
    pipedFields: ['hash', 'total_clicks', 'unique_clicks'],
    drawn: [{ name: 'share', title: '', show: (_value, row) => barOf(clicks(row), most, glyphs.bar) }],
    members: () => ({ summary: sum }),
    notes: () =>
      sum.urls > 1 ? [`${sum.urls} URLs: ${sum.total_clicks} clicks, ${sum.unique_clicks} of them unique`] : [],
    empty: 'no URLs match',
  };
}

/** Only `count` rows and one page are held, however many there are; rows with equal clicks stay in order. */
async function* largest(pages: AsyncIterable<Row[]>, count: number): AsyncGenerator<Row[]> {
  let kept: Row[] = [];
  const cut = (): void => {
    kept = kept.sort((one, other) => clicks(other) - clicks(one)).slice(0, count);
  };
  for await (const page of pages) {
    kept.push(...page);
    if (kept.length > 2 * count) cut();
  }
  cut();
  yield kept;
}

const barLength = 20;

/** Whoever has a click has a bar. */
function barOf(clicks: number, most: number, bar: string): string {
  return clicks > 0 ? bar.repeat(Math.max(1, Math.round((clicks / most) * barLength))) : '';
}

function clicks({ total_clicks }: Row): number {
  return Number(total_clicks ?? 0);
}

function missingRow({ hash, domain }: HashTarget): Row {
  return { hash, ...(domain && { domain }), error: { code: 1306, message: 'URL not found', details: '' } };
}

function notFound({ hash, domain }: HashTarget): NotFoundError {
  return new NotFoundError(`no short URL "${hash}"${domain ? ` on ${domain}` : ''}`, { apiCode: 1306 });
}

const statsColumns: readonly Column[] = [
  { name: 'hash' },
  { name: 'short_url' },
  { name: 'total_clicks', title: 'TOTAL', align: 'right' },
  { name: 'unique_clicks', title: 'UNIQUE', align: 'right' },
];
