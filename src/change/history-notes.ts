import { messageOf } from '../base/errors.ts';
import type { HistoryChange } from '../bulk/run-plan.ts';
import type { Session } from '../cli/session.ts';
import type { Edition } from '../contract/editions.ts';
import type { NotedChange } from '../history/noted-changes.ts';

/** Does nothing if the account has no history. A history that cannot be written causes a warning, and the change continues. */
export async function noteHistory(
  run: string,
  changes: readonly HistoryChange[],
  { client, system, warn }: Pick<Session, 'client' | 'system' | 'warn'>,
): Promise<void> {
  try {
    const { noteChanges } = await import('../history/noted-changes.ts');
    const noted = changes.map((change) => notedChange(change, client.edition));
    await noteChanges({ at: system.now(), run, changes: noted }, client.identity, system);
  } catch (error) {
    await warn(`the history of clicks lacks this change: ${messageOf(error)}`);
  }
}

/** Edition B has a single domain, so the change is stored without one. */
function notedChange({ kind, row, link, before, after }: HistoryChange, edition: Edition): NotedChange {
  const counters = { total: before?.total_clicks, unique: before?.unique_clicks };
  const domain = edition === 'b' ? undefined : link.domain;
  return { kind, row, hash: link.hash, domain, ...counters, ...(kind === 'renamed' && { newHash: after?.hash }) };
}
