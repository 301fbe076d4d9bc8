import { CliError } from '../base/errors.ts';
import { outcomeFailure } from '../bulk/results/outcome-failure.ts';
import { outcomeRow } from '../bulk/results/printed-row.ts';
import { addTo, type RowOutcome, startTally } from '../bulk/results/row-outcome.ts';
import { runEnd } from '../bulk/results/run-end.ts';
import type { RunPlan, RunRow } from '../bulk/run-plan.ts';
import { unsentRows, writeUnsentRows } from '../bulk/unsent-rows.ts';
import type { Session } from '../cli/session.ts';
import { plainQuantity } from '../output/quantity.ts';
import type { Row, RowsReport } from '../output/report.ts';
import type { RunPresentation } from './change.ts';
import { environmentOf } from './environment.ts';
import { countsOf } from './typed-report.ts';

type Presentation = Omit<RunPresentation, 'doing'>;

export function nothingToDo(presentation: Presentation, note: string): RowsReport {
  return { ...presentation, kind: 'rows', rows: [], members: () => summaryOf(startTally()), notes: () => [note] };
}

function summaryOf(tally: ReturnType<typeof startTally>): Row {
  return { summary: { rows: tally.rows, ...countsOf(tally) } };
}

interface Unsent {
  /** All of them are refused. */
  readonly rows: Iterable<readonly RunRow[]>;
  /** Other links of the change are as requested. */
  readonly isPart: boolean;
}

/** Reports a change that starts no run, because nothing can be sent. */
export function unsentReport(plan: RunPlan, { rows, isPart }: Unsent, presentation: Presentation, session: Session): RowsReport {
  const tally = startTally();
  for (const outcome of unsentRows(rows, plan)) addTo(tally, outcome);
  const outcomes = new WeakMap<Row, RowOutcome>();
  function* shown(): Generator<Row> {
    for (const outcome of unsentRows(rows, plan)) {
      const row = outcomeRow(outcome, session, true);
      outcomes.set(row, outcome);
      yield row;
    }
  }
  const { identity } = session.client;
  const end = runEnd(tally, undefined);
  const kind = end.kind === 'error' && !isPart ? end.error.kind : 'partial';
  const text = `${plainQuantity(tally.rows, 'link')} left unchanged; nothing was changed`;
  const isWritten = plan.results !== undefined || plan.failed !== undefined;
  return {
    ...nothingToDo(presentation, `${plan.what}: nothing to change`),
    ...(tally.rows > 0 && { rows: shown(), notes: () => [], outcome: () => new CliError(kind, text) }),
    members: () => summaryOf(tally),
    failure(row) {
      const outcome = outcomes.get(row);
      return outcome && outcomeFailure(outcome, identity, { plan });
    },
    // Only then, because an undo in parts may have more to do.
    ...(isWritten && { printed: async () => writeUnsentRows(unsentRows(rows, plan), plan, environmentOf(session)) }),
  };
}
