import type { EditFields } from '../contract/operations.ts';
import { trimmedLabel } from '../contract/tag-label.ts';
import { canonical, canonicalUrl, type LinkValues, noteText, tagSet, textOf, type ValueField } from './value.ts';

// Asked and got: did it happen?

/** A field that was asked for and came back different. */
export interface Difference {
  readonly field: string;
  readonly asked: unknown;
  readonly got: unknown;
}

/** Whether `tags` are labels to have (shortening) or instructions, `+label` and `-label` (edit). */
export type TagsMean = 'labels' | 'instructions';

/** The fields that were asked for and came back with another value. A field that does not come back proves nothing. */
export function notApplied(asked: EditFields, got: LinkValues, tagsMean: TagsMean = 'labels'): Difference[] {
  const differences: Difference[] = [];
  for (const field of editable) {
    const [value, shown] = [asked[field], got[memberOf(field)]];
    if (value === undefined || shown === undefined || value === shown) continue;
    if (!isApplied(field, value, shown, tagsMean)) differences.push({ field, asked: value, got: shown });
  }
  return differences;
}

/** Whether the record shows every field that was asked for, as it was asked for. */
export function showsAll(asked: EditFields, got: LinkValues, tagsMean?: TagsMean): boolean {
  const isShown = editable.every((field) => asked[field] === undefined || got[memberOf(field)] !== undefined);
  return isShown && notApplied(asked, got, tagsMean).length === 0;
}

/** The fields of a link that are not as an edit asks for, in whatever spelling; one that a server does not show may not be. */
export function fieldsThatDiffer(asked: EditFields, record: LinkValues): (keyof EditFields)[] {
  const differs = new Set(notApplied(asked, record, 'instructions').map(({ field }) => field));
  return editable.filter((field) => asked[field] !== undefined && (record[memberOf(field)] === undefined || differs.has(field)));
}

/**
 * The fields of a link that an edit is sent for: also those that are shown in another spelling, as nobody knows whether it is the link's or
 * the server's. To send once too often does no harm.
 */
export function fieldsToChange(asked: EditFields, record: LinkValues): (keyof EditFields)[] {
  const differing = new Set(fieldsThatDiffer(asked, record));
  const isRespelled = (field: keyof EditFields): boolean =>
    asked[field] !== undefined && field !== 'tags' && !isIdentical(memberOf(field), asked[field], record[memberOf(field)]);
  return editable.filter((field) => differing.has(field) || isRespelled(field));
}

/** Whether a link has values of which a new one has none, and which were not asked for: then it is older. */
export function hasUnasked(asked: LinkValues, got: LinkValues): boolean {
  return mayBeEmpty.some((field) => asked[field] === undefined && canonical(field, got[field]) !== canonical(field, undefined));
}

const mayBeEmpty = ['note', 'tags', 'expiration_date', 'max_clicks'] as const;

const members = {
  custom_hash: 'hash',
  long_url: 'long_url',
  note: 'note',
  email_stats: 'email_stats',
  expiration_date: 'expiration_date',
  max_clicks: 'max_clicks',
  tags: 'tags',
} as const satisfies { readonly [F in keyof Required<EditFields>]: ValueField };

const editable = Object.keys(members).filter((name): name is keyof typeof members => Object.hasOwn(members, name));

function memberOf(field: keyof EditFields): ValueField {
  return members[field];
}

function isApplied(field: keyof EditFields, asked: unknown, got: unknown, tagsMean: TagsMean): boolean {
  if (field !== 'tags') return canonical(memberOf(field), asked) === canonical(memberOf(field), got);
  return tagsMean === 'labels' ? canonical(field, asked) === canonical(field, got) : areFollowed(listOf(asked), listOf(got));
}

function areFollowed(instructions: readonly string[], got: readonly string[]): boolean {
  const had = new Set(tagSet(got));
  return instructions.every((instruction) => {
    const present = had.has(trimmedLabel(instruction.slice(1)));
    return instruction.startsWith('-') ? !present : instruction.startsWith('+') ? present : had.has(trimmedLabel(instruction));
  });
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

// Before and now: is this link as it was?

/** The fields of a link that are not as they were; one that was not or is not shown proves nothing. */
export function fieldsSince(before: LinkValues, now: LinkValues): ValueField[] {
  return comparable.filter(
    (field) => before[field] !== undefined && now[field] !== undefined && !isSameValue(field, before[field], now[field]),
  );
}

/** The same where what a server leaves out is empty. */
export function fieldsBetween(before: LinkValues, now: LinkValues): ValueField[] {
  return fieldsSince(withEmpty(before), withEmpty(now));
}

function withEmpty(link: LinkValues): LinkValues {
  const { note = '', tags = [], expiration_date = null } = link;
  return { ...link, note, tags, expiration_date };
}

const comparable = ['long_url', 'note', 'email_stats', 'expiration_date', 'max_clicks', 'tags'] as const satisfies ValueField[];

function isSameValue(field: ValueField, one: unknown, other: unknown): boolean {
  return one === other || canonical(field, one) === canonical(field, other);
}

/** Whether writing one value over the other would change nothing: of texts every byte counts. */
export function isIdentical(field: ValueField, one: unknown, other: unknown): boolean {
  const isText = field === 'hash' || field === 'long_url' || field === 'note';
  return isText ? one === other : isSameValue(field, one, other);
}

// Row and record: does this answer belong to this row?

/** What distinguishes plain rows and their records, beside the long URL. */
export const keyFields = ['note', 'expiration_date', 'tags', 'email_stats', 'max_clicks'] as const;

export type KeyField = (typeof keyFields)[number];

const allFields: ReadonlySet<KeyField> = new Set(keyFields);

/**
 * The key of a row or of a record, with the API's defaults for what it does not say. Rows with equal keys get equal records and are
 * interchangeable. Fields outside `shown` do not count.
 */
export function rowKey(values: LinkValues = {}, shown: ReadonlySet<KeyField> = allFields): string {
  const parts = keyFields.map((field) => (shown.has(field) ? keyValue(field, values[field]) : ''));
  return [canonicalUrl(textOf(values.long_url)), ...parts].join('\n\0');
}

/** Blanks within a note do not distinguish rows either: some servers make one of several. */
export function keyValue(field: KeyField, value: unknown): string {
  return field === 'note' ? noteText(value).replace(/\s{2,}|[^\S ]/g, ' ') : canonical(field, value);
}
