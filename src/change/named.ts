import type { Session } from '../cli/session.ts';
import type { LinkKey } from '../contract/link.ts';
import type { RowsReport } from '../output/report.ts';
import { namesDomains } from '../output/url-columns.ts';
import type { NamedChange } from './change.ts';
import { inlineReport } from './inline-report.ts';
import { runReport, shownBefore } from './report.ts';
import { keepsUndo, sendingOf } from './sending.ts';
import { collectRun } from './typed-run.ts';

/** Shows the plan of a change of named links and asks, where that is wanted, and runs it. */
export async function changeNamed<Payload extends LinkKey, Item extends object>(
  change: NamedChange<Payload, Item>,
  session: Session,
): Promise<RowsReport> {
  const { options, question, domains, fromArguments, operation, what, input, payload, flags, columns, fields } = change;
  const sending = sendingOf(options, session);
  if (session.global.dryRun) return (await import('./plan/dry-run.ts')).namedDryRun(change, session);
  const undo = await keepsUndo(options, session);
  const isAsked = !(fromArguments && question.isOptional);
  const rows = isAsked ? await (await import('./consent.ts')).consentToRows(change, session) : input;
  const plan = {
    ...sending,
    operation,
    undo,
    what,
    input: { ...input, ...rows },
    payload: (item: object) => payload(item as Item),
    ...(flags ?? { options: {} }),
    columns,
  };
  const presentation = { ...namesDomains(change.presentation, domains), domains };
  if (!fromArguments) return await runReport(plan, presentation, session);
  const done = await collectRun(plan, session);
  return await inlineReport(done, { presentation, fields, printed: () => shownBefore(done.run, session) }, session);
}
