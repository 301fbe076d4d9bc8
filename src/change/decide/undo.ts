import type { DoneChange, EarlierLink } from '../../bulk/past-runs/done-change.ts';
import { fieldsSinceMade } from '../../bulk/past-runs/done-run.ts';
import { namesOf, type RecordField } from '../../contract/fields.ts';
import type { EditFields, ShortenItem } from '../../contract/operations.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { foldLabel } from '../../contract/tag-label.ts';
import { fieldsBetween, isIdentical, type KeyField, notApplied } from '../../link/same.ts';
import { lastDay, sameUrl } from '../../link/value.ts';
import type { PlannedOutcome } from './outcome.ts';

/** A change of one link. The values before, after and now are compared field by field. */
export interface UndoDecision {
  readonly change: DoneChange;
  /** The current link; undefined if it does not exist. */
  readonly now: UrlRecord | undefined;
  /** Another link has the old hash of a renamed link. */
  readonly isTaken: boolean;
  /** Also undoes fields that have changed since. */
  readonly force: boolean;
}

const unchanged: PlannedOutcome = { kind: 'unchanged' };

/** Deletes a created link if it has not changed since. */
export function undoCreation({ change, now, force }: UndoDecision): PlannedOutcome {
  if (!now) return unchanged;
  if (!change.isProven && !force) return { kind: 'refused', reason: 'it may have existed before the run' };
  if (change.isUnlike && !force) return { kind: 'refused', reason: 'created, but not as requested' };
  const since = force ? [] : fieldsSinceMade(change, now);
  return since.length === 0 ? { kind: 'delete' } : changedSince(since);
}

/** Restores a link under the hash that the run used, because servers may show another case. A taken hash is never overwritten. */
export function undoDeletion({ change: { link, before }, now }: UndoDecision): PlannedOutcome {
  if (!before) return unchanged;
  if (now) return isAlike(before, now) ? unchanged : { kind: 'refused', reason: 'the hash is taken' };
  return { kind: 'create', fields: { ...valuesOf(before), custom_hash: link.hash } };
}

/** Restores the old values of the fields that the run changed. */
export function undoEdit({ change: { asked, before }, now, isTaken, force }: UndoDecision): PlannedOutcome {
  if (!before) return unchanged;
  if (!now) return { kind: 'refused', reason: 'deleted or renamed since' };
  const fields: EditFields = {};
  const isRenamed = now.hash !== before.hash;
  // Another link may have got the new hash.
  const isElsewhere = isRenamed && [asked.long_url, before.long_url].every((url) => !sameUrl(url, now.long_url));
  const since: string[] = isElsewhere ? ['long_url'] : [];
  for (const field of plainFields) {
    const value = asked[field];
    const isToRestore = value !== undefined && differs(field, value, before) && differs(field, oldValue(field, before), now);
    if (!isToRestore) continue;
    if (notApplied({ [field]: value }, now).length > 0 && !since.includes(field)) since.push(field);
    Object.assign(fields, { [field]: oldValue(field, before) });
  }
  const tags = tagsBack(asked.tags ?? [], before, now);
  if (tags.length > 0) fields.tags = tags;
  if (since.length > 0 && !force) return changedSince(since);
  if (isRenamed) {
    if (isTaken) return { kind: 'refused', reason: `the hash ${before.hash} is taken` };
    fields.custom_hash = before.hash;
  }
  return Object.keys(fields).length > 0 ? { kind: 'change', fields } : unchanged;
}

type PlainField = Exclude<RecordField, 'tags'>;

/** The values of fields that a record leaves out. */
const empty: { readonly [F in PlainField]: Required<EditFields>[F] } = {
  long_url: '',
  note: '',
  email_stats: false,
  expiration_date: null,
  max_clicks: 0,
};
const plainFields = namesOf(empty);

function oldValue(field: PlainField, before: EarlierLink): EditFields[PlainField] {
  // Servers may not accept the forms that they send, such as a date with a time.
  if (field === 'expiration_date') return lastDay(before.expiration_date) || null;
  return before[field] ?? empty[field];
}

function differs(field: PlainField, value: EditFields[PlainField], link: EarlierLink): boolean {
  return !isIdentical(field, value, link[field] ?? empty[field]);
}

function changedSince(fields: readonly string[]): PlannedOutcome {
  return { kind: 'refused', reason: `changed since: ${fields.join(', ')}` };
}

/** Returns the instructions that revert those labels of the run that have not changed since. */
function tagsBack(instructions: readonly string[], before: EarlierLink, now: EarlierLink): string[] {
  const had = labelsOf(before);
  const has = labelsOf(now);
  // The last instruction for a label counts.
  const left = new Map(instructions.map((instruction) => [foldLabel(instruction.slice(1)), instruction.startsWith('+')]));
  return [...left].flatMap(([label, isAttached]) => {
    const [old, present] = [had.get(label), has.get(label)];
    if (isAttached) return old === undefined && present !== undefined ? [`-${present}`] : [];
    return old !== undefined && present === undefined ? [`+${old}`] : [];
  });
}

function labelsOf({ tags }: EarlierLink): Map<string, string> {
  return new Map((tags ?? []).map((label) => [foldLabel(label), label]));
}

export function isAlike(before: EarlierLink, now: EarlierLink): boolean {
  return fieldsBetween(before, now).length === 0;
}

/** Returns the values of a link that a new link can get, without defaults. */
export function valuesOf(before: EarlierLink): ShortenItem {
  const { hash, long_url = '', note, tags = [], expiration_date, email_stats, max_clicks } = before;
  const others: { readonly [F in KeyField]: ShortenItem[F] | undefined } = {
    note: note || undefined,
    tags: tags.length > 0 ? tags : undefined,
    expiration_date: lastDay(expiration_date) || undefined,
    email_stats,
    max_clicks: max_clicks || undefined,
  };
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  return { custom_hash: hash, long_url, ...given };
}
