import type { Beginning } from '../execution/execution.ts';
import { imagesOf } from '../journal/images.ts';
import type { RunEnvironment, RunPlan } from '../run-plan.ts';
import { notingLedger } from '../sending/noting-ledger.ts';
import type { StartedRun } from '../started-run.ts';
import { beginRun } from './beginning.ts';
import { preflight, prepare } from './preflight.ts';

/** Starts a run that the same command resumes. */
export async function startKept<Payload extends object>(
  plan: RunPlan<Payload>,
  environment: RunEnvironment,
  on: (domain: string | undefined) => Beginning<Payload>,
): Promise<StartedRun<Payload>> {
  const domain = await prepare(plan, environment);
  const { identity, operation, start } = on(domain);
  return await beginRun(identity, plan, environment, async (begun) => {
    const images = await imagesOf(begun, plan, environment, operation);
    const { noteChanges: note } = environment;
    const isNoted = note !== undefined && operation.kind !== 'shorten';
    return await start(begun, images, {
      noting: isNoted ? (ledger) => notingLedger(ledger, { operation, run: begun.name, domain, note }) : undefined,
      factsOf: preflight,
    });
  });
}
