import { UsageError } from '../base/errors.ts';
import { folders } from '../base/system.ts';
import { type RunFolders, runFolders, titleOf } from '../bulk/records/run-names.ts';
import { isOfProfile } from '../bulk/records/same-account.ts';
import { type IsOwn, type Tip, tipOfRun } from '../bulk/records/tips.ts';
import { resolveRun, showRun } from '../bulk/runs.ts';
import { canAsk } from '../cli/prompt.ts';
import type { Session } from '../cli/session.ts';
import type { BulkOptions } from '../flags/bulk-flags.ts';
import type { RowsReport } from '../output/report.ts';
import { hashChangePresentation } from '../output/url-columns.ts';

export interface UndoOptions extends BulkOptions {
  readonly force?: boolean;
}

/** What takes back a run, or an undo. */
export interface NamedUndo {
  readonly command: 'undo' | 'redo';
  /** The run that is taken back where none is named. */
  next(folders: RunFolders, isOwn: IsOwn): Promise<string | undefined>;
}

interface FoundRun {
  readonly run: string | undefined;
  /** Of a run that was named: what was done about it since. */
  readonly tip?: Tip;
}

/**
 * The run that is meant. Repeated without a name, the command goes further, so where nobody watches the run is to be named: a script that is
 * started twice takes back what it means.
 */
export async function namedRun(named: string | undefined, { command, next }: NamedUndo, session: Session): Promise<FoundRun> {
  const { state } = folders(session.system);
  const kept = runFolders(state);
  if (named !== undefined && named !== 'last') {
    const run = resolveRun(state, named);
    return { run, tip: await tipOfRun(run, kept) };
  }
  const run = await next(kept, (begin) => isOfProfile(begin, session.client.identity));
  if (!session.global.dryRun && !canAsk(session)) throw await nameless(command, run, state);
  return { run };
}

async function nameless(command: string, run: string | undefined, state: string): Promise<UsageError> {
  const message = `<run> required for ${command} when not running interactively`;
  if (run === undefined) return new UsageError(message, { hint: 'linkctl runs' });
  const { begin: newest } = await showRun(state, run);
  // What is redone is known by the run that was undone.
  const name = command === 'redo' ? (newest?.undoes ?? run) : run;
  const { begin } = name === run ? { begin: newest } : await showRun(state, name).catch(() => ({ begin: undefined }));
  return new UsageError(message, { hint: `the newest: linkctl ${command} ${name} --yes${begin ? ` (${titleOf(begin)})` : ''}` });
}

/** Nothing is sent for what is so already, and nothing is wrong about it. */
export function saidAlready(sentence: string): RowsReport {
  const presentation = hashChangePresentation('urls', 'Changed back');
  return { ...presentation, kind: 'rows', rows: [], members: () => ({ summary: { rows: 0 } }), notes: () => [sentence] };
}
