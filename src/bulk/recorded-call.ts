import { checksum } from '../base/checksum.ts';
import { CliError } from '../base/errors.ts';
import { CallError } from '../client/call-error.ts';
import type { BeginLine } from './journal/lines.ts';
import { newOrder, newRunName, pruneSmall } from './journal/new-run.ts';
import { smallJournal } from './journal/small-journal.ts';
import { runFolders, smallRecord } from './records/run-names.ts';
import type { RunEnvironment } from './run-plan.ts';

/** A call that changes something, of which nothing can be kept: `undo` stops at it, instead of taking back what was before. */
interface RecordedCall {
  /** The command as people read it. */
  readonly what: string;
  readonly profile: string | undefined;
}

/** Makes the call, with its record on the disk before it. Nothing is left of one that was certainly not applied. */
export async function recordCall<Result>(
  call: RecordedCall,
  environment: Pick<RunEnvironment, 'client' | 'system' | 'stateFolder'>,
  act: () => Promise<Result>,
  isRefused: (result: Result) => boolean = () => false,
): Promise<Result> {
  const { system } = environment;
  const folders = runFolders(environment.stateFolder);
  const begin = beginLine(call, environment);
  const { path } = smallRecord(begin.run, folders);
  const journal = smallJournal(path, system);
  pruneSmall(folders);
  await journal.write(begin);
  await journal.write({ type: 'intent', batch: 1, rows: [], payload: begin.input.sha256 });
  try {
    const result = await act();
    if (isRefused(result)) await journal.drop();
    else await journal.write({ type: 'end', reason: 'complete', at: new Date(system.now()).toISOString() });
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

function beginLine(
  { what, profile }: RecordedCall,
  { client, system, stateFolder }: Pick<RunEnvironment, 'client' | 'system' | 'stateFolder'>,
): BeginLine {
  const { server, username: account } = client.identity;
  const folders = runFolders(stateFolder);
  const key = Buffer.from(system.randomBytes(4)).toString('hex');
  return {
    type: 'begin',
    version: 1,
    run: newRunName(key, system.now(), folders),
    order: newOrder(folders),
    operation: 'api',
    what,
    profile,
    server,
    account,
    edition: client.edition,
    input: { name: what, sha256: checksum(what), rows: 0 },
    options: {},
    outputs: [],
    at: new Date(system.now()).toISOString(),
  };
}
