import type { Client } from '../../client/client.ts';
import { endpoints } from '../../contract/operations.ts';
import type { RunSteps } from '../run-plan.ts';
import { tagChangeOf } from '../tag-run.ts';
import type { Execution } from './execution.ts';

/** The journal says first that tags may be added: from then on, the run may have changed something. */
export async function stepBefore({ before }: RunSteps, run: Execution): Promise<void> {
  const { add } = tagChangeOf(run.plan);
  if (add) await run.ledger.intent({ rows: [], payloads: [], json: JSON.stringify(add) });
  await before(clientOfSteps(run));
}

export async function stepAfter(run: Execution): Promise<boolean> {
  try {
    await run.plan.steps?.after(clientOfSteps(run));
    return true;
  } catch (error) {
    run.stop.because(error);
    return false;
  }
}

/** A signal ends reads at once and changes in flight after the grace period; nothing is begun after it. */
function clientOfSteps({ client, signal, interrupt }: Execution): Client {
  const send: Client['send'] = async (operation, input, options) => {
    const isEndedAtOnce = endpoints[operation].method === 'GET' || interrupt?.aborted;
    const signals = [options?.signal, isEndedAtOnce ? interrupt : signal].filter((one) => one !== undefined);
    return await client.send(operation, input, { ...options, signal: AbortSignal.any(signals) });
  };
  return { ...client, send };
}
