import { type DoneChange, isAsLeft, type PlainField, plainFields } from '../../bulk/past-runs/done-change.ts';
import { fields } from '../../contract/fields.ts';
import type { EditFields, ShortenItem } from '../../contract/operations.ts';
import type { KnownRecord, UrlRecord } from '../../contract/records.ts';
import { foldLabel, trimmedLabel } from '../../contract/tag-label.ts';
import { withoutDefaults } from '../../link/defaults.ts';
import { fieldsSincePrinted, hasPrint } from '../../link/prints.ts';
import { fieldsBetween, isIdentical, type KeyField } from '../../link/same.ts';
import { labelsAfter } from '../../link/tag-instructions.ts';
import { isDefault, lastDay, sameUrl } from '../../link/value.ts';
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
  // It may just as well be the link because of which the row was refused.
  if (!change.isCertain && !change.isOpen) return { kind: 'refused', reason: 'not created by the run as far as it knows' };
  if (!change.isProven && !force) {
    return {
      kind: 'refused',
      reason: change.isOpen ? 'somebody else may have created it' : 'it may have existed before the run',
    };
  }
  if (change.isUnlike && !force) return { kind: 'refused', reason: 'created, but not as requested' };
  const since = force ? [] : fieldsSincePrinted(change.made ?? {}, now);
  return since.length === 0 ? { kind: 'delete' } : changedSince(since);
}

/** Restores a link under the hash that the run used, because servers may show another case. A taken hash is never overwritten. */
export function undoDeletion({ change, now, force }: UndoDecision): PlannedOutcome {
  const { link, before: first, seen = [], isCertain, isOpen } = change;
  if (!first) return unchanged;
  const before: KnownRecord = Object.assign({}, first, ...seen.map(({ values }) => values));
  if (now && isCertain) {
    return fieldsBetween(before, now).length > 0 ? { kind: 'refused', reason: 'the hash is taken' } : unchanged;
  }
  if (now) {
    // After an attempt without an answer, it is the link, which somebody has changed, or another one in its place.
    const wasOther = seen.some(({ values }) => Object.keys(values).length > 0);
    const since = isOpen || wasOther ? fieldsBetween(first, now) : [];
    return since.length > 0 ? changedSince(since) : unchanged;
  }
  // The run reported that it was not deleted. An attempt without an answer may have done it since, or somebody else.
  if (!isCertain && !isOpen && !force) return { kind: 'refused', reason: 'not deleted by the run, but gone since' };
  if (!before.long_url) return { kind: 'refused', reason: 'the server did not show its destination' };
  return { kind: 'create', fields: { ...valuesOf(before), custom_hash: link.hash } };
}

/** Returns true if the link leads to where the run led it, or to where it led before. */
export function hasDestinationOf({ asked, before }: Pick<DoneChange, 'asked' | 'before'>, { long_url }: KnownRecord): boolean {
  return [asked.long_url, before?.long_url].some((url) => sameUrl(url, long_url));
}

/** Restores the old values of the fields that the run changed. */
export function undoEdit({ change, now, isTaken, force }: UndoDecision): PlannedOutcome {
  const { asked, before } = change;
  if (!before) return unchanged;
  if (!now) return { kind: 'refused', reason: 'deleted or renamed since' };
  const restored: EditFields = {};
  const isRenamed = now.hash !== before.hash;
  const wasRenamed = isRenamed || (change.isCertain && asked.custom_hash !== undefined && asked.custom_hash !== before.hash);
  // Another link may have got the new hash or, after the rename, the old one.
  const isElsewhere = wasRenamed && !hasDestinationOf(change, now) && !hasPrint('long_url', change.made, now);
  const since: string[] = isElsewhere ? ['long_url'] : [];
  const hidden = hiddenFields(asked, before, now);
  for (const field of plainFields) {
    const value = asked[field];
    const earlier = earlierOf(field, change, before, now);
    const isToRestore = value !== undefined && differs(field, value, earlier) && differs(field, valueIn(earlier, field), now);
    if (!isToRestore) continue;
    if (!isAsLeft(field, change, now) && !since.includes(field)) since.push(field);
    Object.assign(restored, { [field]: oldValue(field, earlier) });
  }
  if (hidden.length > 0) return { kind: 'refused', reason: `the server does not show: ${hidden.join(', ')}` };
  const made = labelsMade(change, before, now);
  if (made.length > 0 && !hasPrint('tags', change.made, now)) since.push('tags');
  const tags = [...tagsBack(change, before, now), ...made.map((label) => `-${label}`)];
  if (tags.length > 0) restored.tags = tags;
  if (since.length > 0 && !force) return changedSince(since);
  if (isRenamed) {
    if (isTaken) return { kind: 'refused', reason: `the hash ${before.hash} is taken` };
    restored.custom_hash = before.hash;
  }
  return Object.keys(restored).length > 0 ? { kind: 'change', fields: restored } : unchanged;
}

/** A record may leave out a field that has its default. */
function valueIn(link: KnownRecord, field: PlainField): EditFields[PlainField] {
  const { default: missing = '' } = fields[field];
  return link[field] ?? missing;
}

