import { createHash } from 'node:crypto';
import { CliError } from '../base/errors.ts';
import type { BeginLine } from './journal/lines.ts';
import { beginRun } from './run-beginning.ts';
import { runFolders } from './run-names.ts';
import type { RunEnvironment } from './run-plan.ts';
import { recordUndone } from './undo.ts';

/** What a run does to the tags of an account, beside what it does to links. */
export interface TagChange {
  readonly rename?: { readonly from: string; readonly to: string };
  readonly add?: readonly string[];
  /** When no link carries them any more. */
  readonly delete?: readonly string[];
}

/** What a run recorded; empty for one that changed no tags. */
export function tagChangeOf({ options: { tags } }: Pick<BeginLine, 'options'>): TagChange {
  if (typeof tags !== 'object' || tags === null) return {};
  const change: { rename?: unknown; add?: unknown; delete?: unknown } = tags;
  const { from, to } = Object(change.rename);
  return {
    ...(typeof from === 'string' && typeof to === 'string' && { rename: { from, to } }),
    add: textsOf(change.add),
    delete: textsOf(change.delete),
  };
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

export interface TagRun {
  /** The command as people read it: `tags rename promo promotion`. */
  readonly what: string;
  readonly change: TagChange;
  readonly profile?: string | undefined;
  /** The run that it takes back (U2). */
  readonly undoes?: string | undefined;
}

/**
 * Makes a change of tags as a run, so that it can be undone (U3): its record is on the disk before anything is sent. `act` learns
 * whether an earlier process may have made the change already. A change that was refused leaves no record.
 */
export async function recordTagRun<Result>(
  { what, change, profile, undoes }: TagRun,
  environment: RunEnvironment,
  act: (mayBeDone: boolean) => Promise<Result>,
): Promise<Result> {
  const { client, system } = environment;
  const { server, username: account } = client.identity;
  const options = { tags: change, undoes };
  const sha256 = createHash('sha256').update(JSON.stringify(options)).digest('hex');
  const input = { name: 'tags', sha256, rows: 0, open: () => [], copyTo: async () => undefined };
  const identity = {
    operation: 'tags',
    server,
    account,
    domain: undefined,
    input: { name: 'tags', sha256, rows: 0 },
    options: JSON.parse(JSON.stringify(options)),
  } as const;
  const beginning = { input, what, profile, undoes, undo: true, isTyped: true };
  const done = await beginRun(identity, beginning, environment, async ({ name, journal, resumed, release }) => {
    await journal.write({ type: 'intent', batch: 1, rows: [], payload: sha256 });
    const made = await act(resumed).then((result) => ({ result }), keptFailure);
    if (undoes !== undefined) await recordUndone({ undoes, by: name }, runFolders(environment.stateFolder), system);
    const at = new Date(system.now()).toISOString();
    const end = { type: 'end', reason: 'error' in made ? 'unknown' : 'complete', at } as const;
    // Without its end the run is resumed by the same command, which finds out.
    const failure = await journal.write(end).then(() => undefined, keptError);
    await journal.close();
    release();
    return failure ?? made;
  });
  if ('error' in done) throw done.error;
  return done.result;
}

interface Failed {
  readonly error: unknown;
}

/** What may have been done keeps its record; anything else was not. */
function keptFailure(error: unknown): Failed {
  if (error instanceof CliError && error.kind === 'unknown') return { error };
  throw error;
}

function keptError(error: unknown): Failed {
  return { error };
}
