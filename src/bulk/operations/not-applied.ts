import { isNever } from '../../contract/fields.ts';
import { foldedHash } from '../../contract/link.ts';
import type { EditFields } from '../../contract/operations.ts';
import { trimmedLabel } from '../../contract/tag-label.ts';
import { sameUrl } from '../../link/canonical-url.ts';
import { tagSet } from '../matching/row-keys.ts';
import type { KnownRecord } from '../matching/verdict.ts';

/** A field that was asked for and came back different. */
export interface Difference {
  readonly field: string;
  readonly asked: unknown;
  readonly got: unknown;
}

/** Whether `tags` are labels to have (shortening) or instructions, `+label` and `-label` (edit). */
export type TagsMean = 'labels' | 'instructions';

/**
 * Did it happen (CLI 3.5)? The fields that were asked for and came back different. A field that does not come back proves
 * nothing; another spelling of a long URL, blanks around a note, the case of labels and of a hash, and a time after a date are no
 * difference.
 */
export function notApplied(asked: EditFields, record: Shown, tagsMean: TagsMean = 'labels'): Difference[] {
  const differences: Difference[] = [];
  for (const field of editable) {
    const value = asked[field];
    const got = shown(field, record);
    if (value === undefined || got === undefined || value === got) continue;
    if (!sameBy[field](value, got, tagsMean)) differences.push({ field, asked: value, got });
  }
  return differences;
}

/** The fields of a link that are not as they were. */
export function fieldsSince(earlier: KnownRecord, now: KnownRecord): string[] {
  const { long_url, note, email_stats, expiration_date, max_clicks, tags } = earlier;
  return notApplied({ long_url, note, email_stats, expiration_date, max_clicks, tags }, now).map(({ field }) => field);
}

/** Whether the record shows every field that was asked for, as it was asked for. */
export function showsAll(asked: EditFields, record: Shown, tagsMean?: TagsMean): boolean {
  const isShown = editable.every((field) => asked[field] === undefined || shown(field, record) !== undefined);
  return isShown && notApplied(asked, record, tagsMean).length === 0;
}

/** The fields of a link that are not as they are asked for, in whatever spelling; one that a server does not show may not be. */
export function fieldsThatDiffer(asked: EditFields, record: Shown): (keyof EditFields)[] {
  const differs = new Set(notApplied(asked, record, 'instructions').map(({ field }) => field));
  return editable.filter((field) => asked[field] !== undefined && (shown(field, record) === undefined || differs.has(field)));
}

/**
 * The fields of a link that an edit would change. Another spelling of the same long URL, note or hash is a change, although it is no failure
 * when a server spells one otherwise.
 */
export function fieldsToChange(asked: EditFields, record: Shown): (keyof EditFields)[] {
  const differing = new Set(fieldsThatDiffer(asked, record));
  const isSpelled = (field: keyof EditFields): boolean => asked[field] !== undefined && asked[field] !== shown(field, record);
  return editable.filter((field) => differing.has(field) || (spelled.has(field) && isSpelled(field)));
}

const spelled: ReadonlySet<keyof EditFields> = new Set(['custom_hash', 'long_url', 'note']);

/** A record as far as an edit can change it. */
type Shown = Readonly<Partial<Record<Exclude<keyof EditFields, 'custom_hash'> | 'hash', unknown>>>;

function shown(field: keyof EditFields, record: Shown): unknown {
  return record[field === 'custom_hash' ? 'hash' : field];
}

type Same = (asked: unknown, got: unknown, tagsMean: TagsMean) => boolean;

const sameBy: { readonly [F in keyof Required<EditFields>]: Same } = {
  custom_hash: (asked, got) => foldedHash(textOf(asked)) === foldedHash(textOf(got)),
  long_url: sameUrl,
  note: (asked, got) => textOf(asked).trim() === textOf(got).trim(),
  email_stats: (asked, got) => Boolean(asked) === (got === 'false' || got === '0' ? false : Boolean(got)),
  expiration_date: (asked, got) => lastDay(asked) === lastDay(got),
  max_clicks: (asked, got) => Number(asked) === Number(got),
  tags: (asked, got, tagsMean) => sameTags(listOf(asked), listOf(got), tagsMean),
};

const editable = Object.keys(sameBy).filter(isEditable);

function isEditable(name: string): name is keyof EditFields {
  return Object.hasOwn(sameBy, name);
}

function sameTags(asked: readonly string[], got: readonly string[], tagsMean: TagsMean): boolean {
  if (tagsMean === 'labels' && asked.length === got.length && asked.every((label, index) => label === got[index])) return true;
  const had = new Set(tagSet(got));
  if (tagsMean === 'labels') {
    const wanted = tagSet(asked);
    return wanted.length === had.size && wanted.every((label) => had.has(label));
  }
  return asked.every((instruction) => {
    const present = had.has(trimmedLabel(instruction.slice(1)));
    return instruction.startsWith('-') ? !present : instruction.startsWith('+') ? present : had.has(trimmedLabel(instruction));
  });
}

/** Empty for never, in whatever way a server writes it (D55). */
function lastDay(value: unknown): string {
  const text = textOf(value);
  return isNever(text) ? '' : text.slice(0, 10);
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
