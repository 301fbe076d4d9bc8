import { shellWord } from '../base/shell-word.ts';
import { type EditedRow, editItemsOperation } from '../bulk/operations/edit.ts';
import type { Session } from '../cli/session.ts';
import { checkTagExpression } from '../cli/tag-selection.ts';
import { countUrls } from '../client/counting.ts';
import { refuseRowFlags, refuseRunFlags } from '../flags/bulk-flags.ts';
import type { LinkSelection, SelectionOptions } from '../flags/selection-flags.ts';
import { quantity } from '../output/quantity.ts';
import type { Report, RowsReport } from '../output/report.ts';
import { consentToSelected, type Question, refuseTooMany, requireAnswer, shownUrls } from './consent.ts';
import { type ChangeOfLinks, changeText, dryRun, linkChangeColumns, plannedChange } from './dry-run.ts';
import { changeListed } from './listed-change.ts';
import { changeNamed, type NamedChange } from './named-change.ts';
import { outcomeOf, participles } from './planned-links.ts';
import type { RunPresentation } from './run-report.ts';
import { selectLinks } from './selected-links.ts';

/** One change of links that exist, however they are selected. */
interface LinkChange extends Omit<NamedChange, 'selection' | 'options'>, Omit<TagChange, 'expression'> {
  readonly selection: LinkSelection;
  readonly options: SelectionOptions & NamedChange['options'];
  /** How the command is called: `edit`. */
  readonly command: string;
  /** The flags that begin a run, for the message that refuses flags of runs beside `--by-tags --no-undo`. */
  readonly files?: string;
  /** Whether the API can make the change in one call for a tag expression (4.3.8). */
  readonly isOneCall?: boolean;
}

/**
 * Links that were named are changed as they are named. All others are listed first, and changed by hash: so nothing is hit that was
 * labelled meanwhile. The API's own call for a tag expression cannot be undone (F1).
 */
export async function changeLinks(change: LinkChange, session: Session): Promise<Report> {
  const { selection, options, isOneCall = true, files = '--hashes-from' } = change;
  const { kind } = selection;
  const isNamed = kind === 'hashes' || kind === 'file';
  if (isNamed && options.filter === undefined) return await changeNamed({ ...change, selection }, session);
  if (kind === 'tags' && options.undo === false && options.filter === undefined && isOneCall) {
    refuseRunFlags(options, '--by-tags --no-undo', files);
    return await changeByTags({ ...change, expression: selection.expression }, session);
  }
  await requireAnswer(session, isNamed ? 'named' : waysOf[kind]);
  return await changeSelected(change, session);
}

const waysOf = { tags: '--by-tags', search: '--search', all: '--all' } as const;

async function changeSelected(change: LinkChange, session: Session): Promise<RowsReport> {
  const { selection, options, command, asks, presentation, fields, flags, verb, operation } = change;
  refuseRowFlags(options, `${command} of a selection`);
  const links = await selectLinks(selection, options, session);
  return await changeListed<EditedRow>(
    {
      what: [command, ...wordsOf(selection), ...(options.filter ?? []).flatMap((text) => ['--filter', shellWord(text)])].join(
        ' ',
      ),
      links,
      given: { change: flags?.options ?? null },
      kind: verb === 'change' ? 'edit' : verb,
      verb,
      question: { verb: asks.verb, ...(selection.kind === 'tags' && { always: 'typed number' as const }) },
      options,
      presentation: { ...presentation, ignoreMissing: options.ignoreMissing },
      decide: ({ record }) => outcomeOf(verb === 'change' ? (fields ?? {}) : verb, record),
      operation: verb === 'change' ? editItemsOperation : operation,
      payload: (target, values) => ({ ...target, ...values }),
    },
    session,
  );
}

/** The selection as it is typed, for the list of runs. */
function wordsOf(selection: LinkSelection): string[] {
  switch (selection.kind) {
    case 'hashes':
      return selection.operands.slice(0, 3);
    case 'file':
      return ['--hashes-from', shellWord(selection.path)];
    case 'tags':
      return ['--by-tags', shellWord(selection.expression)];
    case 'search':
      return ['--search', shellWord(selection.text)];
    case 'all':
      return ['--all'];
  }
}

/** A change of everything that a tag expression selects, in one call that answers with no URLs (4.3.8, 4.3.10). */
interface TagChange extends ChangeOfLinks {
  readonly expression: string;
  readonly asks: Question;
  readonly presentation: RunPresentation;
  /** What was done: `Deleted`. */
  readonly done: string;
  sendSelected(query: { readonly tags: string }): Promise<unknown>;
}

/**
 * Counts what the expression selects, asks, and makes the call. Nothing matched: nothing is sent, exit 0 (B43). The working domain
 * has no say here, and one that was named is refused.
 */
async function changeByTags(change: TagChange, session: Session): Promise<Report> {
  const { expression, asks, done, presentation } = change;
  const query = { tags: expression };
  await requireAnswer(session, '--by-tags');
  await checkTagExpression(expression, session);
  const atMost = session.global.maxAffected;
  const { count, orMore, first } = await countUrls(session.client, query, { shown: shownUrls, atMost });
  refuseTooMany(count, session, orMore);
  if (session.global.dryRun) {
    await session.note(`${quantity(count, 'link')} matched ${expression}`);
    const { fields, verb, request } = change;
    const changes = [first.map((record) => plannedChange(record.short_url ?? record.hash, record, changeText(change, record)))];
    const requests = [{ ...request, query, body: fields && { urls: [fields] } }];
    return dryRun({ requests, changes, noun: 'link', done: participles[verb], columns: linkChangeColumns, count }, session);
  }
  const record = { tags: expression, summary: { matched: count } };
  if (count === 0)
    return { ...presentation, kind: 'rows', rows: [], members: () => record, notes: () => [`0 matched ${expression}`] };
  const urls = first.map((found) => ({ target: found, record: found }));
  await consentToSelected(asks, count, urls, session);
  await change.sendSelected(query);
  const sentence = `${done} ${quantity(count, 'link')} with the tag expression "${expression}"`;
  return { kind: 'done', sentence, record, notes: () => (session.streams.terminal ? [] : [sentence]) };
}
