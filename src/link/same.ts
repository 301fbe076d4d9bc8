import { type FieldName, namesOf, type RecordField } from '../contract/fields.ts';
import type { EditFields } from '../contract/operations.ts';
import { removedKey } from '../contract/records.ts';
import { foldLabel, isSameLabel, trimmedLabel } from '../contract/tag-label.ts';
import { canonical, canonicalUrl, isDefault, type LinkValues, noteText, tagSet, textOf, type ValueField } from './value.ts';

// Requested and returned: was the change applied?

export interface UnappliedField {
  readonly field: string;
  readonly asked: unknown;
  readonly got: unknown;
}

/** shorten has labels; edit has instructions such as `+label` and `-label`. */
export type TagsMean = 'labels' | 'instructions';

/** A field that the server does not return proves nothing. */
export function notApplied(asked: EditFields, got: LinkValues, tagsMean: TagsMean = 'labels'): UnappliedField[] {
  const differences: UnappliedField[] = [];
  for (const field of editable) {
    const [value, shown] = [asked[field], got[memberOf(field)]];
    if (value === undefined || shown === undefined || value === shown) continue;
    if (!isApplied(field, value, shown, tagsMean)) differences.push({ field, asked: value, got: shown });
  }
  return differences;
}

/** `not applied: note, tags`. */
export function unappliedText(differences: readonly UnappliedField[]): string {
  return `not applied: ${differences.map(({ field }) => field).join(', ')}`;
}

/**
 * Includes fields that the record does not show, and tags unless they certainly are as asked: labels to add are there with their blanks, and
 * labels to remove are not there without blanks or without the key in them. Ignores spelling.
 */
export function fieldsThatDiffer(asked: EditFields, record: LinkValues): (keyof EditFields)[] {
  const differs = new Set(notApplied(asked, record, 'instructions').map(({ field }) => field));
  if (asked.tags && !areFollowed(asked.tags, listOf(record.tags), { isAttached: isSameLabel, isStill: mayBe }))
    differs.add('tags');
  return editable.filter((field) => asked[field] !== undefined && (record[memberOf(field)] === undefined || differs.has(field)));
}

/** Includes values in another spelling, because nobody knows whether the link or the server has changed it; sending them is harmless. */
export function fieldsToChange(asked: EditFields, record: LinkValues): (keyof EditFields)[] {
  const differing = new Set(fieldsThatDiffer(asked, record));
  const isRespelled = (field: keyof EditFields): boolean =>
    asked[field] !== undefined && field !== 'tags' && !isIdentical(memberOf(field), asked[field], record[memberOf(field)]);
  return editable.filter((field) => differing.has(field) || isRespelled(field));
}

/** A new link has only requested values, so a link with other values is older. */
export function hasUnasked(asked: LinkValues, got: LinkValues): boolean {
  const isUnasked = (field: RecordField): boolean => asked[field] === undefined && isEmptyUnlessAsked[field];
  return comparable.some((field) => isUnasked(field) && !isDefault(field, got[field])) || hasOtherTag(asked, got);
}

function hasOtherTag({ tags: asked }: LinkValues, { tags: got }: LinkValues): boolean {
  // Most servers show labels as they were asked for, and folding those of a million rows takes seconds.
  if (!Array.isArray(asked) || !Array.isArray(got) || isSameList(asked, got)) return false;
  const wanted = tagSet(asked);
  return tagSet(got).some((label) => !wanted.includes(label));
}

const isEmptyUnlessAsked: { readonly [F in RecordField]: boolean } = {
  long_url: false,
  note: true,
  email_stats: false,
  expiration_date: true,
  max_clicks: true,
  tags: true,
};

const members = {
  custom_hash: 'hash',
  long_url: 'long_url',
  note: 'note',
  email_stats: 'email_stats',
  expiration_date: 'expiration_date',
  max_clicks: 'max_clicks',
  tags: 'tags',
} as const satisfies { readonly [F in FieldName]: ValueField };

const editable = namesOf(members);

function memberOf(field: keyof EditFields): ValueField {
  return members[field];
}

function isApplied(field: keyof EditFields, asked: unknown, got: unknown, tagsMean: TagsMean): boolean {
  if (field !== 'tags') return canonical(memberOf(field), asked) === canonical(memberOf(field), got);
  if (tagsMean === 'labels' && isSameList(asked, got)) return true;
  return tagsMean === 'labels'
    ? canonical(field, asked) === canonical(field, got)
    : areFollowed(listOf(asked), listOf(got), afterwards);
}

