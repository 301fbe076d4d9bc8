import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/run.ts';
import { openSession, type Session } from '../cli/session.ts';
import { newEntries } from '../client/new-entries.ts';
import { logPages } from '../client/pages.ts';
import type { LogEntry } from '../contract/records.ts';
import { count, seconds } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import { pointInTime } from '../input/point-in-time.ts';
import { type Column, namesOf, type Row, type RowsReport } from '../output/report.ts';

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

export function registerLog(command: Command, run: Runner): void {
  command
    .option('-L, --limit <n>', 'maximum number of entries (default: one batch)', count(1))
    .option('--offset <n>', 'number of entries to skip', count(0))
    .option('--all', 'list all entries')
    .option('--since <time>', 'all entries since <time>: 2026-01-31, 2026-01-31T09:00, 7d or 12h')
    .option('--type <type>', 'only entries of <type>')
    .option('-F, --follow', 'print new entries as they arrive, oldest first')
    .option('--interval <seconds>', 'seconds between requests of --follow (default: 30)', seconds('above zero'))
    .action(run(log));
  describe(command, {
    examples: ['linkctl log', 'linkctl log --since 7d -o jsonl', 'linkctl log --follow --type notification'],
    fields: namesOf(logColumns),
    notes: [
      'Entries are listed newest first, with times in UTC. The server keeps them for 30 days. Each request of --follow counts as an API call.',
    ],
    globals: ['--fields', '--no-truncate', '--quiet'],
  });
}

/** GET /log; what it cannot select is selected here, as its other parameters are not shown. */
async function log(options: LogOptions, invocation: Invocation): Promise<RowsReport> {
  refuseConflicts(options);
  const { now } = invocation;
  const since = options.since === undefined ? undefined : pointInTime('--since', options.since, now);
  const session = await openSession(invocation);
  if (since !== undefined && since < now - retention) {
    await session.warn('the server keeps log entries for 30 days; --since reaches further back');
  }
  const wanted: Wanted = { since: since === undefined ? '' : dateTime(since), type: options.type };
  return options.follow ? follow(wanted, options, session) : listEntries(wanted, options, session);
}

/** 30 days (API.md 8), in milliseconds. */
const retention = 30 * 86_400_000;

function refuseConflicts({ limit, offset, all, follow, interval }: LogOptions): void {
  if (all && limit !== undefined) throw new UsageError('specify only one of --all or --limit');
  if (follow && offset !== undefined) throw new UsageError('specify only one of --follow or --offset');
  if (!follow && interval !== undefined) throw new UsageError('--interval requires --follow');
}

/** Which entries are shown. */
interface Wanted {
  /** `YYYY-MM-DD HH:MM:SS`; empty for all times. */
  readonly since: string;
  readonly type: string | undefined;
}

function listEntries(wanted: Wanted, options: LogOptions, session: Session): RowsReport {
  const { client, warn, streams } = session;
  const { limit = Number.POSITIVE_INFINITY, offset = 0 } = options;
  const isSelected = wanted.since !== '' || wanted.type !== undefined;
  // To find as many as are wanted, or all since then, more pages may be needed than rows.
  const extent = isSelected && (options.limit !== undefined || wanted.since !== '') ? { all: true, offset } : options;
  let said: number | undefined;
  let shown = 0;
  let read = 0;
  let hasReachedSince = false;
  const types = new Set<string>();
  async function* rows(): AsyncGenerator<Row[]> {
    for await (const next of logPages(client, extent, { warn })) {
      said = next.total;
      const found: LogEntry[] = [];
      for (const entry of next.rows) {
        hasReachedSince = isBefore(entry, wanted);
        if (hasReachedSince || shown === limit) break;
        read += 1;
        if (types.size < typesNamed) types.add(String(entry.type));
        if (!isOfType(entry, wanted)) continue;
        shown += 1;
        found.push(entry);
      }
      yield found;
      if (hasReachedSince || shown === limit) return;
      streams.progress.step(() => `${shown} log entries`);
    }
  }
  const total = () => said ?? offset + read;
  return {
    ...logRows(rows()),
    members: () => ({ page: { results_count: shown, total_count: total(), offset } }),
    notes: () => {
      if (shown === 0 && read > 0)
        return [strangeType(wanted, types, total() > offset + read ? `${read} of ${total()}` : `${read}`)];
      if (hasReachedSince || shown === 0 || total() <= offset + read) return [];
      const what = isSelected ? `${shown} entries, selected from ${read} of ${total()}` : `${shown} of ${total()} entries`;
      return [`Showing ${what}. Use --all or --limit N.`];
    },
  };
}

/** Types that are named where none of them is the one that was asked for. */
const typesNamed = 10;

/** What the server calls its types is not shown: nothing found may be a word that it does not have (D48). */
function strangeType({ type = '' }: Wanted, types: ReadonlySet<string>, looked: string): string {
  return `no log entries of type ${type} among ${looked} entries; existing types: ${[...types].join(', ')}`;
}

/** Newest entries that `--follow` begins with, where nothing says how many. */
const beginning = 10;

function follow(wanted: Wanted, options: LogOptions, session: Session): RowsReport {
  const { client, system, deadline, note } = session;
  const { limit = wanted.since === '' && !options.all ? beginning : Number.POSITIVE_INFINITY, interval = 30 } = options;
  const isWanted = (entry: LogEntry) => !isBefore(entry, wanted) && isOfType(entry, wanted);
  let found = 0;
  const isEnough = (page: readonly LogEntry[]): boolean => {
    found += page.filter(isWanted).length;
    return found >= limit || page.some((entry) => isBefore(entry, wanted));
  };
  async function* rows(): AsyncGenerator<Row[]> {
    const entries = newEntries(client);
    const newest = await entries.first(isEnough);
    const first = newest.filter(isWanted);
    if (newest.length > 0 && !newest.some((entry) => isOfType(entry, wanted))) {
      await note(strangeType(wanted, new Set(newest.slice(0, typesNamed).map(({ type }) => String(type))), `${newest.length}`));
    }
    // Newest first as they come, oldest first as they are shown.
    yield first.slice(0, limit).reverse();
    for (;;) {
      await system.sleep(interval * 1000, deadline.signal);
      yield (await entries.next()).filter(isWanted).reverse();
    }
  }
  return { ...logRows(rows()), endless: true };
}

/** A time that is none proves nothing. */
function isBefore({ time }: LogEntry, { since }: Wanted): boolean {
  return /^\d{4}-/.test(time ?? '') && time < since;
}

function isOfType(entry: LogEntry, { type }: Wanted): boolean {
  return type === undefined || entry.type === type;
}

function dateTime(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ');
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
