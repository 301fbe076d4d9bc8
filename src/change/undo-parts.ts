import { CliError, NotFoundError } from '../base/errors.ts';
import { hasMore, type RevertibleRun, readRevertibleRun } from '../bulk/past-runs/reverted-changes.ts';
import { type Parts, partsOf, wholesOf } from '../bulk/past-runs/undo-chain.ts';
import { type Reversal, reversalsOf, sinceWhole } from '../bulk/past-runs/undos.ts';
import type { Session } from '../cli/session.ts';
import type { Row, RowsReport } from '../output/report.ts';
import { hashChangePresentation } from '../output/url-columns.ts';
import { foldersOf } from './environment.ts';
import type { Direction } from './rows/undone-run.ts';
import { nothingToDo } from './unsent.ts';

/** Returns the error that says that links are left to revert; undefined if none are. */
export type LinksLeft = () => Promise<CliError | undefined>;

interface Reverting extends Direction {
  readonly force: boolean | undefined;
}

/**
 * Reverts what is left of a run. If it was undone and redone in parts, reverts the first part of which something is to be changed, and ends
 * with 3 if something is left after that.
 */
export async function revertParts(
  run: string,
  reverting: Reverting,
  session: Session,
  revert: (part: RevertibleRun, linksLeft: LinksLeft) => Promise<RowsReport>,
): Promise<RowsReport> {
  const parts = await partsOf(run, reverting.command, foldersOf(session));
  let empty: RowsReport | undefined;
  for await (const part of partsLeft(parts, session)) {
    const report = await revert(part, () => moreLeft(run, reverting, session, hasMore));
    const isEmpty = changesNothing(report);
    if (parts.isWhole || (session.global.dryRun && !isEmpty)) return report;
    const ofEmpty = empty?.outcome;
    if (!isEmpty) return withEnd(report, ofEmpty?.(), () => moreLeft(run, reverting, session));
    empty = { ...report, outcome: () => report.outcome?.() ?? ofEmpty?.() };
  }
  return empty ?? nothingToDo(hashChangePresentation('urls'), reverting.already(run, parts.doneBy));
}

async function* allOf(runs: readonly string[], session: Session): AsyncGenerator<RevertibleRun> {
  for (const run of runs) yield await readRevertibleRun(run, foldersOf(session));
}

async function* partsLeft({ unshown, ends, wholes, areAll, isWhole }: Parts, session: Session): AsyncGenerator<RevertibleRun> {
  // A first undo is about the whole run, and to ask would read its journal once more.
  if (isWhole) return yield* allOf(wholes, session);
  if (unshown !== undefined) yield* allOf([unshown], session);
  const runs = [...new Set([...ends, ...wholes])];
  // If nothing of all wholes is left, their ends have nothing to revert, either.
  if (!areAll || runs.length === wholes.length || (await isAnyLeft(wholes, session))) yield* leftOf(runs, session);
}

async function* leftOf(runs: readonly string[], session: Session, has = isLeft): AsyncGenerator<RevertibleRun> {
  for await (const run of allOf(runs, session)) if (await has(run, session)) yield run;
}

export async function isAnyLeft(runs: readonly string[], session: Session, has = isLeft): Promise<boolean> {
  for await (const _ of leftOf(runs, session, has)) return true;
  return false;
}

async function moreLeft(run: string, { command, force }: Reverting, session: Session, has = isLeft): ReturnType<LinksLeft> {
  try {
    if (!(await isAnyLeft(await wholesOf(run, command, foldersOf(session)), session, has))) return undefined;
  } catch (error) {
    // Another process may have deleted the record meanwhile: nothing shows that anything is left.
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
  const message = `there is more of run ${run} to ${command}: an earlier undo or redo left links out`;
  return new CliError('partial', message, { hint: `linkctl ${command} ${run}${force ? ' --force' : ''}` });
}

/** Returns true if there is more to revert of a run: links or tags. */
async function isLeft(part: RevertibleRun, session: Session): Promise<boolean> {
  const { run, reverted } = part;
  const { operation, options, run: name } = run.begin;
  if (operation !== 'tags') return (await hasMore(part)) || (options.tags !== undefined && hasMoreTags(name, reverted.reversals));
  const { isUndone, later } = sinceWhole(await reversalsOf(run, foldersOf(session)), name);
  const isTakenBack = ({ isUndo, run: redo }: Reversal) => isUndo || later.some(({ undoes }) => undoes === redo);
  return !isUndone || !later.every((reversal) => reversal.isWhole && isTakenBack(reversal));
}

/** Returns true if the last undo or redo changed the tags as the run did, kept a tag because links had it, or did not come to the tags. */
function hasMoreTags(run: string, reversals: readonly Reversal[]): boolean {
  const last = reversals.toSorted((one, other) => one.resumed - other.resumed).at(-1);
  const isUndo = reversals.find((reversal) => reversal.run === run)?.isUndo ?? false;
  if (!last || last.isUndo === isUndo) return last !== undefined;
  return last.state !== undefined && (!last.state.complete || last.state.kept > 0);
}

/** Rows that are known before anything is sent are those that are refused. */
export function changesNothing({ rows }: RowsReport): boolean {
  return !(Symbol.asyncIterator in rows);
}

/** What an empty part had to leave unchanged may be restored by the next one. What may still be applied stays so. */
function withEnd(report: RowsReport, ofEmpty: CliError | undefined, endOf: () => Promise<CliError | undefined>): RowsReport {
  let end = ofEmpty;
  async function* rows() {
    yield* report.rows as AsyncIterable<Row[]>;
    if (ofEmpty && ofEmpty.kind !== 'partial') return;
    const more = await endOf();
    end = more && (ofEmpty ?? more);
  }
  return { ...report, rows: rows(), outcome: () => report.outcome?.() ?? end };
}
