import { type EditedRow, editItemsOperation } from '../bulk/operations/edit.ts';
import { recordCall } from '../bulk/recorded-call.ts';
import type { SettledChange } from '../bulk/settled-change.ts';
import type { Session } from '../cli/session.ts';
import { refuseRowFlags, refuseRunFlags } from '../flags/bulk-flags.ts';
import type { RunFlags } from '../flags/field-flags.ts';
import { type LinkSelection, type SelectionOptions, selectionWords } from '../flags/selection-flags.ts';
import { quantity } from '../output/quantity.ts';
import type { Report, RowsReport } from '../output/report.ts';
import { keepsUndo } from './checked-rows.ts';
import { requireAnswer } from './consent.ts';
import { newNotes } from './history-notes.ts';
import { changeListed, nothingToDo } from './listed-change.ts';
import { consentToLinks, dryRunOf, type PlannedSelection } from './listed-plan.ts';
import { changeNamed, type NamedChange } from './named-change.ts';
import { isPlanned, outcomeOf, type PlannedLink } from './planned-links.ts';
import { environmentOf } from './run-report.ts';
import { refuseDomainsOf, selectLinks } from './selected-links.ts';

/** One change of links that exist, however they are selected. */
interface LinkChange extends Omit<NamedChange, 'selection' | 'options'> {
  readonly flags?: RunFlags;
  readonly selection: LinkSelection;
  readonly options: SelectionOptions & NamedChange['options'];
  /** How the command is called: `edit`. */
  readonly command: string;
  /** The flags that begin a run, for the message that refuses flags of runs beside `--by-tags --no-undo`. */
  readonly files?: string;
  /** Whether the API can make the change in one call for a tag expression (4.3.8). */
  readonly isOneCall?: boolean;
  /** What that call did: `Deleted`. */
  readonly done: string;
  sendSelected(query: { readonly tags: string }): Promise<unknown>;
}

/**
 * Links that were named are changed as they are named. All others are listed first, and changed by hash: so nothing is hit that was
 * labelled meanwhile. The API's own call for a tag expression cannot be undone (F1).
 */
export async function changeLinks(change: LinkChange, session: Session): Promise<Report> {
  const { selection, options, isOneCall = true } = change;
  const { kind } = selection;
  refuseDomainsOf(selection, options, session);
  const isNamed = kind === 'hashes' || kind === 'file';
  if (isNamed && options.filter === undefined) return await changeNamed({ ...change, selection }, session);
  await requireAnswer(session, isNamed ? 'named' : waysOf[kind]);
  if (kind === 'tags' && options.undo === false && options.filter === undefined && isOneCall) {
    return await changeByTags(change, selection.expression, session);
  }
  return await changeSelected(change, session);
}

const waysOf = { tags: '--by-tags', search: '--search', all: '--all' } as const;

async function changeSelected(change: LinkChange, session: Session): Promise<RowsReport> {
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
async function changeByTags(change: LinkChange, expression: string, session: Session): Promise<Report> {
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
