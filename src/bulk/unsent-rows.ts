import { assertDistinct, assertReplaceable } from './beginning/output-paths.ts';
import { newRow } from './execution/execution.ts';
import { openFiles } from './results/outcome-files.ts';
import type { RowOutcome } from './results/row-outcome.ts';
import type { RunEnvironment, RunPlan, RunRow } from './run-plan.ts';
import { refusalError } from './sending/links-before.ts';
import { createStop } from './sending/stop.ts';

/** Yields the outcomes of rows that are all refused, so that no run starts. */
export function* unsentRows(rows: Iterable<readonly RunRow[]>, plan: RunPlan): Generator<RowOutcome> {
  let index = 0;
  for (const some of rows) {
    for (const row of some) {
      const error = row.refusal === undefined ? undefined : refusalError(row.refusal);
      yield { ...newRow(row, index, plan), status: 'failed', error };
      index += 1;
    }
  }
}

/** Writes the files of a change that starts no run. Those of an earlier run would be out of date. */
export function writeUnsentRows(
  outcomes: Iterable<RowOutcome>,
  plan: RunPlan,
  { client, system }: Pick<RunEnvironment, 'client' | 'system'>,
): void {
  assertDistinct(plan, system);
  assertReplaceable(plan, system);
  const { domain, batchSize } = plan;
  const stop = createStop();
  const files = openFiles(plan, plan.operation({ client, domain, batchSize, mayCall: () => false }), { system, stop });
  for (const outcome of outcomes) for (const file of files) file.add(outcome);
  for (const file of files) file.close(true);
  if (stop.reason?.kind === 'error') throw stop.reason.error;
}
