import { type CliError, LocalError } from '../base/errors.ts';
import { needsNoSentence, outcomeRow } from '../bulk/results/printed-row.ts';
import { isMissing, type RowOutcome } from '../bulk/results/row-outcome.ts';
import { repeatableText, runEnd } from '../bulk/results/run-end.ts';
import { type RunProgress, type StartedRun, startRun } from '../bulk/run.ts';
import type { RunPlan } from '../bulk/run-plan.ts';
import { type Interruption, interruptible, resumptionText } from '../cli/interruption.ts';
import type { Session } from '../cli/session.ts';
import { isObject } from '../contract/records.ts';
import { plainQuantity } from '../output/quantity.ts';
import type { Row, RowsReport } from '../output/report.ts';
import { accountLabel } from './account-label.ts';
import type { RunPresentation } from './change.ts';
import { environmentOf } from './environment.ts';
import { markShown } from './run-settings.ts';
import { countsOf, isChange, resumedLines, undoLineOf } from './typed-report.ts';

/** A started run, with what its report needs. */
interface ShownRun {
  readonly run: StartedRun;
  readonly plan: RunPlan;
  readonly presentation: RunPresentation;
  readonly session: Session;
  /** `link` for a selection, `row` for a file. */
  readonly noun: 'link' | 'row';
  readonly account: string;
}

/** A run as its command describes it. */
export type PlannedRun = Omit<RunPlan, 'profile' | 'domains' | 'hasDomains'>;

export function planOf(planned: PlannedRun, { profile, domain, domains, askedDomains }: Session): RunPlan {
  return { domain, ...planned, profile, domains, hasDomains: askedDomains() !== undefined };
}

/** The first signal or the end of `--max-time` stops the run after the batches in flight. A second signal stops it immediately. */
export async function runReport(planned: PlannedRun, presentation: RunPresentation, session: Session): Promise<RowsReport> {
  const { outcomeFailure } = await import('../bulk/results/outcome-failure.ts');
  const interruption = interruptible(session, 'batches');
  const { client } = session;
  const plan = planOf(planned, session);
  const run = await startRun(plan, { ...environmentOf(session), interrupt: interruption.signal });
  const noun = plan.input.snapshot ? 'link' : 'row';
  const account = accountLabel({ client, domain: run.facts.domain }, presentation.domains);
  const shown: ShownRun = { run, plan, presentation, session, noun, account };
  for (const line of headerLines(shown)) await session.note(line);
  // Holds only failed and unknown outcomes, because storing an outcome takes longer than making its row.
  const outcomes = new WeakMap<Row, RowOutcome>();
  const input = noun === 'row' ? plan.input.name : undefined;
  return {
    ...presentation,
    kind: 'rows',
    rows: shownRows(shown, outcomes, interruption),
    failure: (row) => {
      const outcome = outcomes.get(row);
      return outcome && outcomeFailure(outcome, client.identity, { input, plan });
    },
    unreached: needsNoSentence,
    runRows: plan.input.rows,
    resultsIn: plan.results,
    ...(plan.failed !== undefined && { failuresIn: plan.failed }),
    members: () => ({ summary: summaryRecord(shown) }),
    notes: () => summaryLines(shown),
    outcome: () => ending(shown, interruption),
    abandoned: () => abandonment(run),
    unwritten: () => summaryLines(shown),
    printed: () => markShown(run.facts.run, session),
  };
}

/** Lines before the first row: account, batches and requests; with `-v` also the guarantee of the mode. */
function headerLines({ run, plan, presentation, session, noun, account }: ShownRun): string[] {
  const { rows, batches, calls, doneBefore, guarantee, advice } = run.facts;
  const { skipped = 0, name } = plan.input;
  const subject = plainQuantity(rows - skipped - doneBefore, noun) + (noun === 'row' ? ` of ${name}` : '');
  const effort = `${plainQuantity(batches, 'batch')} (${account}; at least ${plainQuantity(calls, 'request')})`;
  return [
    ...resumedLines(run.facts, noun),
    ...(batches > 0 ? [`${presentation.doing} ${subject} in ${effort}`] : []),
    ...(guarantee && session.global.verbose ? [guarantee] : []),
    ...(advice ? [advice] : []),
  ];
}

async function* shownRows(
  { run, presentation, session }: ShownRun,
  outcomes: WeakMap<Row, RowOutcome>,
  { listen }: Interruption,
): AsyncGenerator<Row[]> {
  listen(run.facts.run);
  const { streams } = session;
  const started = performance.now();
  const state = (): string => progressParts(run.progress(), performance.now() - started).join(streams.glyphs.separator);
  streams.progress.step(state);
  let batches = 0;
  for await (const settled of run.rows) {
    const rows: Row[] = [];
    for (const outcome of settled) {
      const row = outcomeRow(outcome, session, true);
      if (outcome.status === 'failed' || outcome.status === 'unknown') outcomes.set(row, outcome);
      if (!(presentation.ignoreMissing && isMissing(outcome))) rows.push(row);
    }
    yield rows;
    const { batchesSettled } = run.progress();
    if (batchesSettled > batches) streams.progress.step(state);
    batches = batchesSettled;
  }
}

