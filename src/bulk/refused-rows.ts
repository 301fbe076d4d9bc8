import { assertDistinct, assertReplaceable } from './beginning/output-paths.ts';
import { newRow } from './execution/execution.ts';
import { openFiles } from './results/outcome-files.ts';
import type { RowOutcome } from './results/row-outcome.ts';
import type { RunEnvironment, RunPlan } from './run-plan.ts';
import { refusalError } from './sending/links-before.ts';
import { createStop } from './sending/stop.ts';

/** Writes the files of a change that starts no run, because all of its rows are refused. Those of an earlier run would be out of date. */
export async function writeRefusedRows(
  plan: RunPlan,
  { client, system }: Pick<RunEnvironment, 'client' | 'system'>,
): Promise<void> {
  assertDistinct(plan, system);
  assertReplaceable(plan);
  const { domain, batchSize, input } = plan;
  const stop = createStop();
  const files = openFiles(plan, plan.operation({ client, domain, batchSize, mayCall: () => false }), { system, stop });
  let index = 0;
  for await (const rows of input.open()) {
    for (const row of rows) {
      const error = row.refusal === undefined ? undefined : refusalError(row.refusal);
      const outcome: RowOutcome = { ...newRow(row, index, plan), status: 'failed', error };
      for (const file of files) file.add(outcome);
      index += 1;
    }
  }
  for (const file of files) file.close(true);
  if (stop.reason?.kind === 'error') throw stop.reason.error;
}
