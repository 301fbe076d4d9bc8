import { readKeptRows } from '../../files/kept-rows.ts';
import type { RunRow } from '../run-plan.ts';
import type { DoneChange } from './done-change.ts';
import { type DoneRun, readDoneRun } from './done-run.ts';
import { type RunFolders, runRecord } from './run-names.ts';
import { firstOf } from './undo-chain.ts';
import { hasDone, isOpen, mayHaveDone, type Reversal, reversalsOf } from './undos.ts';

/** A run to revert, and those of its changes that are reverted. */
export interface RevertibleRun {
  readonly run: DoneRun;
  readonly reverted: RevertedChanges;
}

interface RevertedChanges {
  /** All undos and redos of the chain, in the order in which they decided. */
  readonly reversals: readonly Reversal[];
  readonly isAll: boolean;
  has(change: DoneChange): boolean;
  /** The change is applied, or an undo in doubt may have restored it. What a redo in doubt may have made does not count. */
  isLeft(change: DoneChange): boolean;
  /** The run created the link, an undo deleted it, and a redo in doubt may have made it again, or somebody else. */
  wasDeleted(change: DoneChange): boolean;
}

/** Throws `NotFoundError` if the record of the run is gone, and `LocalError` if its journal is damaged. */
export async function readRevertibleRun(name: string, kept: RunFolders): Promise<RevertibleRun> {
  const run = await readDoneRun(name, kept);
  return { run, reverted: await revertedChanges(run, kept) };
}

/** Returns true if the run changed links that its undos have not restored. */
export async function hasMore({ run, reverted }: RevertibleRun): Promise<boolean> {
  if (reverted.isAll) return false;
  if (run.untraceableRows > 0) return true;
  for await (const some of run.changes()) if (!some.every(reverted.has)) return true;
  return false;
}

/** Returns the number of changes of the run that are still applied after its undos, or may be, not counting rows whose links cannot be found. */
export async function leftCount({ run, reverted }: RevertibleRun): Promise<number> {
  if (reverted.isAll) return 0;
  let count = 0;
  for await (const some of run.changes()) count += some.filter(reverted.isLeft).length;
  return count;
}

/** Asks the records of the chain: for each row of its first run, the last undo or redo that decided about it counts. */
async function revertedChanges(run: DoneRun, kept: RunFolders): Promise<RevertedChanges> {
  const name = run.begin.run;
  const first = await firstRunOf(run, kept);
  const reversals = await reversalsOf(first, kept);
  if (reversals.length === 0) return { ...none, reversals };
  const last = reversals.at(-1);
  // A redo that is not whole may still be applied.
  const isCertain = reversals.every(({ isUndo, isWhole }) => isUndo || isWhole);
  if (isCertain && last?.isWhole && last.undoes === name) return { ...all, reversals };
  const plans = await plansOf(first, reversals, kept);
  const { restored, byRedo } = restoredRows(first, reversals, plans);
  const isUndo = reversals.find((reversal) => reversal.run === name)?.isUndo ?? false;
  const [reverted, left] = isUndo ? [applied, asBefore] : [asBefore, applied];
  const undos = reversals.filter((reversal) => reversal.undoes === name && !run.outgrown.has(reversal.run));
  const deleted = new Set(undos.flatMap((undo) => plans.get(undo.run)?.rows.filter((_, index) => hasDone(undo, index)) ?? []));
  const rowOf = ({ row }: DoneChange): number => plans.get(name)?.rows[row] ?? noRow;
  const stateOf = (change: DoneChange): number | undefined => restored[rowOf(change)];
  return {
    reversals,
    isAll: false,
    has: (change) => stateOf(change) === reverted,
    isLeft: (change) => stateOf(change) === left || (stateOf(change) === uncertain && byRedo[rowOf(change)] === 0),
    wasDeleted: (change) => change.before === undefined && stateOf(change) === uncertain && deleted.has(rowOf(change)),
  };
}

const none = { isAll: false, has: () => false, isLeft: () => true, wasDeleted: () => false };
const all = { isAll: true, has: () => true, isLeft: () => false, wasDeleted: () => false };

/** Returns the run itself if that with which its chain begins cannot be read. */
async function firstRunOf(run: DoneRun, kept: RunFolders): Promise<DoneRun> {
  if (run.begin.undoes === undefined) return run;
  return await readDoneRun(await firstOf(run.begin.run, kept), kept).catch(() => run);
}

/**
 * The link of a row of the first run: as the run made it, as it was before, one of the two, or between the two steps of an exchange of hashes.
 */