export function isSameList(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  return one.every((entry, nth) => entry === other[nth]);
}

/** Compares a label of a link with the label of an instruction. */
type IsThere = (listed: string, label: string) => boolean;

function areFollowed(
  instructions: readonly string[],
  got: readonly string[],
  { isAttached, isStill }: { readonly isAttached: IsThere; readonly isStill: IsThere },
): boolean {
  // The last instruction for a label counts.
  const wanted = new Map(
    instructions.map((instruction) => [foldLabel(instruction.replace(/^[+-]/, '')), !instruction.startsWith('-')]),
  );
  return [...wanted].every(
    ([label, isWanted]) => got.some((listed) => (isWanted ? isAttached : isStill)(listed, label)) === isWanted,
  );
}

/** Some servers trim labels; none adds blanks. */
function isStoredAs(listed: string, label: string): boolean {
  return isSameLabel(listed, label) || foldLabel(listed) === trimmedLabel(label);
}

/** A link may keep a label without the blanks of the one that was removed. */
const afterwards = { isAttached: isStoredAs, isStill: isSameLabel };

/** A label from which the key was removed may be any with its beginning, its end and so many other characters. */
export function mayBe(listed: string, label: string): boolean {
  const [beginning = '', ...parts] = trimmedLabel(listed).split(foldedMark);
  const end = parts.at(-1);
  if (end === undefined) return isStoredAs(listed, label);
  const all = trimmedLabel(label);
  return all.length >= beginning.length + 16 + end.length && all.startsWith(beginning) && all.endsWith(end);
}

const foldedMark = trimmedLabel(removedKey);

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

// Before and now: has the link changed?

/** A field that is missing on either side proves nothing. */
export function fieldsSince(before: LinkValues, now: LinkValues): ValueField[] {
  return comparable.filter(
    (field) => before[field] !== undefined && now[field] !== undefined && !isSameValue(field, before[field], now[field]),
  );
}

/** Returns the fields that changed to other values than the requested ones, so somebody else changed them. */
export function foreignFields(
  asked: LinkValues,
  { before, now }: { readonly before: LinkValues; readonly now: LinkValues },
  unapplied: readonly UnappliedField[],
): ValueField[] {
  const open = new Set(unapplied.map(({ field }) => field));
  return fieldsSince(before, now).filter((field) => asked[field] === undefined || open.has(field));
}

/** Like `fieldsSince`, but treats missing fields as empty. */
export function fieldsBetween(before: LinkValues, now: LinkValues): ValueField[] {
  return fieldsSince(withEmpty(before), withEmpty(now));
}

function withEmpty(link: LinkValues): LinkValues {
  const { note = '', tags = [], expiration_date = null } = link;
  return { ...link, note, tags, expiration_date };
}

const comparable = namesOf(isEmptyUnlessAsked);

function isSameValue(field: ValueField, one: unknown, other: unknown): boolean {
  return one === other || canonical(field, one) === canonical(field, other);
}

/** Writing `one` over `other` would change nothing; every byte of a text counts. */
export function isIdentical(field: ValueField, one: unknown, other: unknown): boolean {
  const isText = field === 'hash' || field === 'long_url' || field === 'note';
  return isText ? one === other : isSameValue(field, one, other);
}

// Row and record: does the answer belong to the row?

/** Besides the long URL, these fields distinguish rows without a hash. */
export type KeyField = Exclude<RecordField, 'long_url'>;

export const keyFields = comparable.filter((field) => field !== 'long_url');

const allFields: ReadonlySet<KeyField> = new Set(keyFields);

/** Rows with equal keys get equal records and are interchangeable. Missing fields get API defaults; fields outside `shown` are ignored. */
export function rowKey(values: LinkValues = {}, shown: ReadonlySet<KeyField> = allFields): string {
  const parts = keyFields.map((field) => (shown.has(field) ? keyValue(field, values[field]) : ''));
  return [canonicalUrl(textOf(values.long_url)), ...parts].join('\n\0');
}

/** Some servers collapse white space in notes, so it does not distinguish rows. */
export function keyValue(field: KeyField, value: unknown): string {
  return field === 'note' ? noteText(value).replace(/\s{2,}|[^\S ]/g, ' ') : canonical(field, value);
}
