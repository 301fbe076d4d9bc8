import type { Edition } from './editions.ts';

/** Decides how a value is parsed, validated and sent. */
export type FieldKind = 'hash' | 'url' | 'text' | 'boolean' | 'date' | 'integer' | 'tags';

/** The calls that can set a field. `edit-by-tags` has the shorter list of 4.3.8. */
export type FieldUse = 'shorten' | 'edit' | 'edit-by-tags';

/** In characters: an emoji counts as one, however many UTF-16 units or bytes it has. */
interface LengthBounds {
  readonly min: number;
  readonly max: number;
}

/** One settable field of a URL record. Flags, CSV columns and validation on both ends are derived from it. */
export interface Field {
  readonly kind: FieldKind;
  readonly in: readonly FieldUse[];
  /** Present if only one edition has the field. */
  readonly edition?: Edition;
  /** The value of a new record. API.md does not say; this is what public deployments do. */
  readonly default: string | boolean | number | null | readonly string[] | undefined;
  /** API.md does not say; this is what public deployments enforce. */
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

/** The settable fields as a URL record names them, besides its `hash`. */
export type RecordField = Exclude<FieldName, 'custom_hash'>;

/** Returns the names in a table with a line for each field. The compiler reports a field that the table lacks. */
export function namesOf<Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(table) as Name[];
}

/** In the order of columns. */
export function fieldNames(use: FieldUse, edition: Edition): FieldName[] {
  return namesOf(fields).filter((name) => {
    const field: Field = fields[name];
    return field.in.includes(use) && (field.edition === undefined || field.edition === edition);
  });
}

/** Case-sensitive. API.md does not say which characters a hash may have; this is what public deployments accept. */
export const hashPattern = /^[A-Za-z0-9_-]+$/;

/** Returns undefined for an acceptable length. */
export function lengthFault(text: string, { min, max }: LengthBounds): 'short' | 'long' | undefined {
  // A character has one or two UTF-16 units, so most texts need no counting.
  if (text.length >= 2 * min && text.length <= max) return undefined;
  const characters = [...text].length;
  if (characters < min) return 'short';
  return characters > max ? 'long' : undefined;
}

/** Accepts `YYYY-MM-DD` if that day exists. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
