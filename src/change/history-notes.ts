import { messageOf } from '../base/errors.ts';
import type { NoteChanges } from '../bulk/run-plan.ts';
import type { Session } from '../cli/session.ts';
import { changeNotes, type NotedChange } from '../history/noted-changes.ts';

/** A history that cannot be written causes a warning, and the change continues. */
export function historyNotes({ client, system, warn, atEnd }: Session): NoteChanges {
  const notes = changeNotes(client.identity, system);
  const orWarn = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => warn(`the history of clicks lacks this change: ${messageOf(error)}`));
  atEnd(() => orWarn(notes.close()));
  // Edition B has a single domain, so changes are stored without one.
  const stored = ({ domain, ...change }: NotedChange) => ({ ...change, domain: client.edition === 'b' ? undefined : domain });
  return (run, changes) => orWarn(notes.add({ at: system.now(), run, changes: changes.map(stored) }));
}
