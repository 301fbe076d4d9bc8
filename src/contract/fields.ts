import type { Edition } from './editions.ts';

/** How a field's value is written, checked and sent. */
export type FieldKind = 'hash' | 'url' | 'text' | 'boolean' | 'date' | 'integer' | 'tags';

/** The calls that can set a field. `edit-by-tags` is 4.3.8's shorter list. */
export type FieldUse = 'shorten' | 'edit' | 'edit-by-tags';

/** Characters: an emoji is one, whatever its UTF-16 units or bytes are. */
export interface LengthBounds {
  readonly min: number;
  readonly max: number;
}

/** One settable field of a URL record: the row that flags, CSV columns and validation on both ends are made from. */
export interface Field {
  readonly kind: FieldKind;
  readonly in: readonly FieldUse[];
  /** Present where only one edition has the field. */
  readonly edition?: Edition;
  /** What a record has when nothing was given. Not shown in API.md; as public deployments do (FIELD-NOTES 16). */
  readonly default: string | boolean | number | null | readonly string[] | undefined;
  /** Where there is a bound. Not shown in API.md; as public deployments do. */
  readonly length?: LengthBounds;
  /** One line for help texts. */
  readonly summary: string;
}

export const fields = {
  custom_hash: {
    kind: 'hash',
    in: ['shorten', 'edit'],
    default: undefined,
    length: { min: 1, max: 25 },
    summary: 'custom hash, also called slug or back-half',
  },
  long_url: {
    kind: 'url',
    in: ['shorten', 'edit'],
    default: undefined,
    length: { min: 4, max: 2048 },
    summary: 'destination',
  },
  note: {
    kind: 'text',
    in: ['shorten', 'edit', 'edit-by-tags'],
    default: '',
    length: { min: 0, max: 255 },
    summary: 'free text',
  },
  tags: { kind: 'tags', in: ['shorten', 'edit'], default: [], summary: 'tags to attach' },
  expiration_date: {
    kind: 'date',
    in: ['shorten', 'edit', 'edit-by-tags'],
    default: null,
    summary: 'last day on which the link works',
  },
  email_stats: {
    kind: 'boolean',
    in: ['shorten', 'edit', 'edit-by-tags'],
    default: false,
    summary: 'email statistics for this link',
  },
  max_clicks: {
    kind: 'integer',
    in: ['shorten', 'edit', 'edit-by-tags'],
    edition: 'a',
    default: 0,
    summary: 'maximum clicks before the link stops working; 0 for no limit',
  },
} as const satisfies { readonly [name: string]: Field };

export type FieldName = keyof typeof fields;

/** The fields that a call of one edition can set, in the order of columns. */
export function fieldNames(use: FieldUse, edition: Edition): FieldName[] {
  return (Object.keys(fields) as FieldName[]).filter((name) => {
    const field: Field = fields[name];
    return field.in.includes(use) && (field.edition === undefined || field.edition === edition);
  });
}

/** Characters of a hash, case-sensitive. Not shown in API.md; as public deployments do (FIELD-NOTES 17). */
export const hashPattern = /^[A-Za-z0-9_-]+$/;

/** Whether a text is too short or too long; undefined if it is neither. */
export function lengthFault(text: string, { min, max }: LengthBounds): 'short' | 'long' | undefined {
  // A character has one or two UTF-16 units, so that few texts need counting.
  if (text.length >= 2 * min && text.length <= max) return undefined;
  const characters = [...text].length;
  if (characters < min) return 'short';
  return characters > max ? 'long' : undefined;
}

/** Whether text is `YYYY-MM-DD` and a day of the calendar. */
export function isCalendarDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const date = new Date(Date.UTC(year, month - 1, day));
  return year > 0 && date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
