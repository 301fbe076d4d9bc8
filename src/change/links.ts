import type { Session } from '../cli/session.ts';
import type { LinkKey } from '../contract/link.ts';
import type { Report, RowsReport } from '../output/report.ts';
import { namesDomains } from '../output/url-columns.ts';
import { firstFlag, type LinkSelection, refuseDomainFlags } from '../select/selection-flags.ts';
import type { LinkChange, NamedChange } from './change.ts';
import { outcomeOf } from './decide/outcome.ts';
import { requireAnswer } from './limits.ts';
import { hashRows, operandRows } from './rows/named.ts';
import { keepsUndo, markShown, sendingOf } from './run-settings.ts';
import { typedReport } from './typed-report.ts';

/** Changes a selection. Listed links are read first and changed by hash, so a link that gets a tag meanwhile is not affected. */
export async function changeLinks(change: LinkChange, session: Session): Promise<Report> {
  const { selection, options } = change;
  refuseDomainFlags(selection, options, session, 'change');
  const isListed = selection.kind === 'listing';
  if (!isListed && options.filter === undefined) return await changeOfHashes(change, selection, session);
  await requireAnswer(session, isListed ? firstFlag(selection) : 'named');
  return await (await import('./selection.ts')).changeSelected(change, session);
}

async function changeOfHashes(
  { verb, fields, ...change }: LinkChange,
  selection: Exclude<LinkSelection, { kind: 'listing' }>,
  session: Session,
): Promise<RowsReport> {
  const { question, options, flags } = change;
  if (!question.isOptional) await requireAnswer(session, 'named');
  const name = verb === 'change' ? 'edit' : verb;
  const rows =
    selection.kind === 'hashes'
      ? await operandRows(selection.operands, { name, options, given: flags?.options ?? {} }, session)
      : await hashRows(selection.path, { name, options }, session);
  return await changeNamed(
    {
      ...change,
      ...rows,
      payload: (link: LinkKey) => link,
      decide: (_, record) => outcomeOf(verb === 'change' ? (fields ?? {}) : verb, record),
      verb,
      fields,
      columns: ['hash'],
    },
    session,
  );
}

/** Shows the plan and asks for consent if necessary, then runs the change. Neither is done for a change that its run would refuse. */
export async function changeNamed(change: NamedChange, session: Session): Promise<RowsReport> {
  const { options, question, domains, fromArguments, operation, what, input, payload, flags, columns, fields } = change;
  const sending = sendingOf(options, session);
  const { dryRun } = session.global;
  if (input.rows === 0 && !dryRun) {
    return (await import('./unsent.ts')).nothingToDo(change.presentation, `${what}: nothing to change`);
  }
  const undo = await keepsUndo(options, session);
  const plan = { ...sending, operation, undo, what, input, payload, ...(flags ?? { options: {} }), columns, fromArguments };
  const foresee = async () => await (await import('./plan/resumed-run.ts')).resumedRun(plan, session);
  if (dryRun) {
    if (input.rows > 0) await foresee();
    return (await import('./plan/dry-run.ts')).namedDryRun(change, session);
  }
  const isAsked = !(fromArguments && question.isOptional);
  const rows = isAsked ? await (await import('./consent.ts')).consentToRows(change, foresee, session) : input;
  const planned = { ...plan, input: { ...input, ...rows } };
  const presentation = { ...namesDomains(change.presentation, domains), domains };
  if (fromArguments) return await typedReport(planned, { ...presentation, fields, markShown }, session);
  return await (await import('./report.ts')).runReport(planned, presentation, session);
}
