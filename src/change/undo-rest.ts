import { CliError } from '../base/errors.ts';
import { folders } from '../base/system.ts';
import { type DoneRun, readDoneRun } from '../bulk/past-runs/done-run.ts';
import { type RunFolders, runFolders } from '../bulk/past-runs/run-names.ts';
import { firstOf, restOf } from '../bulk/past-runs/undo-chain.ts';
import { type Reversal, reversalsOf, sinceWhole } from '../bulk/past-runs/undos.ts';
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

/** Returns true if there is more to undo of a run: links, or a tag that the last undo or redo kept because other links had it. */
export async function isLeft(run: DoneRun, session: Session): Promise<boolean> {
  const { operation, options, run: name } = run.begin;
  const kept = foldersOf(session);
  if (operation !== 'tags')
    return (await hasMore(run, session.system)) || (options.tags !== undefined && (await hasKeptTags(name, kept)));
  const { isUndone, later } = sinceWhole(await reversalsOf(name, kept), name);
  const isTakenBack = ({ isUndo, run: redo }: Reversal) => isUndo || later.some(({ undoes }) => undoes === redo);
  return !isUndone || !later.every((reversal) => reversal.isWhole && isTakenBack(reversal));
}

async function hasKeptTags(run: string, kept: RunFolders): Promise<boolean> {
  const reversals = await reversalsOf(await firstOf(run, kept), kept);
  return (reversals.sort((one, other) => one.resumed - other.resumed).at(-1)?.state?.kept ?? 0) > 0;
}

/** Undoes a part or, if nothing of it is to be changed, the others. Ends with 3 if something is left after the last row. */
export async function withRest(chain: Chain, part: DoneRun, undo: (run: DoneRun) => Promise<RowsReport>): Promise<RowsReport> {
  const { session, run, named, command } = chain;
  // A first undo is about the whole run, and to ask would read its journal once more.
  if (part.undoneBy.length === 0 && part.begin.undoes === undefined) return await undo(part);
  const { first, wholes } = await restOf(run, foldersOf(session), command);
  const report = await undo(part);
  const isAll = named === undefined || named === first;
  if (wholes.length === 0 || !isAll) return report;
  const others = isEmpty(report) ? (await left(wholes, chain)).filter(({ begin }) => begin.run !== run) : [];
  const changed = await firstWithRows(report, others, undo);
  if (isEmpty(changed) || session.global.dryRun) return changed;
  const ofPart = isEmpty(report) ? report.outcome?.() : undefined;
  // What an empty part had to leave unchanged may be restored now. What may still be applied stays so.
  if (ofPart && ofPart.kind !== 'partial') return withEnd(changed, async () => ofPart);
  return withEnd(changed, async () => ((await left(wholes, chain)).length > 0 ? (ofPart ?? partDone(first, chain)) : undefined));
}

async function left(runs: readonly string[], chain: Chain): Promise<DoneRun[]> {
  const unfinished: DoneRun[] = [];
  for (const run of runs) {
    const done = await readDoneRun(folders(chain.session.system).state, run);
    if (await isLeft(done, chain.session)) unfinished.push(done);
  }
  return unfinished;
}

function foldersOf({ system }: Session) {
  return runFolders(folders(system).state);
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
  if (!isEmpty(next)) return next;
  return await firstWithRows({ ...next, outcome: () => next.outcome?.() ?? empty.outcome?.() }, others, undo);
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
