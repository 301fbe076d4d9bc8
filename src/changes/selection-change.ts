import { type EditedRow, editItemsOperation } from '../bulk/operations/edit.ts';
import { recordCall } from '../bulk/recorded-call.ts';
import type { SettledChange } from '../bulk/run-plan.ts';
import type { Session } from '../cli/session.ts';
import { refuseRowFlags, refuseRunFlags } from '../flags/bulk-flags.ts';
import { selectionWords } from '../flags/selection-flags.ts';
import { quantity } from '../output/quantity.ts';
import type { Report, RowsReport } from '../output/report.ts';
import type { LinkChange } from './asked-change.ts';
import { newNotes } from './history-notes.ts';
import { changeListed, nothingToDo } from './listed-change.ts';
import { consentToLinks, dryRunOf, type PlannedSelection } from './listed-plan.ts';
import { isPlanned, outcomeOf, type PlannedLink } from './planned-links.ts';
import { environmentOf } from './run-report.ts';
import { selectLinks } from './selected-links.ts';
import { keepsUndo } from './sending-flags.ts';

export async function changeSelected(change: LinkChange, session: Session): Promise<RowsReport> {
  const { selection, options, command, presentation, flags } = change;
  refuseRowFlags(options, `${command} of a selection`);
  return await changeListed<EditedRow>(
    {
      ...(await selectionOf(change, session)),
      what: [command, ...selectionWords(selection, options.filter)].join(' '),
      given: { ...flags?.options.values, ...flags?.options.typed },
      presentation: { ...presentation, ignoreMissing: options.ignoreMissing },
    },
    session,
  );
}

async function selectionOf(
  { selection, options, asks, verb, fields = {}, operation }: LinkChange,
  session: Session,
): Promise<PlannedSelection<EditedRow>> {
  return {
    links: await selectLinks(selection, options, session),
    kind: verb === 'change' ? 'edit' : verb,
    verb,
    question: { verb: asks.verb, ...(selection.kind === 'tags' && { always: 'typed number' }) },
    options,
    decide: ({ record }) => outcomeOf(verb === 'change' ? fields : verb, record),
    operation: verb === 'change' ? editItemsOperation : operation,
    payload: (target, values) => ({ ...target, ...values }),
  };
}

/**
 * The same in one call that answers with no URLs (4.3.8, 4.3.10): the server decides what the expression selects. Nothing to change:
 * nothing is sent, exit 0 (B43).
 */
export async function changeByTags(change: LinkChange, expression: string, session: Session): Promise<Report> {
  const { options, command, done, files = '--hashes-from', presentation, request, fields } = change;
  refuseRunFlags(options, '--by-tags --no-undo', files);
  const query = { tags: expression };
  const planned = await selectionOf(change, session);
  if (session.global.dryRun) {
    return dryRunOf({ ...planned, request: { ...request, query, body: fields && { urls: [fields] } } }, session);
  }
  await keepsUndo(options, session);
  const changed: SettledChange[] = [];
  const plan = await consentToLinks(planned, session, (links) => changed.push(...changesOf(links, change.verb, changed.length)));
  const count = plan.counts.planned;
  if (count === 0) return nothingToDo({ presentation, what: [command, ...selectionWords(change.selection)].join(' ') }, 0);
  const what = [command, ...selectionWords(change.selection), '--no-undo'].join(' ');
  await recordCall({ what, profile: session.profile }, environmentOf(session), () => change.sendSelected(query));
  const { run, note } = newNotes(session);
  await note(run, changed);
  const record = { tags: expression, summary: { matched: count + plan.counts.unchanged } };
  const sentence = `${done} ${quantity(count, 'link')} with the tag expression "${expression}"`;
  return { kind: 'done', sentence, record, notes: () => (session.streams.terminal ? [] : [sentence]) };
}

/** What the call does to the counters of links that were listed for it. */
function changesOf(links: readonly PlannedLink[], verb: LinkChange['verb'], first: number): SettledChange[] {
  const kind = verb === 'delete' ? 'deleted' : verb;
  if (kind === 'change') return [];
  return links.flatMap(({ target: link, record, outcome }, nth) => {
    if (!isPlanned(outcome)) return [];
    // No more than that: there may be a million.
    const before = record && { hash: record.hash, total_clicks: record.total_clicks, unique_clicks: record.unique_clicks };
    return [{ kind, row: first + nth, link, before, after: undefined }];
  });
}
