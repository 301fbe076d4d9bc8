import { type CliError, FailedError, LocalError } from '../base/errors.ts';
import { outcomeRow, wasNotTouched } from '../bulk/results/outcome-row.ts';
import { isMissing, type RowOutcome } from '../bulk/results/row-outcome.ts';
import { repeatableText, runEnd } from '../bulk/results/run-end.ts';
import { startRun } from '../bulk/run.ts';
import type { RunPlan } from '../bulk/run-plan.ts';
import type { RunProgress, StartedRun } from '../bulk/started-run.ts';
import { type Interruption, interruptible } from '../cli/interruption.ts';
import { type Session, whereabouts } from '../cli/session.ts';
import { plainQuantity } from '../output/quantity.ts';
import type { Row, RowsReport } from '../output/report.ts';
import type { RunPresentation } from './change.ts';
import { environmentOf } from './environment.ts';
import { countsOf, isChange, resumedLines, shownBefore } from './typed-report.ts';

/**
 * A run as a report: a header with mode and guarantee, every row in the order of the input, progress,
 * and a summary. The first signal, or the end of `--max-time`, stops it when the batches under way are answered; a second
 * signal ends it at once.
 */
export async function runReport<Payload extends object>(
  planned: Omit<RunPlan<Payload>, 'profile' | 'accountDomains'>,
  presentation: RunPresentation,
  session: Session,
): Promise<RowsReport> {
  const { outcomeFailure } = await import('../bulk/results/outcome-failure.ts');
  const interruption = interruptible(session, 'batches');
  const { client, profile, domain } = session;
  const plan: RunPlan<Payload> = { domain, ...planned, profile, accountDomains: session.askedDomains() };
  const run = await startRun(plan, { ...environmentOf(session), interrupt: interruption.signal });
  const shown: ShownRun<Payload> = { run, plan, presentation, session };
  for (const line of headerLines(shown)) await session.note(line);
  // Of rows that went wrong: to remember every row of a million would take longer than to make its row.
  const outcomes = new WeakMap<Row, RowOutcome<Payload>>();
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

/** Rows that were not sent say so in the summary and in the results, and in JSON; they are no lines of their own. */
async function* shownRows<Payload extends object>(
  { run, presentation, session }: ShownRun<Payload>,
  outcomes: WeakMap<Row, RowOutcome<Payload>>,
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

function ending<Payload extends object>(
  { run, plan, presentation, session }: ShownRun<Payload>,
  { caught }: Interruption,
): CliError | undefined {
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
function abandonment<Payload extends object>({ progress, summary }: StartedRun<Payload>): LocalError {
  const { tally } = summary();
  const settled = tally.rows - tally.counts.not_sent;
  return new LocalError(`output pipe closed after ${settled} of ${progress().rows} rows`, {
    hint: 'run the same command again to resume',
  });
}

/** A run on its way to people. */
interface ShownRun<Payload extends object> {
  readonly run: StartedRun<Payload>;
  readonly plan: RunPlan<Payload>;
  readonly presentation: RunPresentation;
  readonly session: Session;
}

/** The lines before the first row: the account, batches and calls. The promise of the mode is shown with `-v`. */
function headerLines<Payload extends object>(shown: ShownRun<Payload>): string[] {
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
function nounOf<Payload extends object>({ input, what }: RunPlan<Payload>): 'link' | 'row' {
  return input.name === what ? 'link' : 'row';
}

function whereaboutsOf<Payload extends object>({ run, session, presentation }: ShownRun<Payload>): string {
  return whereabouts({ client: session.client, domain: run.facts.domain }, presentation.domains);
}

function progressLine({ batches, batchesSettled, rows, rowsSettled, failed }: RunProgress, milliseconds: number): string {
  const left = rowsSettled > 0 ? Math.ceil(((rows - rowsSettled) / rowsSettled) * (milliseconds / 1000)) : undefined;
  const parts = [`${batchesSettled}/${batches} batches`, `${rowsSettled}/${rows}`, `${failed} failed`];
  return [...parts, ...(left === undefined ? [] : [`ETA ${left}s`])].join(' · ');
}

/** The summary for programs. */
function summaryRecord<Payload extends object>({ run, presentation }: ShownRun<Payload>): Row {
  const { tally, calls, milliseconds, surplus } = run.summary();
  return {
    rows: tally.rows,
    ...countsOf(tally, presentation.ignoreMissing),
    requests: calls,
    seconds: milliseconds / 1000,
    surplus: surplus.length,
    ...(run.facts.guarantee && { guarantee: run.facts.guarantee }),
  };
}

/** Names the run, as a script has to. */
function undoLines<Payload extends object>({ run, plan, presentation }: ShownRun<Payload>): string[] {
  const { undoneBy = 'linkctl undo', undoLine = `to undo it: ${undoneBy} ${run.facts.run}` } = presentation;
  const isKept = plan.undo === true || run.facts.kind === 'shorten';
  return isKept && isChange(run.summary().tally) ? [undoLine] : [];
}

/** `5800 rows: 5790 created, 6 existing, 4 failed (12 requests, 9.1 s)`. */
function summaryLines<Payload extends object>(shown: ShownRun<Payload>): string[] {
  const { presentation, session, plan } = shown;
  const { guarantee, run } = shown.run.facts;
  const { failed } = plan;
  const { profile } = session;
  const { tally, calls, milliseconds, surplus, stop, workingSize } = shown.run.summary();
  const counts = Object.entries(countsOf(tally, presentation.ignoreMissing))
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
