import { checksum } from '../base/checksum.ts';
import { CliError } from '../base/errors.ts';
import { isoTime } from '../base/times.ts';
import { CallError } from '../client/call-error.ts';
import { beginOneOff, identityOf } from './journal/new-run.ts';
import { isCrowded } from './past-runs/run-names.ts';
import type { Surroundings } from './run-plan.ts';

/**
 * Makes a call with effects that cannot be recorded, once its record is on disk. `undo` stops at it instead of reverting an earlier run.
 * Deletes the record if the call was certainly not applied.
 */
export async function recordCall<Result>(
  call: { readonly what: string; readonly profile: string | undefined },
  environment: Surroundings,
  act: () => Promise<Result>,
  isRefused: (result: Result) => boolean = () => false,
): Promise<Result> {
  const { client, system, folders } = environment;
  const { what } = call;
  if (isCrowded(folders)) await (await import('./past-runs/pruning.ts')).pruneRuns(folders, system);
  const input = { name: what, sha256: checksum(what), rows: 0 };
  const { journal } = await beginOneOff(identityOf(client, { operation: 'api', input, options: {} }), call, environment);
  await journal.write({ type: 'intent', batch: 1, rows: [], payload: input.sha256 });
  try {
    const result = await act();
    if (isRefused(result)) await journal.drop();
    else await journal.write({ type: 'end', reason: 'complete', at: isoTime(system.now()) });
    return result;
  } catch (error) {
    if (!mayBeDone(error)) await journal.drop();
    throw error;
  } finally {
    await journal.close();
  }
}

function mayBeDone(error: unknown): boolean {
  if (error instanceof CallError && error.outcome === 'ambiguous') return true;
  return !(error instanceof CliError) || error.kind === 'unknown';
}
