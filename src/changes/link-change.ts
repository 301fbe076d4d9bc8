import type { Session } from '../cli/session.ts';
import { checkTagExpression } from '../cli/tag-selection.ts';
import { countUrls } from '../client/counting.ts';
import { refuseRunFlags } from '../flags/bulk-flags.ts';
import type { NamedSelection } from '../flags/selection-flags.ts';
import { quantity } from '../output/quantity.ts';
import type { Report } from '../output/report.ts';
import { consentToSelected, type Question, refuseTooMany, requireAnswer, shownUrls } from './consent.ts';
import { type ChangeOfLinks, changeText, dryRun, linkChangeColumns, plannedChange } from './dry-run.ts';
import { changeNamed, type NamedChange } from './named-change.ts';
import { participles } from './planned-links.ts';
import type { RunPresentation } from './run-report.ts';

/** One change of links that exist, however they are selected. */
interface LinkChange extends Omit<NamedChange, 'selection'>, Omit<TagChange, 'expression'> {
  readonly selection: NamedSelection;
  /** The flags that begin a run, for the message that refuses flags of runs beside `--by-tags`. */
  readonly files?: string;
}

export async function changeLinks(
  { selection, files = '--hashes-from', ...change }: LinkChange,
  session: Session,
): Promise<Report> {
  if (selection.kind !== 'tags') return await changeNamed({ ...change, selection }, session);
  refuseRunFlags(change.options, '--by-tags', files);
  return await changeByTags({ ...change, expression: selection.expression }, session);
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
  await requireAnswer(session, 'by tags');
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
