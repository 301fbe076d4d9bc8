import { CliError } from '../base/errors.ts';
import { folders } from '../base/system.ts';
import { type DoneRun, readDoneRun } from '../bulk/past-runs/done-run.ts';
import { runFolders } from '../bulk/past-runs/run-names.ts';
import { type Rest, restOf } from '../bulk/past-runs/undo-chain.ts';
import type { Session } from '../cli/session.ts';
import type { Row, RowsReport } from '../output/report.ts';
import { hasMore } from './rows/undone-links.ts';
import type { Direction } from './rows/undone-run.ts';

/** A run was undone and redone in parts, of which `undo` and `redo` change one at a time. */
interface Chain {
  /** The part. */
  readonly run: string;
  /** The run that was named, if any. If it is not the first of the chain, the others do not matter. */
  readonly named?: string | undefined;
  readonly command: Direction['command'];
  readonly session: Session;
}

/** Returns true if there is more to undo of a run. Journals of links show what is left; those of tags only that something was. */
export async function isLeft(run: DoneRun, chain: Chain): Promise<boolean> {
  const { operation, options } = run.begin;
  const hasTags = operation === 'tags' || options.tags !== undefined;
  return hasTags ? (await rest(chain)).isPart : await hasMore(run, chain.session);
}

/** Undoes a part or, if nothing of it is to be changed, the others. Ends with 3 if something is left after the last row. */
export async function withRest(chain: Chain, part: DoneRun, undo: (run: DoneRun) => Promise<RowsReport>): Promise<RowsReport> {
  const { session, run, named } = chain;
  // A first undo is about the whole run, and to ask would read its journal once more.
  if (part.undoneBy.length === 0 && part.begin.undoes === undefined) return await undo(part);
  const { first, wholes } = await rest(chain);
  const report = await undo(part);
  const isAll = named === undefined || named === first;
  if (session.global.dryRun || wholes.length === 0 || !isAll) return report;
  if (!isEmpty(report))
    return withEnd(report, async () => ((await left(wholes, chain)).length > 0 ? partDone(first, chain) : undefined));
  const others = (await left(wholes, chain)).filter(({ begin }) => begin.run !== run);
  return await firstWithRows(report, others, undo);
}

function rest({ run, command, session }: Chain): Promise<Rest> {
  return restOf(run, runFolders(folders(session.system).state), command);
}

async function left(runs: readonly string[], chain: Chain): Promise<DoneRun[]> {
  const unfinished: DoneRun[] = [];
  for (const run of runs) {
    const done = await readDoneRun(folders(chain.session.system).state, run);
    if (await isLeft(done, chain)) unfinished.push(done);
  }
  return unfinished;
}

function isEmpty({ rows }: RowsReport): boolean {
  return Array.isArray(rows) && rows.length === 0;
}

async function firstWithRows(
  empty: RowsReport,
  [run, ...others]: readonly DoneRun[],
  undo: (run: DoneRun) => Promise<RowsReport>,
): Promise<RowsReport> {
  if (!run) return empty;
  const next = await undo(run);
  const report = { ...next, outcome: () => next.outcome?.() ?? empty.outcome?.() };
  return isEmpty(next) ? await firstWithRows(report, others, undo) : report;
}

function withEnd(report: RowsReport, endOf: () => Promise<CliError | undefined>): RowsReport {
  let end: CliError | undefined;
  async function* rows() {
    yield* report.rows as AsyncIterable<Row[]>;
    end = await endOf();
  }
  return { ...report, rows: rows(), outcome: () => report.outcome?.() ?? end };
}

function partDone(run: string, { command }: Chain): CliError {
  const message = `there is more of run ${run} to ${command}: an earlier undo or redo left links out`;
  return new CliError('partial', message, { hint: `linkctl ${command} ${run}` });
}
