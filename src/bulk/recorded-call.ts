import { checksum } from '../base/checksum.ts';
import { CliError } from '../base/errors.ts';
import { isoTime } from '../base/times.ts';
import { CallError } from '../client/call-error.ts';
import { beginOneOff } from './journal/new-run.ts';
import { isCrowded } from './past-runs/run-names.ts';
import type { RunEnvironment } from './run-plan.ts';

/** A call with effects that cannot be recorded. `undo` stops at it instead of reverting an earlier run. */
interface RecordedCall {
  readonly what: string;
  readonly profile: string | undefined;
}

/** Makes the call once its record is on disk. Deletes the record if the call was certainly not applied. */
export async function recordCall<Result>(
  call: RecordedCall,
  environment: Pick<RunEnvironment, 'client' | 'system' | 'stateFolder'>,
  act: () => Promise<Result>,
  isRefused: (result: Result) => boolean = () => false,
): Promise<Result> {
  const { client, system, stateFolder } = environment;
  if (isCrowded(stateFolder)) await (await import('./past-runs/pruning.ts')).pruneRuns(stateFolder, system);
  const { server, username: account } = client.identity;
  const sha256 = checksum(call.what);
  const identity = { operation: 'api', server, account, input: { name: call.what, sha256, rows: 0 }, options: {} } as const;
  const { journal } = await beginOneOff(identity, call, environment);
  await journal.write({ type: 'intent', batch: 1, rows: [], payload: sha256 });
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
