import { type CliError, FailedError, LocalError } from '../base/errors.ts';
import { folders } from '../base/system.ts';
import { outcomeRow, wasNotTouched } from '../bulk/results/printed-row.ts';
import { isMissing, missingCount, type RowOutcome } from '../bulk/results/row-outcome.ts';
import { repeatableText, runEnd } from '../bulk/results/run-end.ts';
import { type RunProgress, type RunSummary, type StartedRun, startRun } from '../bulk/run.ts';
import type { RunEnvironment, RunPlan } from '../bulk/run-plan.ts';
import { type Interruption, interruptible } from '../cli/interruption.ts';
import { type Session, whereabouts } from '../cli/session.ts';
import type { LinkDomains } from '../contract/link.ts';
import { plainQuantity } from '../output/quantity.ts';
import type { Row, RowsReport } from '../output/report.ts';
import { historyNotes } from './history-notes.ts';
import { shownBefore } from './shown-result.ts';
import { isChange, resumedLines, undoLine } from './typed-run.ts';

/**
 * A run as a report: a header with mode and guarantee, every row in the order of the input, progress,
 * and a summary. The first signal, or the end of `--max-time`, stops it when the batches under way are answered; a second
 * signal ends it at once.
 */
export async function runReport(
  planned: Omit<RunPlan, 'profile' | 'accountDomains'>,
  presentation: RunPresentation,
  session: Session,
): Promise<RowsReport> {
  const { outcomeFailure } = await import('../bulk/results/outcome-failure.ts');
  const interruption = interruptible(session, 'batches');
  const { client, profile, domain } = session;
  const plan: RunPlan = { domain, ...planned, profile, accountDomains: session.askedDomains() };
  const run = await startRun(plan, { ...environmentOf(session), interrupt: interruption.signal });
  const shown: ShownRun = { run, plan, presentation, session };
  for (const line of headerLines(shown)) await session.note(line);
  // Of rows that went wrong: to remember every row of a million would take longer than to make its row.
  const outcomes = new WeakMap<Row, RowOutcome>();
  const input = plan.input.name === plan.what ? undefined : plan.input.name;
  return {
    ...presentation,
    kind: 'rows',
    rows: shownRows(shown, outcomes, interruption),
    failure: (row) => {
      const outcome = outcomes.get(row);
      return outcome && outcomeFailure(outcome, client.identity, { input });
    },
    unreached: wasNotTouched,
    runRows: plan.input.rows,
    resultsIn: plan.results,
    ...(plan.failed !== undefined && { failuresIn: plan.failed }),
    members: () => ({ summary: summaryRecord(shown) }),
    notes: () => summaryLines(shown),
    outcome: () => ending(shown, interruption),
    abandoned: () => abandonment(run),
    printed: () => shownBefore(run.facts.run, session),
  };
}

export function environmentOf(session: Session): RunEnvironment {
  const { client, system, warn } = session;
  return { client, system, stateFolder: folders(system).state, warn, noteChanges: historyNotes(session) };
}

/** Rows that were not sent say so in the summary and in the results, and in JSON; they are no lines of their own. */
async function* shownRows(
  { run, presentation, session }: ShownRun,
  outcomes: WeakMap<Row, RowOutcome>,
  { listen }: Interruption,
): AsyncGenerator<Row[]> {
  listen();
  const { streams } = session;
  const { ignoreMissing } = presentation;
  const started = performance.now();
  const state = (): string => progressLine(run.progress(), performance.now() - started);
  streams.progress.step(state);
  let batches = 0;
  for await (const settled of run.rows) {
    const rows: Row[] = [];
    for (const outcome of settled) {
      const row = outcomeRow(outcome, session, true);
      if (outcome.status === 'failed' || outcome.status === 'unknown') outcomes.set(row, outcome);
      if (!(ignoreMissing && isMissing(outcome))) rows.push(row);
    }
    yield rows;
    const { batchesSettled } = run.progress();
    if (batchesSettled > batches) streams.progress.step(state);
    batches = batchesSettled;
  }
}

function ending({ run, plan, presentation, session }: ShownRun, { caught }: Interruption): CliError | undefined {
  const { tally, stop } = run.summary();
  const end = runEnd(tally, stop, { ignoreMissing: presentation.ignoreMissing, noun: `${nounOf(plan)}s` });
  if (end.kind === 'error') return end.error;
  if (end.kind !== 'signal') return undefined;
  const signal = caught();
  if (!signal) return session.deadline.signal.reason;
  session.dieOf(signal);
  return new FailedError('interrupted', { reported: true });
}

/** The reader went away; the journal has what it did not see. */
function abandonment({ progress, summary }: StartedRun): LocalError {
  const { tally } = summary();
  const settled = tally.rows - tally.counts.not_sent;
  return new LocalError(`output pipe closed after ${settled} of ${progress().rows} rows`, {
    hint: 'run the same command again to resume',
  });
}

