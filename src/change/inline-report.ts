import type { CliError } from '../base/errors.ts';
import { outcomeRow, wasNotTouched } from '../bulk/results/outcome-row.ts';
import { isMissing, type RowOutcome } from '../bulk/results/row-outcome.ts';
import type { Session } from '../cli/session.ts';
import type { EditFields } from '../contract/operations.ts';
import { quantity } from '../output/quantity.ts';
import type { Glyphs, Row, RowsReport } from '../output/report.ts';
import type { RunPresentation } from './report.ts';
import { isChange, type TypedResult, undoLine } from './typed-run.ts';

interface InlineChange {
  readonly presentation: Omit<RunPresentation, 'doing'>;
  /** Given to every link; messages name it. */
  readonly fields?: EditFields | undefined;
  /** Called when the result is printed. */
  readonly printed?: () => Promise<void>;
}

/** The result of links that were typed, as a report. */
export async function inlineReport<Payload extends object>(
  { outcomes, tally, stop, run, undo }: TypedResult<Payload>,
  { presentation, fields, printed }: InlineChange,
  session: Session,
): Promise<RowsReport> {
  const { ignoreMissing } = presentation;
  const shown = ignoreMissing ? outcomes.filter((outcome) => !isMissing(outcome)) : outcomes;
  const missing = outcomes.length - shown.length;
  const rows = new Map<Row, RowOutcome<Payload>>(shown.map((outcome) => [outcomeRow(outcome, session), outcome]));
  const isFailed = outcomes.some(({ status }) => status === 'failed' || status === 'unknown');
  const failures = isFailed ? await import('../bulk/results/outcome-failure.ts') : undefined;
  const failureOf = (outcome: RowOutcome<Payload>, reported = false): CliError | undefined =>
    failures?.outcomeFailure({ ...outcome, item: { ...outcome.item, ...fields } }, session.client.identity, { reported });
  const [only] = outcomes;
  const isWhole = stop === undefined && !isFailed;
  const end = isWhole
    ? undefined
    : (await import('../bulk/results/run-end.ts')).runEnd(tally, stop, { ignoreMissing, noun: 'links' });
  const ending = (): CliError | undefined => {
    if (end?.kind !== 'error') return undefined;
    return (only?.status === 'failed' && outcomes.length === 1 && failureOf(only, true)) || end.error;
  };
  // One link is few enough to show before and after.
  const isEdit = only?.before && fields && outcomes.length === 1;
  const change = isEdit ? (await import('./decide/edit.ts')).editText(fields, only.before) : '';
  const { sentence } = presentation;
  const counts = { ...tally.counts, failed: tally.counts.failed - missing, ...(missing > 0 && { missing }) };
  return {
    ...presentation,
    kind: 'rows',
    ...(sentence &&
      change !== '' && {
        sentence: (row: Row, glyphs: Glyphs) => `${sentence({ ...row, long_url: undefined }, glyphs)}: ${change}`,
      }),
    rows: rows.keys(),
    failure: (row) => {
      const outcome = rows.get(row);
      return outcome && failureOf(outcome);
    },
    // The only one that is in doubt is reported once, at the end, with all that is known about it.
    unreached: (row) => wasNotTouched(row) || (outcomes.length === 1 && row.status === 'unknown'),
    members: () => ({ summary: { rows: tally.rows, ...counts } }),
    notes: () => [
      ...(missing > 0 ? [`${quantity(missing, 'link')} did not exist`] : []),
      ...(counts.unchanged > 0 ? [`${quantity(counts.unchanged, 'link')} unchanged`] : []),
      ...(counts.skipped > 0 ? [`${quantity(counts.skipped, 'link')} skipped: the hash has another destination`] : []),
      ...(counts.not_sent > 0 ? [`${quantity(counts.not_sent, 'link')} not sent`] : []),
      ...(undo && isChange(tally) && session.streams.watched ? [undoLine(run)] : []),
    ],
    ...(printed && { printed }),
    outcome: ending,
    // Everything was done before the reader went away.
    abandoned: ending,
  };
}