const [applied, asBefore, uncertain, between] = [0, 1, 2, 3];
/** What an undo or redo did to the link of a row: nothing, perhaps something, all, or one step of two. */
const [missed, doubtful, done, halfway, unasked] = [0, 1, 2, 3, 4];

/** Returns what is known of each row of the first run, and 1 for rows of which a redo was the last to do something in doubt. */
function restoredRows({ begin }: DoneRun, reversals: readonly Reversal[], plans: ReadonlyMap<string, Plan>) {
  const restored = new Uint8Array(begin.input.rows);
  /** By run: what was known before it. */
  const before = new Map([[begin.run, restored.slice().fill(asBefore)]]);
  /** Rows that a redo may still apply: what others find meanwhile proves nothing. */
  const open = new Uint8Array(restored.length);
  const byRedo = new Uint8Array(restored.length);
  for (const reversal of reversals) {
    const { rows = [], found = [] } = plans.get(reversal.run) ?? {};
    // An undo found its rows applied; a redo found its rows as before.
    for (const row of rows) if (restored[row] === uncertain) restored[row] = reversal.isUndo ? applied : asBefore;
    before.set(reversal.run, restored.slice());
    const back = before.get(reversal.undoes) ?? restored;
    for (const row of found) if (open[row] === 0) restored[row] = back[row] ?? uncertain;
    for (const [index, row] of rows.entries()) open[row] = Number(!reversal.isUndo && isOpen(reversal, index));
    const reached = reachedRows(reversal, rows, restored.length);
    for (const row of rows) {
      if (reached[row] === doubtful) byRedo[row] = Number(!reversal.isUndo);
      if (reached[row] === done) restored[row] = stateAfter(reversal, back[row]);
      else if (reached[row] === doubtful) restored[row] = uncertain;
      else if (reached[row] === halfway) restored[row] = between;
      else if (reversal.isUndo) restored[row] = applied;
    }
    if (rows.length === reversal.state?.begin.input.rows && !rows.includes(noRow)) continue;
    // It may have been about any row.
    restored.fill(uncertain);
    byRedo.fill(0);
  }
  return { restored, byRedo };
}

/** The state of a row that was applied. What other undos did before a resumed one says nothing about its rows, except in an exchange. */
function stateAfter({ isUndo }: Reversal, back: number = uncertain): number {
  if (back === uncertain || back === between) return back;
  return isUndo ? asBefore : applied;
}

function reachedRows(reversal: Reversal, rows: readonly number[], count: number): Uint8Array {
  const reached = new Uint8Array(count).fill(unasked);
  for (const [index, row] of rows.entries()) {
    const outcome = hasDone(reversal, index) ? done : mayHaveDone(reversal, index) ? doubtful : missed;
    reached[row] = reached[row] === unasked || reached[row] === outcome ? outcome : halfway;
  }
  return reached;
}

/** The links of a run in a chain, as rows of the first run. */
interface Plan {
  /** For each of its own rows. */
  readonly rows: readonly number[];
  /** The links that were found as they should be. */
  readonly found: readonly number[];
}

/** No row, which an array of bytes ignores. */
const noRow = -1;

/** By run. If the record of an undo is gone, that of its redo names rows of which nothing is known. */
async function plansOf({ begin: { run: first, input } }: DoneRun, reversals: readonly Reversal[], kept: RunFolders) {
  const plans = new Map<string, Plan>([[first, { rows: Array.from({ length: input.rows }, (_, row) => row), found: [] }]]);
  const planOf = async (run: string): Promise<Plan> => {
    const known = plans.get(run);
    const reversal = reversals.find((other) => other.run === run);
    if (known || !reversal) return known ?? { rows: [], found: [] };
    const undone = await planOf(reversal.undoes);
    const [rows, found]: [number[], number[]] = [[], []];
    for await (const { undoneRow = noRow, skip } of rowsOf(run, kept))
      (skip ? found : rows).push(undone.rows[undoneRow] ?? noRow);
    // A run without rows is recorded if all links were found as they should be.
    const plan = { rows, found: reversal.state?.begin.input.rows === 0 ? undone.rows : found };
    plans.set(run, plan);
    return plan;
  };
  for (const { run } of reversals) await planOf(run);
  return plans;
}

async function* rowsOf(run: string, kept: RunFolders): AsyncGenerator<RunRow> {
  try {
    for await (const rows of readKeptRows<RunRow>(runRecord(run, kept).input)) yield* rows;
  } catch {
    // What is not known decides nothing.
  }
}
