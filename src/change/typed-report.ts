import type { CliError } from '../base/errors.ts';
import { needsNoSentence, outcomeRow } from '../bulk/results/printed-row.ts';
import { isMissing, missingCount, type RowOutcome, type Tally } from '../bulk/results/row-outcome.ts';
import { startRun } from '../bulk/run.ts';
import type { RunFacts, RunPlan } from '../bulk/run-plan.ts';
import type { Session } from '../cli/session.ts';
import type { EditFields } from '../contract/operations.ts';
import { quantity } from '../output/quantity.ts';
import type { Glyphs, Row, RowsReport } from '../output/report.ts';
import type { RunPresentation } from './change.ts';
import { environmentOf } from './environment.ts';

interface TypedPresentation extends Omit<RunPresentation, 'doing'> {
  /** Fields that every link gets, for messages. */
  readonly fields?: EditFields | undefined;
  /** Records that the result was printed. Absent for one-offs, which are never resumed. */
  markShown?(run: string, session: Session): Promise<void>;
}

interface TypedReport extends RowsReport {
  /** The outcome, if only one link was typed. */
  readonly only: RowOutcome | undefined;
}

/** Completes a change of typed links before it reports anything. Imports only modules that such a change needs. */
export async function typedReport(
  planned: Omit<RunPlan, 'profile' | 'domain' | 'domains' | 'hasDomains'>,
  { fields, markShown, ...presentation }: TypedPresentation,
  session: Session,
): Promise<TypedReport> {
  const { client, profile, domain, calls, streams } = session;
  const onAllSettled = (): void => session.listenForSignals(() => undefined);
  const plan = { ...planned, profile, domain, fromArguments: true, concurrency: 1 };
  const started = await startRun(plan, { ...environmentOf(session), signal: calls, onAllSettled });
  const { run } = started.facts;
  for (const line of resumedLines(started.facts, 'link')) await session.note(line);
  const outcomes: RowOutcome[] = [];
  for await (const rows of started.rows) outcomes.push(...rows);
  const { tally, stop, unknown } = started.summary();
  const { ignoreMissing } = presentation;
  const shown = ignoreMissing ? outcomes.filter((outcome) => !isMissing(outcome)) : outcomes;
  const rows = new Map<Row, RowOutcome>(shown.map((outcome) => [outcomeRow(outcome, session), outcome]));
  const only = outcomes.length === 1 ? outcomes[0] : undefined;
  const isFailed = tally.counts.failed + tally.counts.unknown > 0;
  const failures = isFailed ? await import('../bulk/results/outcome-failure.ts') : undefined;
  const failureOf = (outcome: RowOutcome, reported = false): CliError | undefined =>
    failures?.outcomeFailure({ ...outcome, item: { ...outcome.item, ...fields } }, client.identity, { reported });
  const end =
    isFailed || stop
      ? (await import('../bulk/results/run-end.ts')).runEnd(tally, stop, { ignoreMissing, noun: 'links', unknown })
      : undefined;
  const ending = (): CliError | undefined => {
    if (end?.kind !== 'error') return undefined;
    return (only?.status === 'failed' && failureOf(only, true)) || end.error;
  };
  const counts = countsOf(tally, ignoreMissing);
  const isChanged = isChange(tally);
  const undoLines = (plan.undo || plan.isOneOff) && isChanged ? [undoLineOf(run)] : [];
  return {
    ...presentation,
    kind: 'rows',
    only,
    ...(await sentenceOfOne(presentation, fields, only)),
    rows: rows.keys(),
    failure: (row) => {
      const outcome = rows.get(row);
      return outcome && failureOf(outcome);
    },
    // An unknown outcome of the only link is reported once, at the end, with all details.
    unreached: (row) => needsNoSentence(row) || (only !== undefined && row.status === 'unknown'),
    members: () => ({ summary: { rows: tally.rows, ...counts } }),
    notes: () => [...countLines(counts), ...(streams.watched ? undoLines : [])],
    ...(markShown && { printed: () => markShown(run, session) }),
    outcome: ending,
    // If nothing was changed, nothing is lost with the output.
    ...(!isChanged && { abandoned: ending }),
    unwritten: () => [
      ...[...rows.keys()].map((row) => `${row.status}: ${row.short_url_with_protocol ?? row.hash ?? row.long_url}`),
      ...undoLines,
    ],
  };
}

/** For a single link, the sentence shows the values before and after. */
async function sentenceOfOne(
  { sentence }: Pick<TypedPresentation, 'sentence'>,
  fields: EditFields | undefined,
  only: RowOutcome | undefined,
): Promise<Pick<TypedPresentation, 'sentence'>> {
  const change = only?.before && fields ? (await import('./decide/outcome.ts')).editText(fields, only.before) : '';
  if (!sentence || change === '') return {};
  return { sentence: (row: Row, glyphs: Glyphs) => `${sentence({ ...row, long_url: undefined }, glyphs)}: ${change}` };
}

function countLines({ missing = 0, unchanged = 0, skipped = 0, not_sent = 0 }: Readonly<Record<string, number>>): string[] {
  const parts = [
    [missing, 'did not exist'],
    [unchanged, 'unchanged'],
    [skipped, 'skipped: the hash has another destination'],
    [not_sent, 'not sent'],
  ] as const;
  return parts.flatMap(([count, what]) => (count > 0 ? [`${quantity(count, 'link')} ${what}`] : []));
}

/** Contains the run ID, which undo requires in scripts. */
export function undoLineOf(run: string, command = 'linkctl undo'): string {
  return `to undo it: ${command} ${run}`;
}

export function resumedLines({ resumed, run, doneBefore, rows }: RunFacts, noun: 'link' | 'row'): string[] {
  return resumed ? [`resuming run ${run}: ${doneBefore} of ${rows} ${noun}s are done`] : [];
}

/** With `--ignore-missing`, missing links are not failures. */
export function countsOf(tally: Tally, ignoreMissing = false): Readonly<Record<string, number>> {
  const missing = ignoreMissing ? missingCount(tally) : 0;
  return { ...tally.counts, failed: tally.counts.failed - missing, ...(missing > 0 && { missing }) };
}

/** True if there is something to undo. */
export function isChange({ counts: { changed, deleted, created }, unlike }: Tally): boolean {
  return changed + deleted + created + unlike > 0;
}
