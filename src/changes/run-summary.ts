import type { RunProgress, RunSummary } from '../bulk/execute.ts';
import type { StartedRun } from '../bulk/run.ts';
import type { RunPlan } from '../bulk/run-plan.ts';
import { type Session, whereabouts } from '../cli/session.ts';
import type { LinkDomains } from '../contract/link.ts';
import { plainQuantity } from '../output/quantity.ts';
import type { Row, RowsReport } from '../output/report.ts';

/** How the rows of one kind of run are shown. */
export type RunPresentation = Pick<RowsReport, 'key' | 'columns' | 'tableFields' | 'pipedFields' | 'sentence'> & {
  /** What the header says is done: `shortening`. */
  readonly doing: string;
  /** The domains that the rows name. */
  readonly domains?: LinkDomains | undefined;
  /** A hash that does not exist is no failure (B43). */
  readonly ignoreMissing?: boolean | undefined;
};

/** A run on its way to people. */
export interface ShownRun<Payload extends object> {
  readonly run: StartedRun<Payload>;
  readonly plan: RunPlan<Payload>;
  readonly presentation: RunPresentation;
  readonly session: Session;
}

/** What is known before the first row: the account, batches and calls, and what the mode promises. */
export function headerLines<Payload extends object>(shown: ShownRun<Payload>): string[] {
  const { rows, batches, calls, doneBefore, resumed, run, guarantee, advice } = shown.run.facts;
  const { input } = shown.plan;
  const where = whereaboutsOf(shown);
  return [
    ...(resumed ? [`resuming run ${run}: ${doneBefore} of ${rows} rows are done`] : []),
    `${shown.presentation.doing} ${plainQuantity(rows - doneBefore, 'row')} of ${input.name} in ${plainQuantity(batches, 'batch')} (${where}; at least ${plainQuantity(calls, 'request')})`,
    ...(guarantee ? [guarantee] : []),
    ...(advice ? [advice] : []),
  ];
}

function whereaboutsOf<Payload extends object>({ run, session, presentation }: ShownRun<Payload>): string {
  return whereabouts({ client: session.client, domain: run.facts.domain }, presentation.domains);
}

export function progressLine({ batches, batchesSettled, rows, rowsSettled, failed }: RunProgress, milliseconds: number): string {
  const left = rowsSettled > 0 ? Math.ceil(((rows - rowsSettled) / rowsSettled) * (milliseconds / 1000)) : undefined;
  const parts = [`${batchesSettled}/${batches} batches`, `${rowsSettled}/${rows}`, `${failed} failed`];
  return [...parts, ...(left === undefined ? [] : [`ETA ${left}s`])].join(' · ');
}

/** The summary for programs. */
export function summaryRecord<Payload extends object>({ run, presentation }: ShownRun<Payload>): Row {
  const summary = run.summary();
  const { tally, calls, milliseconds, surplus } = summary;
  return {
    rows: tally.rows,
    ...countsOf(summary, presentation),
    requests: calls,
    seconds: milliseconds / 1000,
    surplus: surplus.length,
  };
}

/** What `--ignore-missing` expects is no failure. */
function countsOf({ tally }: RunSummary, { ignoreMissing }: RunPresentation): Readonly<Record<string, number>> {
  const missing = ignoreMissing ? (tally.failures.get(1306) ?? 0) : 0;
  return { ...tally.counts, failed: tally.counts.failed - missing, ...(missing > 0 && { missing }) };
}

/** B90: `5800 rows: 5790 created, 6 existing, 4 failed (12 requests, 9.1 s)`. */
export function summaryLines<Payload extends object>(shown: ShownRun<Payload>): string[] {
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
    `${plainQuantity(tally.rows, 'row')}: ${counts.join(', ')} (${effort}) for ${whereaboutsOf(shown)}`,
    ...(guarantee ? [guarantee] : []),
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
    ...(stop || tally.counts.not_sent > 0 ? [`to resume run ${run}, run the same command again`] : []),
  ];
}
