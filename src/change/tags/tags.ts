import { CliError, LocalError, NotFoundError, sharedFailure, UsageError } from '../../base/errors.ts';
import { capitalized } from '../../base/quoted.ts';
import { recordTagRun, type TagChange, type TagRun } from '../../bulk/tag-run.ts';
import { confirm } from '../../cli/prompt.ts';
import type { Session } from '../../cli/session.ts';
import { type AccountTags, accountTags, isOneOf } from '../../client/account-tags.ts';
import { noTag } from '../../client/api-messages.ts';
import { countUrls } from '../../client/whole-listing.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { isAmbiguousLabel, labelExpression } from '../../contract/tag-label.ts';
import { type PlannedRequest, requestOf } from '../../output/planned-requests.ts';
import { quantity } from '../../output/quantity.ts';
import { batchesOf, type Row, type RowsReport } from '../../output/report.ts';
import { accountLabel } from '../account-label.ts';
import { askFor } from '../consent.ts';
import type { PlannedOutcome } from '../decide/outcome.ts';
import { environmentOf } from '../environment.ts';
import { refuseTooMany, requireAnswer } from '../limits.ts';
import { shownLinks } from '../plan/text.ts';
import { markShown } from '../run-settings.ts';
import { undoLineOf } from '../typed-report.ts';

/**
 * Asks before tags are deleted, but not for a dry run, and returns those of the account. Both `--max-affected` and the number to type count
 * the links of the tags.
 */
export async function consentToTags(labels: readonly string[], session: Session): Promise<AccountTags> {
  await requireAnswer(session, 'tags delete');
  const { yes, dryRun, maxAffected } = session.global;
  const isAnswered = yes || dryRun;
  const tags = await accountTags(session.client);
  const found = labels.flatMap((label) => tags.spelled(label) ?? []);
  if (!yes || dryRun) await showMissing(labels, found, session);
  if (isAnswered && (maxAffected === undefined || found.length === 0)) return tags;
  if (found.length === 0) {
    await confirm(`Delete ${namedTags(labels)} of ${accountLabel(session)}?`, session);
    return tags;
  }
  const links = await countTagged(found, session, 'leave out --no-undo');
  if (isAnswered) return tags;
  const carried =
    links === 0 ? 'used by no link' : `used by ${links === undefined ? 'an unknown number of links' : quantity(links, 'link')}`;
  const question = `Delete ${namedTags(found)}, ${carried}, of ${accountLabel(session)}?`;
  await askFor(question, links ?? 0, session);
  return tags;
}

export async function showMissing(labels: readonly string[], found: readonly string[], { streams }: Session): Promise<void> {
  const isFound = isOneOf(found);
  for (const label of labels) if (!isFound(label)) await streams.message(`${JSON.stringify(label)} (not found)`, '  ');
}

/** The failure of a dry run, as the change itself would end because of tags that do not exist. */
export function absence(labels: readonly string[], found: readonly string[], ignoreMissing = false): CliError | undefined {
  const isFound = isOneOf(found);
  const missing = ignoreMissing ? [] : labels.filter((label) => !isFound(label)).map(missingTag);
  // No row has reported it.
  return labels.length === 1 ? missing[0] : sharedFailure(missing, labels.length, 'tags do not exist');
}

/** The error of the server, for a tag that it does not list. */
export function missingTag(label: string): NotFoundError {
  const { message, hint } = noTag({ label });
  return new NotFoundError(message, { apiCode: 1309, hint });
}

export function namedTags(labels: readonly string[]): string {
  const shown = labels.slice(0, 5).map((label) => JSON.stringify(label));
  const rest = labels.length > shown.length ? ` and ${labels.length - shown.length} more` : '';
  return labels.length === 1 ? `tag ${shown[0]}` : `${labels.length} tags: ${shown.join(', ')}${rest}`;
}

/** Counts the links with any of the tags. Throws a UsageError if `--max-affected` is exceeded or cannot be checked. */
export async function countTagged(labels: readonly string[], session: Session, hint?: string): Promise<number | undefined> {
  const links = await linksWith(labels, session);
  if (session.global.maxAffected !== undefined && links === undefined) {
    throw new UsageError('--max-affected: the links of these tags cannot be counted', { hint });
  }
  refuseTooMany(links ?? 0, session);
  return links;
}

