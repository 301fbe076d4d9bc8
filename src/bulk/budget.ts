import type { Client } from '../client/client.ts';
import { UsageError } from '../errors.ts';
import { callsToProve, provenFor } from './canary.ts';
import type { RunFolders } from './run-folder.ts';
import { callsPerBatch, type RunPlan } from './run-plan.ts';

export interface BudgetSettings {
  readonly client: Client;
  readonly domain: string | undefined;
  readonly folders: RunFolders;
  /** Calls made so far; the look at the quota is still to come. */
  readonly made: number;
}

/**
 * A budget that is used up before the first rows are sent would never send any, however often the command is run: `UsageError`
 * with the least that works (`D33`).
 */
export function assertBudget<Payload extends object>(plan: RunPlan<Payload>, settings: BudgetSettings): void {
  const { budget } = plan;
  const least = settings.made + 1 + callsToBegin(plan, settings);
  if (budget === undefined || budget >= least) return;
  throw new UsageError(`--budget ${budget}: ${least} calls are needed to send the first rows`, {
    hint: `give at least --budget ${least}`,
  });
}

/** With what comes before a batch, and in keyed mode the proof that is still to be made. */
function callsToBegin<Payload extends object>(plan: RunPlan<Payload>, { client, domain, folders }: BudgetSettings): number {
  if (plan.mode?.name !== 'keyed') return callsPerBatch(plan);
  const subject = provenFor(client.identity, domain, plan.mode.generateHashes);
  return callsPerBatch(plan) + callsToProve({ folder: folders.canaries, subject });
}
