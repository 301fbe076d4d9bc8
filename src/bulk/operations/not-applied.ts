import { foldedHash } from '../../contract/link.ts';
import type { EditFields } from '../../contract/operations.ts';
import { sameUrl } from '../matching/canonical-url.ts';
import { tagSet } from '../matching/row-keys.ts';

/** A field that was asked for and came back different. */
export interface Difference {
  readonly field: string;
  readonly asked: unknown;
  readonly got: unknown;
}

/** Whether `tags` are labels to have (shortening) or instructions, `+label` and `-label` (edit). */
export type TagsMean = 'labels' | 'instructions';

/**
 * Did it happen (CLI.md 3.5)? The fields that were asked for and came back different. A field that does not come back proves
 * nothing; another spelling of a long URL, blanks around a note, the case of labels and of a hash, and a time after a date are no
 * difference.
 */
export function notApplied(asked: EditFields, record: object, tagsMean: TagsMean = 'labels'): Difference[] {
  const got = record as Readonly<Record<string, unknown>>;
  const differences: Difference[] = [];
  for (const field of editable) {
    const value = asked[field];
    const wireName = field === 'custom_hash' ? 'hash' : field;
    if (value === undefined || got[wireName] === undefined || value === got[wireName]) continue;
    if (!sameBy[field](value, got[wireName], tagsMean)) differences.push({ field, asked: value, got: got[wireName] });
  }
  return differences;
}

/** Whether the record shows every field that was asked for, as it was asked for. */
export function showsAll(asked: EditFields, record: object, tagsMean?: TagsMean): boolean {
  const isShown = ([field, value]: [string, unknown]): boolean =>
    value === undefined || (record as Readonly<Record<string, unknown>>)[field === 'custom_hash' ? 'hash' : field] !== undefined;
  return Object.entries(asked).every(isShown) && notApplied(asked, record, tagsMean).length === 0;
}

type Same = (asked: unknown, got: unknown, tagsMean: TagsMean) => boolean;

const sameBy: { readonly [F in keyof Required<EditFields>]: Same } = {
  custom_hash: (asked, got) => foldedHash(textOf(asked)) === foldedHash(textOf(got)),
  long_url: sameUrl,
  note: (asked, got) => textOf(asked).trim() === textOf(got).trim(),
  email_stats: (asked, got) => Boolean(asked) === (got === 'false' || got === '0' ? false : Boolean(got)),
  expiration_date: (asked, got) => textOf(asked) === textOf(got).slice(0, 10),
  max_clicks: (asked, got) => Number(asked) === Number(got),
  tags: (asked, got, tagsMean) => sameTags(listOf(asked), listOf(got), tagsMean),
};

const editable = Object.keys(sameBy) as (keyof EditFields)[];

function sameTags(asked: readonly string[], got: readonly string[], tagsMean: TagsMean): boolean {
  if (tagsMean === 'labels' && asked.length === got.length && asked.every((label, index) => label === got[index])) return true;
  const had = new Set(tagSet(got));
  if (tagsMean === 'labels') {
    const wanted = tagSet(asked);
    return wanted.length === had.size && wanted.every((label) => had.has(label));
  }
  return asked.every((instruction) => {
    const present = had.has(instruction.slice(1).toLowerCase());
    return instruction.startsWith('-') ? !present : instruction.startsWith('+') ? present : had.has(instruction.toLowerCase());
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
