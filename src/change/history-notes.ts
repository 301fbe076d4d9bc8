import { messageOf } from '../base/errors.ts';
import type { NoteChanges, SettledChange } from '../bulk/run-plan.ts';
import type { Session } from '../cli/session.ts';
import type { Edition } from '../contract/editions.ts';
import type { NotedChange } from '../history/noted-changes.ts';

/**
 * Marks in the history of clicks what is done to links, where the account has one. A history that cannot be written is a warning: no
 * change fails for it.
 */
export function historyNotes({ client, system, warn }: Pick<Session, 'client' | 'system' | 'warn'>): NoteChanges {
  return async (run, changes) => {
    try {
      const { noteChanges } = await import('../history/noted-changes.ts');
      await noteChanges(
        { at: system.now(), run, changes: changes.map((change) => notedChange(change, client.edition)) },
        client.identity,
        system,
      );
    } catch (error) {
      await warn(`the history of clicks lacks this change: ${messageOf(error)}`);
    }
  };
}

/** Names a command that keeps no journal. */
export function newNotes(session: Session): { run: string; domain: string | undefined; note: NoteChanges } {
  const run = Buffer.from(session.system.randomBytes(8)).toString('hex');
  return { run, domain: session.domain, note: historyNotes(session) };
}

/** Edition B has one domain, whatever it is called. */
function notedChange({ kind, row, link, before, after }: SettledChange, edition: Edition): NotedChange {
  const counters = { total: before?.total_clicks, unique: before?.unique_clicks };
  const domain = edition === 'b' ? undefined : link.domain;
  return { kind, row, hash: link.hash, domain, ...counters, ...(kind === 'renamed' && { newHash: after?.hash }) };
}