export type RunPresentation = Pick<RowsReport, 'key' | 'columns' | 'tableFields' | 'pipedFields' | 'sentence'> & {
  /** For the header: `shortening`. */
  readonly doing: string;
  /** The domains that the rows name. */
  readonly domains?: LinkDomains | undefined;
  /** The command that undoes the run, where it is not `linkctl undo`. */
  readonly undoneBy?: string;
  /** Replaces the line about undoing: an undo can be redone. */
  readonly undoLine?: string;
  /** A hash that does not exist is no failure. */
  readonly ignoreMissing?: boolean | undefined;
};

/** A run on its way to people. */
interface ShownRun {
  readonly run: StartedRun;
  readonly plan: RunPlan;
  readonly presentation: RunPresentation;
  readonly session: Session;
}

/** The lines before the first row: the account, batches and calls. The promise of the mode is shown with `-v`. */
function headerLines(shown: ShownRun): string[] {
  const { rows, batches, calls, doneBefore, guarantee, advice } = shown.run.facts;
  const { input } = shown.plan;
  const noun = nounOf(shown.plan);
  const subject = plainQuantity(rows - (input.skipped ?? 0) - doneBefore, noun) + (noun === 'row' ? ` of ${input.name}` : '');
  const where = whereaboutsOf(shown);
  return [
    ...resumedLines(shown.run.facts, noun),
    `${shown.presentation.doing} ${subject} in ${plainQuantity(batches, 'batch')} (${where}; at least ${plainQuantity(calls, 'request')})`,
    ...(guarantee && shown.session.global.verbose ? [guarantee] : []),
    ...(advice ? [advice] : []),
  ];
}

/** A selection has links, a file rows. */
function nounOf({ input, what }: RunPlan): 'link' | 'row' {
  return input.name === what ? 'link' : 'row';
}

function whereaboutsOf({ run, session, presentation }: ShownRun): string {
  return whereabouts({ client: session.client, domain: run.facts.domain }, presentation.domains);
}

function progressLine({ batches, batchesSettled, rows, rowsSettled, failed }: RunProgress, milliseconds: number): string {
  const left = rowsSettled > 0 ? Math.ceil(((rows - rowsSettled) / rowsSettled) * (milliseconds / 1000)) : undefined;
  const parts = [`${batchesSettled}/${batches} batches`, `${rowsSettled}/${rows}`, `${failed} failed`];
  return [...parts, ...(left === undefined ? [] : [`ETA ${left}s`])].join(' · ');
}

/** The summary for programs. */
function summaryRecord({ run, presentation }: ShownRun): Row {
  const summary = run.summary();
  const { tally, calls, milliseconds, surplus } = summary;
  return {
    rows: tally.rows,
    ...countsOf(summary, presentation),
    requests: calls,
    seconds: milliseconds / 1000,
    surplus: surplus.length,
    ...(run.facts.guarantee && { guarantee: run.facts.guarantee }),
  };
}

/** With `--ignore-missing`, missing links are no failures. */
function countsOf({ tally }: RunSummary, { ignoreMissing }: RunPresentation): Readonly<Record<string, number>> {
  const missing = ignoreMissing ? missingCount(tally) : 0;
  return { ...tally.counts, failed: tally.counts.failed - missing, ...(missing > 0 && { missing }) };
}

/** Names the run, as a script has to. */
function undoLines({ run, plan, presentation }: ShownRun): string[] {
  const { undoneBy = 'linkctl undo', undoLine: line = undoLine(run.facts.run, undoneBy) } = presentation;
  const isKept = plan.undo === true || run.facts.kind === 'shorten';
  return isKept && isChange(run.summary().tally) ? [line] : [];
}

/** `5800 rows: 5790 created, 6 existing, 4 failed (12 requests, 9.1 s)`. */
function summaryLines(shown: ShownRun): string[] {
  const { presentation, session, plan } = shown;
  const { guarantee, run } = shown.run.facts;
  const { failed } = plan;
  const { profile } = session;
  const summary = shown.run.summary();
  const { tally, calls, milliseconds, surplus, stop, workingSize } = summary;
  const counts = Object.entries(countsOf(summary, presentation))
    .filter(([, number]) => number > 0)
    .map(
      ([status, number]) =>
        `${number} ${status.replace('_', ' ')}${status === 'failed' && failed !== undefined ? ` (${failed})` : ''}`,
    );
  const effort = `${plainQuantity(calls, 'request')}, ${(milliseconds / 1000).toFixed(1)} s`;
  return [
    `${plainQuantity(tally.rows, nounOf(plan))}: ${counts.join(', ')} (${effort}) for ${whereaboutsOf(shown)}`,
    ...(guarantee && tally.counts.unknown > 0 ? [guarantee] : []),
    ...(surplus.length > 0
      ? [`${plainQuantity(surplus.length, 'link')} may be duplicates: ${surplus.slice(0, 5).join(', ')}`]
      : []),
    ...(workingSize === undefined
      ? []
      : [
          `the server rejected larger batches; to use this size directly: ${
            profile === undefined ? `--batch-size ${workingSize}` : `linkctl config set batch_size ${workingSize}`
          }`,
        ]),
    ...undoLines(shown),
    ...(stop?.kind === 'signal' ? repeatableText(tally, `${nounOf(plan)}s`) : []),
    ...(stop || tally.counts.not_sent > 0 ? [`to resume run ${run}, run the same command again`] : []),
  ];
}
