import { UsageError } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { callsToProve, provenFor } from '../checked/idempotency-probe.ts';
import type { RunFolders } from '../journal/run-folder.ts';
import type { RunState } from '../journal/run-state.ts';
import type { BulkOperation } from '../operations/operation.ts';
import { callsPerBatch, type RunPlan } from '../run-plan.ts';

export interface BudgetSettings<Payload extends object> {
  readonly client: Client;
  readonly operation: BulkOperation<Payload>;
  readonly domain: string | undefined;
  readonly folders: RunFolders;
  readonly state: RunState;
  /** Calls made so far; the look at the quota is still to come. */
  readonly made: number;
}

/**
 * A budget that is used up before the first rows are sent would never send any, however often the command is run: `UsageError`
 * with the least that works (`D33`).
 */
export async function assertBudget<Payload extends object>(
  plan: RunPlan<Payload>,
  settings: BudgetSettings<Payload>,
): Promise<void> {
  const { budget = Number.POSITIVE_INFINITY } = plan;
  const usual = settings.made + 1 + callsToBegin(plan, settings);
  if (budget > usual) return;
  const least = usual + Number(await needsWitness(plan, settings.operation));
  if (budget >= least) return;
  throw new UsageError(`--budget ${budget}: ${least} calls are needed to send the first rows`, {
    hint: `give at least --budget ${least}`,
  });
}

/** With what comes before a batch: a look at rows in doubt, and in keyed mode the proof that is still to be made. */
function callsToBegin<Payload extends object>(
  plan: RunPlan<Payload>,
  { client, domain, folders, operation, state }: BudgetSettings<Payload>,
): number {
  const looks = operation.doubt === 'look' && state.open.size > 0 ? 1 : 0;
  if (plan.mode?.name !== 'keyed') return callsPerBatch(plan) + looks;
  const subject = provenFor(client.identity, domain, plan.mode.generateHashes);
  return callsPerBatch(plan) + callsToProve({ folder: folders.canaries, subject });
}

/** Whether any row is looked at before it is sent first (D6). */
async function needsWitness<Payload extends object>(
  { input, payload }: RunPlan<Payload>,
  operation: BulkOperation<Payload>,
): Promise<boolean> {
  if (!operation.needsWitness) return false;
  for await (const rows of input.open()) if (rows.some(({ item }) => operation.needsWitness?.(payload(item)))) return true;
  return false;
}
