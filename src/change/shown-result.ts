import { folders } from '../base/system.ts';
import { recordShown } from '../bulk/records/later-lines.ts';
import type { Session } from '../cli/session.ts';

/** Somebody has seen the result: the same command begins anew, and from here on a signal changes nothing any more. */
export async function shownBefore(run: string, { system, listenForSignals }: Session): Promise<void> {
  listenForSignals(() => undefined);
  await recordShown(run, folders(system).state, system);
}
