import { messageOf } from '../base/errors.ts';
import type { HistoryChange, NoteChanges } from '../bulk/run-plan.ts';
import type { Session } from '../cli/session.ts';
import type { Edition } from '../contract/editions.ts';
import { type History, hasHistory, openHistory } from '../history/history-database.ts';
import { type NotedChange, noteChanges } from '../history/noted-changes.ts';

/**
 * Returns a function that does nothing if the account has no history. A history that cannot be written causes a warning, and the change
 * continues. The history stays open until the command ends, because a run may note a thousand batches.
 */
export function historyNotes({ client, system, warn, atEnd }: Session): NoteChanges {
  const { identity, edition } = client;
  const orWarn = (work: () => Promise<void>): Promise<void> =>
    work().catch((error: unknown) => warn(`the history of clicks lacks this change: ${messageOf(error)}`));
  const open = async (): Promise<History> => {
    const history = await openHistory(identity, system);
    atEnd(() => orWarn(async () => history.close()));
    return history;
  };
  let opened: Promise<History> | undefined;
  return (run, changes) =>
    orWarn(async () => {
      if (!hasHistory(identity, system)) return;
      opened ??= open();
      const history = await opened.catch((error: unknown) => {
        // The next batch tries again.
        opened = undefined;
        throw error;
      });
      const noted = changes.map((change) => notedChange(change, edition));
      noteChanges({ at: system.now(), run, changes: noted }, history);
    });
}

/** Edition B has a single domain, so the change is stored without one. */
function notedChange({ kind, row, link, before, after }: HistoryChange, edition: Edition): NotedChange {
  const counters = { total: before?.total_clicks, unique: before?.unique_clicks };
  const domain = edition === 'b' ? undefined : link.domain;
  return { kind, row, hash: link.hash, domain, ...counters, ...(kind === 'renamed' && { newHash: after?.hash }) };
}
