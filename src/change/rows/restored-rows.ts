import { folders, type System } from '../../base/system.ts';
import type { DoneRun } from '../../bulk/past-runs/done-run.ts';
import { type RunFolders, runFolders, runRecord } from '../../bulk/past-runs/run-names.ts';
import { hasDone, mayHaveDone, type Reversal, reversalsOf } from '../../bulk/past-runs/undos.ts';

import type { RunRow } from '../../bulk/run-plan.ts';
import { readKeptRows } from '../../input/kept-rows.ts';

/** The rows of a run whose links are restored now. */
interface RestoredRows {
  readonly isAll: boolean;
  has(row: number): boolean;
}

/** Asks the records: for each row, the last undo or redo that decided about it counts. */
export async function restoredRows({ begin, undoneBy }: DoneRun, system: System): Promise<RestoredRows> {
  if (undoneBy.length === 0) return { isAll: false, has: () => false };
  const kept = runFolders(folders(system).state);
  const reversals = await reversalsOf(begin.run, kept);
  const last = reversals.at(-1);
  if (last?.isWhole && last.undoes === begin.run) return { isAll: true, has: () => true };
  const restored = new Uint8Array(begin.input.rows);
  const plans = await plansOf([...restored.keys()], reversals, kept);
  for (const reversal of reversals) {
    const { rows = [], found = [] } = plans.get(reversal.run) ?? {};
    for (const row of found) restored[row] = Number(reversal.isUndo);
    for (const [index, row] of rows.entries()) {
      // An undo restored only what it did for certain. A redo without a certain outcome may have changed a link again.
      if (reversal.isUndo) restored[row] = Number(hasDone(reversal, index));
      else if (mayHaveDone(reversal, index)) restored[row] = 0;
    }
  }
  return { isAll: false, has: (row) => restored[row] === 1 };
}

/** The links of an undo or redo, as rows of the run with which the chain begins. */
interface Plan {
  /** For each of its own rows. */
  readonly rows: readonly number[];
  /** The links that were found as they should be. */
  readonly found: readonly number[];
}

/** No row, which an array of bytes ignores. */
const none = -1;

/** By run. Records of earlier builds do not name the rows, so they decide nothing: their links are looked at again. */
async function plansOf(
  all: readonly number[],
  reversals: readonly Reversal[],
  kept: RunFolders,
): Promise<ReadonlyMap<string, Plan>> {
  const plans = new Map<string, Plan>();
  const add = async ({ run, undoes, state }: Reversal): Promise<void> => {
    if (plans.has(run)) return;
    const undone = reversals.find((other) => other.run === undoes);
    if (undone) await add(undone);
    const { rows: undoneRows } = plans.get(undoes) ?? { rows: all };
    const [rows, found]: [number[], number[]] = [[], []];
    // A run without rows is recorded if all links were found as they should be.
    plans.set(run, { rows, found: state?.begin.input.rows === 0 ? undoneRows : found });
    for await (const { undoneRow = none, skip } of rowsOf(run, kept)) {
      (skip ? found : rows).push(undoneRows[undoneRow] ?? none);
    }
  };
  for (const reversal of reversals) await add(reversal);
  return plans;
}

async function* rowsOf(run: string, kept: RunFolders): AsyncGenerator<RunRow> {
  try {
    for await (const rows of readKeptRows<RunRow>(runRecord(run, kept).input)) yield* rows;
  } catch {
    // What is not known decides nothing.
  }
}
