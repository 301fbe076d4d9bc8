import { foresee } from '../../bulk/run.ts';
import type { RunInput, RunRow } from '../../bulk/run-plan.ts';
import type { Session } from '../../cli/session.ts';
import { grouped, quantity } from '../../output/quantity.ts';
import { environmentOf } from '../environment.ts';
import { type PlannedRun, planOf } from '../report.ts';
import { pinnedDomain } from '../run-settings.ts';

/** Returns the unfinished run that this one would resume, if any. Throws as the run itself, before anything is shown or asked. */
export async function resumedRun(planned: PlannedRun, session: Session) {
  return await foresee(planOf(planned, session), environmentOf(session));
}

/**
 * For dry runs: returns the rows that a run would still send, and a text about the run that it would resume. Throws as the run itself, for
 * example if an earlier one completed the file.
 */
export async function rowsToSend<Item extends object>(
  planned: Omit<PlannedRun, 'input'> & { readonly input: RunInput<Item> },
  session: Session,
): Promise<{ readonly input: Pick<RunInput<Item>, 'open'>; readonly resuming?: string }> {
  const { input } = planned;
  // The run asks for it first, too.
  await pinnedDomain(session);
  const found = await resumedRun(planned, session);
  if (!found) return { input };
  const { run, done, isDone } = found;
  async function* open(): AsyncGenerator<readonly RunRow<Item>[]> {
    let index = 0;
    for await (const rows of input.open()) yield rows.filter(() => !isDone(index++));
  }
  return { input: { open }, resuming: `resuming run ${run}: ${grouped(done)} of ${quantity(input.rows, 'row')} are done; ` };
}
