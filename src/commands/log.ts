import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import { dayLength } from '../base/times.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { openSession, type Session } from '../cli/session.ts';
import { isBefore, logPages, newEntries } from '../client/pages.ts';
import type { LogEntry } from '../contract/records.ts';
import { count, seconds } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import { pastTime, pointInTime } from '../input/point-in-time.ts';
import { grouped, quantity } from '../output/quantity.ts';
import type { Column, Row, RowsReport } from '../output/report.ts';

interface LogOptions {
  readonly limit?: number;
  readonly offset?: number;
  readonly all?: boolean;
  readonly since?: string;
  readonly type?: string;
  readonly follow?: boolean;
  /** Seconds. */
  readonly interval?: number;
}

export function register(command: Command, run: Runner): void {
  command
    .option('-L, --limit <n>', 'maximum number of entries (default: one batch)', count(1))
    .option('--offset <n>', 'number of entries to skip', count(0))
    .option('--all', 'list all entries')
    .option('--since <time>', 'all entries since <time>: 2026-01-31, 2026-01-31T09:00, 7d or 12h')
    .option('--type <type>', 'only entries of <type>')
    .option('-F, --follow', 'print new entries as they arrive, oldest first')
    .option('--interval <seconds>', 'seconds between requests of --follow (default: 30)', seconds(0.001))
    .action(run(log));
  describe(command, {
    examples: ['linkctl log', 'linkctl log --since 7d -o jsonl', 'linkctl log --follow --type notification'],
    fields: logColumns,
    notes: [
      'Entries are listed newest first, with times in UTC. The server keeps them for 30 days. Each request of --follow counts as an API call.',
    ],
    onlyReads: true,
    globals: ['--fields', '--no-truncate', '--quiet'],
  });
}

/** GET /log documents no filters, so `--since` and `--type` are applied here. */
async function log(options: LogOptions, invocation: Invocation): Promise<RowsReport> {
  refuseConflicts(options);
  const { now } = invocation;
  const timeOf = options.follow ? pointInTime : pastTime;
  const since = options.since === undefined ? undefined : timeOf('--since', options.since, now);
  const session = await openSession(invocation);
  if (since !== undefined && since < now - retention) {
    await session.warn('the server keeps log entries for 30 days; --since reaches further back');
  }
  // The API has no fractions of a second (4.1.6).
  const filter: EntryFilter = { since: since === undefined ? always : since - (since % 1000), type: options.type };
  return options.follow ? follow(filter, options, session) : listEntries(filter, options, session);
}

/** Milliseconds; 30 days (8). */
const retention = 30 * dayLength;

function refuseConflicts({ limit, offset, all, follow, interval, type }: LogOptions): void {
  if (type === '') throw new UsageError('--type: the type is empty');
  if (all && limit !== undefined) throw new UsageError('specify only one of --all or --limit');
  if (follow && offset !== undefined) throw new UsageError('specify only one of --follow or --offset');
  if (!follow && interval !== undefined) throw new UsageError('--interval requires --follow');
}

interface EntryFilter {
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly type: string | undefined;
}

const always = Number.NEGATIVE_INFINITY;

function listEntries(filter: EntryFilter, options: LogOptions, session: Session): RowsReport {
  const { client, warn, streams } = session;
  const { limit = Number.POSITIVE_INFINITY, offset = 0 } = options;
  const isSelected = filter.since !== always || filter.type !== undefined;
  // Rows are filtered here, so more pages than rows may be needed.
  const extent = isSelected && (options.limit !== undefined || filter.since !== always) ? { all: true, offset } : options;
  let reported: number | undefined;
  let shown = 0;
  let read = 0;
  let hasReachedSince = false;
  const types = new Set<string>();
  async function* rows(): AsyncGenerator<Row[]> {
    for await (const next of logPages(client, extent, { warn })) {
      reported = next.total;
      const found: LogEntry[] = [];
      for (const entry of next.rows) {
        hasReachedSince = isBefore(entry, filter.since);
        if (hasReachedSince || shown === limit) break;
        read += 1;
        if (types.size < maxTypesNamed) types.add(String(entry.type));
        if (!isOfType(entry, filter)) continue;
        shown += 1;
        found.push(entry);
      }
      yield found;
      if (hasReachedSince || shown === limit) return;
      streams.progress.step(() => `${shown} log entries`);
    }
  }
  return {
    ...logRows(rows()),
    members: () => ({ page: { results_count: shown, total_count: reported, offset } }),
    notes: () => {
      const total = reported ?? 0;
      if (shown === 0 && read > 0)
        return [unknownTypeNote(filter, types, total > offset + read ? `${grouped(read)} of ${grouped(total)}` : grouped(read))];
      // If all entries were requested and the server lists fewer, the reading has warned.
      if (options.all || hasReachedSince || shown === 0 || total <= offset + read) return [];
      const of = `of ${grouped(total)}`;
      const what = isSelected
        ? `${quantity(shown, 'log entry')} after reading ${grouped(read)} ${of}`
        : `${grouped(shown)} ${of} entries`;
      return [`Showing ${what}.${options.limit === undefined ? ' Use --all or --limit N.' : ''}`];
    },
  };
}

const maxTypesNamed = 10;

/** API.md does not list the types, so an empty result names those that exist: the user may have misspelled one. */
function unknownTypeNote({ type = '' }: EntryFilter, types: ReadonlySet<string>, searched: string): string {
  return `no log entries of type ${type} among ${searched} entries; existing types: ${[...types].join(', ')}`;
}

/** Entries that `--follow` starts with by default. */
const initialEntries = 10;

function follow(filter: EntryFilter, options: LogOptions, session: Session): RowsReport {
  const { client, system, deadline, note } = session;
  const { limit = filter.since === always && !options.all ? initialEntries : Number.POSITIVE_INFINITY, interval = 30 } = options;
  const matches = (entry: LogEntry) => !isBefore(entry, filter.since) && isOfType(entry, filter);
  let found = 0;
  const isEnough = (page: readonly LogEntry[]): boolean => {
    found += page.filter(matches).length;
    return found >= limit || page.some((entry) => isBefore(entry, filter.since));
  };
  async function* rows(): AsyncGenerator<Row[]> {
    const entries = newEntries(client);
    const newest = await entries.first(isEnough);
    const first = newest.filter(matches);
    if (newest.length > 0 && !newest.some((entry) => isOfType(entry, filter))) {
      await note(
        unknownTypeNote(filter, new Set(newest.slice(0, maxTypesNamed).map(({ type }) => String(type))), `${newest.length}`),
      );
    }
    // Entries arrive newest first and are shown oldest first.
    yield first.slice(0, limit).reverse();
    for (;;) {
      await system.sleep(interval * 1000, deadline.signal);
      yield (await entries.next()).filter(matches).reverse();
    }
  }
  return { ...logRows(rows()), endless: true };
}

function isOfType(entry: LogEntry, { type }: EntryFilter): boolean {
  return type === undefined || entry.type === type;
}

const logColumns: readonly Column[] = [
  { name: 'time', time: true },
  { name: 'type' },
  { name: 'message', shrinks: true, essential: true },
  { name: 'satellite_username' },
  { name: 'links', shrinks: true },
];

function logRows(rows: RowsReport['rows']): RowsReport {
  return {
    kind: 'rows',
    key: 'log',
    rows,
    columns: logColumns,
    tableFields: ['time', 'type', 'message'],
    empty: 'no log entries',
  };
}