function progressParts({ batches, batchesSettled, rows, rowsSettled, failed }: RunProgress, milliseconds: number): string[] {
  const left = rowsSettled > 0 ? [`ETA ${Math.ceil(((rows - rowsSettled) / rowsSettled) * (milliseconds / 1000))}s`] : [];
  return [`${batchesSettled}/${batches} batches`, `${rowsSettled}/${rows}`, `${failed} failed`, ...left];
}

function ending({ run, presentation, session, noun }: ShownRun, { caught }: Interruption): CliError | undefined {
  const { tally, stop, unknown } = run.summary();
  const end = runEnd(tally, stop, { ignoreMissing: presentation.ignoreMissing, noun: `${noun}s`, unknown, isResumed: true });
  if (end.kind === 'error') return end.error;
  if (end.kind !== 'signal') return undefined;
  const signal = caught();
  return signal ? session.dieOf(signal) : session.deadline.signal?.reason;
}

/** The error for a closed pipe, unless nothing is left to be done. The journal contains the rows that were not printed. */
function abandonment({ progress, summary }: StartedRun): LocalError | undefined {
  const { tally, stop } = summary();
  if (!stop && tally.counts.not_sent === 0) return undefined;
  const settled = tally.rows - tally.counts.not_sent;
  return new LocalError(`output pipe closed after ${settled} of ${progress().rows} rows`, {
    hint: 'run the same command again to resume',
  });
}

function summaryRecord({ run, presentation }: ShownRun): Row {
  const { tally, calls, milliseconds, surplus } = run.summary();
  const { guarantee } = run.facts;
  return {
    rows: tally.rows,
    ...countsOf(tally, presentation.ignoreMissing),
    requests: calls,
    seconds: Math.round(milliseconds) / 1000,
    surplus: surplus.length,
    ...(guarantee && { guarantee }),
  };
}

/** Adds links that are no rows of the run to its counts. */
export function alsoCounting(status: 'existing' | 'unchanged', count: number, report: RowsReport): RowsReport {
  const members = (): Row => {
    const { summary, ...others } = report.members?.() ?? {};
    const counts = isObject(summary) ? summary : {};
    const sum = (name: string): number => Number(counts[name] ?? 0) + count;
    return { ...others, summary: { ...counts, rows: sum('rows'), [status]: sum(status) } };
  };
  return { ...report, members };
}

/** `5800 rows: 5790 created, 6 existing, 4 failed (12 requests, 9.1 s)`. */
function summaryLines({ run, plan, presentation, session, noun, account }: ShownRun): string[] {
  const { guarantee, kind, run: name } = run.facts;
  const { profile } = session;
  const { tally, calls, milliseconds, surplus, stop, workingSize } = run.summary();
  const failedIn = plan.failed === undefined ? '' : ` (${plan.failed})`;
  const counts = Object.entries(countsOf(tally, presentation.ignoreMissing))
    .filter(([, number]) => number > 0)
    .map(([status, number]) => `${number} ${status.replace('_', ' ')}${status === 'failed' ? failedIn : ''}`);
  const effort = `${plainQuantity(calls, 'request')}, ${(milliseconds / 1000).toFixed(1)} s`;
  const size = profile === undefined ? `--batch-size ${workingSize}` : `linkctl config set batch_size ${workingSize}`;
  // An undo would miss the links of rows in doubt of a shortening.
  const isUndoable = (plan.undo === true || (kind === 'shorten' && tally.counts.unknown === 0)) && isChange(tally);
  const { undoLine = undoLineOf } = presentation;
  return [
    `${plainQuantity(tally.rows, noun)}: ${counts.join(', ')} (${effort}) for ${account}`,
    ...(guarantee && tally.counts.unknown > 0 ? [guarantee] : []),
    ...(surplus.length > 0
      ? [`${plainQuantity(surplus.length, 'link')} may be duplicates: ${surplus.slice(0, 5).join(', ')}`]
      : []),
    ...(workingSize === undefined ? [] : [`the server rejected larger batches; to use this size directly: ${size}`]),
    ...(isUndoable ? [undoLine(name)] : []),
    ...(stop?.kind === 'signal' ? repeatableText(tally, `${noun}s`) : []),
    ...(stop || tally.counts.not_sent > 0 ? [resumptionText(name)] : []),
  ];
}