/** Some servers leave out a field even if it has a value. Then nobody knows what it was, nor what it is. No link lacks a destination. */
function hiddenFields(asked: EditFields, before: KnownRecord, now: KnownRecord): string[] {
  const isAsked = (field: PlainField | 'tags'): boolean => asked[field] !== undefined && !isDefault(field, asked[field]);
  return [...plainFields, 'tags' as const].filter(
    (field) => isAsked(field) && before[field] === undefined && (now[field] === undefined || field === 'long_url'),
  );
}

/** Servers may not accept the forms that they send, such as a date with a time or a URL with blanks. */
function oldValue(field: PlainField, before: KnownRecord): EditFields[PlainField] {
  if (field === 'expiration_date') return lastDay(before.expiration_date) || null;
  if (field === 'long_url') return withoutBlanks(before.long_url);
  return valueIn(before, field);
}

function withoutBlanks(url = ''): string {
  return url.replace(/\s/g, encodeURIComponent);
}

function differs(field: PlainField, value: EditFields[PlainField], link: KnownRecord): boolean {
  return !isIdentical(field, value, valueIn(link, field));
}

/**
 * Returns the link from before the run or, if somebody else changed the field while the row was in doubt, what they made of it. A value that
 * the link has after the run, too, is the run's: the server makes it of the requested one.
 */
function earlierOf(field: PlainField, { seen = [], made }: DoneChange, before: KnownRecord, now: KnownRecord): KnownRecord {
  const isOwn = (link: KnownRecord): boolean =>
    made?.[field] === undefined ? !differs(field, valueIn(now, field), link) : hasPrint(field, made, link);
  const links = seen.flatMap(({ values }) => (values[field] === undefined ? [] : [{ ...before, ...values }]));
  return links.findLast((link) => !isOwn(link)) ?? before;
}

function changedSince(names: readonly string[]): PlannedOutcome {
  return { kind: 'refused', reason: `changed since: ${names.join(', ')}` };
}

/**
 * Returns the instructions that revert those labels of the run that have not changed since. A label was on the link, or not, when an attempt
 * named it first. If a later one found it otherwise than the attempts before would have left it, somebody else did that.
 */
function tagsBack({ asked, seen = [], askedBefore }: DoneChange, before: KnownRecord, now: KnownRecord): string[] {
  const has = labelsOf(now);
  const shown = [before, now, ...seen.map(({ values }) => values)];
  let had = labelsOf(before);
  const left = new Map<string, boolean>();
  const lefts = new Set<string>();
  const olds = new Map<string, string | undefined>();
  for (const { tags, values } of [{ tags: asked.tags ?? [], values: before }, ...seen]) {
    if (values.tags) had = labelsOf(values);
    for (const [label, isAttached] of leftBy(tags, shown)) {
      if (left.get(label) !== had.has(label)) olds.set(label, had.get(label));
      left.set(label, isAttached);
      lefts.add(`${isAttached}${label}`);
    }
  }
  return [...left].flatMap(([label, isAttached]) => {
    const [old, present] = [olds.get(label), has.get(label)];
    // The last attempt may not have been applied.
    const isLeft = askedBefore ? lefts.has(`${present !== undefined}${label}`) : isAttached === (present !== undefined);
    if (!isLeft || (old === undefined) === (present === undefined)) return [];
    return present === undefined ? [`+${old}`] : [`-${present}`];
  });
}

/** Returns labels that the server made of those that the run attached, such as shorter ones: its answer showed them instead. */
function labelsMade({ asked: { tags = [] }, made }: DoneChange, before: KnownRecord, now: KnownRecord): string[] {
  const isAsAsked = hasPrint('tags', made, { tags: labelsAfter(tags, before.tags ?? []) });
  if (made?.tags === undefined || isAsAsked) return [];
  const [had, has, asked] = [labelsOf(before), labelsOf(now), leftBy(tags, [before, now])];
  if ([...asked].every(([label, isAttached]) => !isAttached || has.has(label))) return [];
  return [...has].flatMap(([label, spelled]) => (had.has(label) || asked.has(label) ? [] : [spelled]));
}

/**
 * By label: whether the instructions attach it. The last one counts. A label that was asked for with blanks is one without them if the server
 * shows only that, since some servers trim labels, and no other instruction is about that one.
 */
function leftBy(instructions: readonly string[], shown: readonly Pick<KnownRecord, 'tags'>[]): Map<string, boolean> {
  const labels = instructions.map((instruction) => foldLabel(instruction.slice(1)));
  const known = new Set(shown.flatMap(({ tags }) => (tags ?? []).map(foldLabel)));
  const isExact = (label: string): boolean => known.has(label) || labels.includes(trimmedLabel(label));
  return new Map(
    labels.map((label, nth) => [isExact(label) ? label : trimmedLabel(label), instructions[nth]?.startsWith('+') ?? false]),
  );
}

function labelsOf({ tags }: Pick<KnownRecord, 'tags'>): Map<string, string> {
  return new Map((tags ?? []).map((label) => [foldLabel(label), label]));
}

/** Returns the values of a link that a new link can get, without defaults. */
export function valuesOf(before: KnownRecord): ShortenItem {
  const { hash, long_url, note, tags, expiration_date, email_stats, max_clicks } = before;
  const others = { note, tags: tags ?? undefined, expiration_date: lastDay(expiration_date), email_stats, max_clicks };
  return { custom_hash: hash, long_url: withoutBlanks(long_url), ...withoutDefaults(others satisfies Record<KeyField, unknown>) };
}
