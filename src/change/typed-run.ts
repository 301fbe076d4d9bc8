import { folders } from '../base/system.ts';
import type { RowOutcome, StopReason, Tally } from '../bulk/results/row-outcome.ts';
import { startRun } from '../bulk/run.ts';
import type { RunFacts, RunPlan } from '../bulk/run-plan.ts';
import type { Session } from '../cli/session.ts';

/** A run of links that were typed, when it is over. */
export interface TypedResult {
  /** In the order of the payloads. */
  readonly outcomes: readonly RowOutcome[];
  readonly tally: Tally;
  readonly stop: StopReason | undefined;
  /** The name of its record. */
  readonly run: string;
  /** It keeps what the links were before. */
  readonly undo: boolean;
}

/** Runs a change of links that were typed to its end, before anything of it is reported. */
export async function collectRun(
  planned: Omit<RunPlan, 'profile' | 'domain' | 'accountDomains'>,
  session: Session,
): Promise<TypedResult> {
  const { client, system, profile, domain, deadline, warn } = session;
  const plan = { ...planned, profile, domain, fromArguments: true, concurrency: 1 };
  const run = await startRun(plan, {
    client,
    system,
    stateFolder: folders(system).state,
    signal: deadline.signal,
    warn,
    noteChanges: async (...changes) => await (await import('./history-notes.ts')).historyNotes(session)(...changes),
    answered: () => void session.listenForSignals(() => undefined),
  });
  for (const line of resumedLines(run.facts, 'link')) await session.note(line);
  const outcomes: RowOutcome[] = [];
  for await (const rows of run.rows) outcomes.push(...rows);
  const { tally, stop } = run.summary();
  return { outcomes, tally, stop, run: run.facts.run, undo: plan.undo === true || plan.isOneOff === true };
}

export function resumedLines({ resumed, run, doneBefore, rows }: RunFacts, noun: 'link' | 'row'): string[] {
  return resumed ? [`resuming run ${run}: ${doneBefore} of ${rows} ${noun}s are done`] : [];
}

export function undoLine(run: string, command = 'linkctl undo'): string {
  return `to undo it: ${command} ${run}`;
}

/** There is something to undo. */
export function isChange({ counts: { changed, deleted, created } }: Tally): boolean {
  return changed + deleted + created > 0;
}
