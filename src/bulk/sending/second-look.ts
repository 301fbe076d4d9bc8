import type { Execution } from '../execution/execution.ts';
import { again, type Verdict } from '../matching/row-verdict.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import { knownVerdicts, withKnown } from './before.ts';
import { outdated } from './freshness.ts';
import { resolveDoubt } from './resolving.ts';
import { type DoubtfulBatch, type Round, settle, unsent } from './settling.ts';

export async function clearDoubt({ batch, rows }: DoubtfulBatch, run: Execution): Promise<Round> {
  // A row that was refused was in the batch, and in no call.
  for (const { index, refusal } of rows) if (refusal === undefined) run.inDoubt.add(index);
  const release = run.holdsPermit ? undefined : await run.limiter.acquire();
  try {
    if (run.stop.reason) return unsent(rows, run);
    const known = knownVerdicts(rows, run);
    const open = rows.filter((_, nth) => !known[nth]);
    return await settle(batch, rows, withKnown(known, open.length === 0 ? [] : await resolveDoubt(batch, open, run)), run);
  } finally {
    release?.();
  }
}

/** The rows of a call that was not made, or not once more, because a link is different by now. Of those in doubt only a reading says more. */
export async function lookAgain(
  batch: number,
  rows: readonly BulkRow[],
  known: readonly (Verdict | undefined)[],
  run: Execution,
): Promise<Round> {
  const open = rows.filter(({ index }, nth) => !known[nth] && run.inDoubt.has(index));
  const resolved = new Map((await resolveDoubt(batch, open, run)).map((verdict, nth) => [open[nth], verdict]));
  const verdicts = rows.map((row, nth) => known[nth] ?? resolved.get(row) ?? again);
  return await settle(batch, rows.map(outdated), verdicts, run);
}
