import { editItemsOperation } from '../bulk/operations/editing.ts';
import { sendCall } from '../bulk/operations/operation.ts';
import { recordCall } from '../bulk/recorded-call.ts';
import type { Session } from '../cli/session.ts';
import { refuseRowFlags, refuseRunFlags } from '../flags/bulk-flags.ts';
import type { NotedChange } from '../history/noted-changes.ts';
import { requestOf } from '../output/planned-requests.ts';
import { quantity } from '../output/quantity.ts';
import type { Report } from '../output/report.ts';
import { selectLinks } from '../select/link-selection.ts';
import { selectionWords } from '../select/selection-flags.ts';
import type { LinkChange, ListedChange } from './change.ts';
import { consentToPlan } from './consent.ts';
import { isPlanned, outcomeOf, type PlannedLink } from './decide/outcome.ts';
import { environmentOf } from './environment.ts';
import { ChangePlan, decidedPages } from './plan/plan.ts';
import { runPlannedChange } from './run.ts';
import { keepsUndo } from './run-settings.ts';
import { nothingToDo } from './unsent.ts';

/** Changes the links that were read, by hash. The API call for a tag expression changes the links that the server then selects. */
export async function changeSelected(change: LinkChange, session: Session): Promise<Report> {
  const { selection, options, command, oneCall } = change;
  const tags = selection.kind === 'listing' ? selection.tags : undefined;
  if (tags !== undefined && options.undo === false && options.filter === undefined && oneCall) {
    return await changeByTags({ ...change, oneCall }, tags, session);
  }
  refuseRowFlags(options, `${command} of a selection`);
  return await runPlannedChange(await listedChange(change, session), session);
}

async function listedChange(change: LinkChange, session: Session): Promise<ListedChange> {
  const { command, selection, options, question, presentation, verb, fields = {}, flags, operation } = change;
  const links = await selectLinks(selection, options, session, 'change');
  return {
    what: [command, ...selectionWords(selection, options.filter)].join(' '),
    links,
    given: { ...links.given, ...flags?.options.values, ...flags?.options.typed },
    restoreOptions: flags?.restoreOptions,
    kind: verb === 'change' ? 'edit' : verb,
    verb,
    question: {
      verb: question.verb,
      ...(selection.kind === 'listing' && selection.tags !== undefined && { always: 'typed number' }),
    },
    options,
    presentation,
    decide: ({ record }) => outcomeOf(verb === 'change' ? fields : verb, record),
    operation: verb === 'change' ? editItemsOperation : operation,
  };
}

/** The server selects the links, and its answer contains no URLs (4.3.8, 4.3.10). */
async function changeByTags(
  { oneCall, ...change }: LinkChange & { readonly oneCall: NonNullable<LinkChange['oneCall']> },
  expression: string,
  session: Session,
): Promise<Report> {
  const { options, files = '--hashes-from', verb } = change;
  refuseRunFlags(options, '--by-tags --no-undo', files);
  const call = oneCall.request({ tags: expression });
  const listed = await listedChange({ ...change, oneCall }, session);
  if (session.global.dryRun) return await runPlannedChange({ ...listed, request: requestOf(call) }, session);
  await keepsUndo(options, session);
  const changed: NotedChange[] = [];
  const plan = new ChangePlan(listed.verb, session);
  for await (const links of decidedPages(plan, listed, session)) changed.push(...changesOf(links, verb, changed.length));
  if (plan.count > 0) await consentToPlan(plan, listed.question, session);
  const { planned } = plan;
  if (planned === 0) return nothingToDo(listed.presentation, `${listed.what}: nothing to change`);
  const environment = environmentOf(session);
  const { profile, client } = session;
  await recordCall({ what: `${listed.what} --no-undo`, profile }, environment, () => sendCall(client, call, {}));
  // The call has no run ID for the history, so a random one is used.
  await environment.noteChanges?.(Buffer.from(session.system.randomBytes(8)).toString('hex'), changed);
  const record = { tags: expression, summary: { matched: planned + plan.countOf('unchanged') } };
  const sentence = `${oneCall.done} ${quantity(planned, 'link')} with the tag expression "${expression}"`;
  return { kind: 'done', sentence, record, notes: () => (session.streams.terminal ? [] : [sentence]) };
}

/** Returns the links whose counters the call erases, for the click history. */
function changesOf(links: readonly PlannedLink[], verb: LinkChange['verb'], first: number): NotedChange[] {
  const kind = verb === 'delete' ? 'deleted' : verb;
  if (kind === 'change') return [];
  const erased = links.filter(({ outcome }) => isPlanned(outcome));
  return erased.map(({ target, record }, nth) => {
    return { kind, row: first + nth, ...target, total: record?.total_clicks, unique: record?.unique_clicks };
  });
}
