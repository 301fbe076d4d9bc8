import { messageOf } from '../base/errors.ts';
import type { HistoryChange, NoteChanges } from '../bulk/run-plan.ts';
import type { Session } from '../cli/session.ts';
import type { Edition } from '../contract/editions.ts';
import { changeNotes, type NotedChange } from '../history/noted-changes.ts';

/** A history that cannot be written causes a warning, and the change continues. */
export function historyNotes({ client, system, warn, atEnd }: Session): NoteChanges {
  const notes = changeNotes(client.identity, system);
  const orWarn = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => warn(`the history of clicks lacks this change: ${messageOf(error)}`));
  atEnd(() => orWarn(notes.close()));
  return (run, changes) => {
    const noted = changes.map((change) => notedChange(change, client.edition));
    return orWarn(notes.add({ at: system.now(), run, changes: noted }));
  };
}

/** Edition B has a single domain, so the change is stored without one. */
function notedChange({ kind, row, link, before, after }: HistoryChange, edition: Edition): NotedChange {
  const counters = { total: before?.total_clicks, unique: before?.unique_clicks };
  const domain = edition === 'b' ? undefined : link.domain;
  return { kind, row, hash: link.hash, domain, ...counters, ...(kind === 'renamed' && { newHash: after?.hash }) };
}