/** Counts the links with any of the tags. Returns undefined if the server may have misread a label. */
async function linksWith(labels: readonly string[], { client }: Session): Promise<number | undefined> {
  const hasOne = ({ tags }: { readonly tags?: readonly string[] }): boolean => tags?.some(isOneOf(labels)) ?? true;
  try {
    const { count, first } = await countUrls(client, { tags: labels.map(labelExpression).join('|') }, { shown: shownLinks });
    return first.every(hasOne) && (count > 0 || !labels.some(isAmbiguousLabel)) ? count : undefined;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

/** The columns of `changeEach`. */
export const labelColumns = [{ name: 'label' }];

export interface LabelChange {
  /** The status of a tag in messages and the summary: `added`. */
  readonly done: 'added' | 'deleted' | 'merged' | 'restored';
  readonly ignoreMissing?: boolean;
  /** False for a tag that is as requested already, which does not count. */
  readonly isNeeded?: (label: string) => boolean;
  /** Number of links that were changed. */
  readonly links?: () => number;
}

export interface TagsReport extends RowsReport {
  /** Names the tags that were not reached because of the error. It is about the first of them if its outcome is unknown. */
  unreachedNotes(error: unknown): string[];
}

/** Calls `work` for each label in order. A refused label does not stop the others; any other error does. */
export function changeEach(labels: readonly string[], work: (label: string) => Promise<Row>, change: LabelChange): TagsReport {
  const { done, ignoreMissing = false, isNeeded = () => true, links } = change;
  const failures = new Map<Row, CliError>();
  let changed = 0;
  let unneeded = 0;
  let missing = 0;
  const reached = (): number => changed + unneeded + missing + failures.size;
  async function* rows(): AsyncGenerator<[Row]> {
    for (const label of labels) {
      try {
        const row = await work(label);
        if (isNeeded(label)) changed += 1;
        else unneeded += 1;
        yield [row];
      } catch (error) {
        if (!isRefusal(error)) throw error;
        if (ignoreMissing && error.kind === 'not_found') {
          missing += 1;
          continue;
        }
        const row = { label, error: { code: error.apiCode ?? 0, message: error.message, details: '' } };
        failures.set(row, error);
        yield [row];
      }
    }
  }
  return {
    kind: 'rows',
    key: done === 'deleted' || done === 'merged' ? done : 'tags',
    rows: rows(),
    columns: labelColumns,
    sentence: (row, { tick }) => `${tick} ${capitalized(done)} tag "${row.label}"`,
    failure: (row) => failures.get(row),
    members: () => ({
      summary: { rows: labels.length, [done]: changed, failed: failures.size, missing, ...(links && { links: links() }) },
    }),
    outcome: () => sharedFailure([...failures.values()], labels.length, `tags were not ${done}`),
    abandoned: () => {
      if (reached() >= labels.length) return undefined;
      const hint = 'run the same command again to finish';
      return new LocalError(`output pipe closed after ${changed} of ${labels.length} tags were ${done}`, { hint });
    },
    unreachedNotes: (error) => {
      const left = labels.slice(reached() + (error instanceof CliError && error.kind === 'unknown' ? 1 : 0));
      return left.length > 0 ? [`not ${done === 'merged' ? 'deleted' : done}: ${namedTags(left)}`] : [];
    },
    unwritten: () => [`${changed} of ${quantity(labels.length, 'tag')} ${done}`],
  };
}

export interface TagsToRecord extends Omit<TagRun, 'profile'> {
  /** Says how to revert the run. */
  readonly undoLine?: ((run: string) => string) | undefined;
  /** For an undo: returns the number of tags that the undone run may still change. */
  readonly left?: (() => number) | undefined;
}

/** Makes the changes of a report in one run without rows. Changes made before a failure stay recorded. */
export async function recordedTags(
  report: TagsReport,
  { undoLine = undoLineOf, left = () => 0, ...run }: TagsToRecord,
  session: Session,
  prepare: () => Promise<void> = async () => undefined,
): Promise<RowsReport> {
  const rows: Row[] = [];
  let failure: unknown;
  const act = async (): Promise<void> => {
    await prepare();
    for await (const some of batchesOf(report)) rows.push(...some);
  };
  const isBegun = (): boolean => rows.length > 0;
  const kept = (): number => rows.filter((row) => report.failure?.(row)).length;
  const work = { act, isBegun, kept: () => kept() + left() };
  const done = await recordTagRun({ ...run, profile: session.profile }, environmentOf(session), work).catch((error: unknown) => {
    if (!isBegun()) throw error;
    failure = error;
  });
  async function* collected(): AsyncGenerator<Row[]> {
    yield rows;
    if (!failure) return;
    for (const line of report.unreachedNotes(failure)) await session.streams.note(line);
    throw failure;
  }
  const undoLines = done && rows.length > kept() ? [undoLine(done.run)] : [];
  return {
    ...report,
    rows: collected(),
    notes: () => [...(report.notes?.() ?? []), ...(session.streams.watched ? undoLines : [])],
    unwritten: () => [...(report.unwritten?.() ?? []), ...undoLines],
    ...(done && { printed: () => markShown(done.run, session) }),
  };
}

/** True if the error is about the label, not about the account, the quota or the connection. */
export function isRefusal(error: unknown): error is CliError {
  return error instanceof CliError && ['not_found', 'rejected', 'failed', 'partial'].includes(error.kind);
}

/** Detaches labels and attaches `into`. Each instruction gets its own sign, even if the label begins with one (2.3). */
export function withoutLabels(record: UrlRecord | undefined, labels: readonly string[], into?: string): PlannedOutcome {
  const tags = record?.tags ?? [];
  const attached = !record || into === undefined || tags.some(isOneOf([into])) ? [] : [`+${into}`];
  return { kind: 'change', fields: { tags: [...attached, ...tags.filter(isOneOf(labels)).map((label) => `-${label}`)] } };
}

/** Returns the requests of a tag change, if none fails. */
export function tagRequests({ rename, add = [], delete: deleted = [] }: TagChange): PlannedRequest[] {
  return [
    ...(rename
      ? [requestOf({ operation: 'renameTag', input: { path: { label: rename.from }, body: { label: rename.to } } })]
      : []),
    ...add.map((label) => requestOf({ operation: 'addTag', input: { body: { label } } })),
    ...deleted.map((label) => requestOf({ operation: 'deleteTag', input: { path: { label } } })),
  ];
}

/** Returns the tag change that undoes another one. */
export function inverse({ rename, add = [], delete: deleted = [] }: TagChange): TagChange {
  return { ...(rename && { rename: { from: rename.to, to: rename.from } }), add: deleted, delete: add };
}
