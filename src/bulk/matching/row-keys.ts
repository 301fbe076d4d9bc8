import { trimmedLabel } from '../../contract/tag-label.ts';
import { canonicalUrl } from '../../link/canonical-url.ts';

/** What distinguishes plain rows and their records (R 1.5.3), beside the long URL. */
export const keyFields = ['note', 'expiration_date', 'tags', 'email_stats', 'max_clicks'] as const;

export type KeyField = (typeof keyFields)[number];

/** What is read of a row or record, whatever else it holds. */
export type Keyed = Readonly<Partial<Record<KeyField | 'long_url', unknown>>>;

const allFields: ReadonlySet<KeyField> = new Set(keyFields);

/**
 * The key of a row or of a record, with the API's defaults for what it does not say (FIELD-NOTES 16), after all that servers
 * are known to do to values: another spelling of the URL, trimmed text, a time after the date. Rows with equal keys get equal
 * records and are interchangeable. Fields outside `shown` do not count.
 */
export function foldedKey(values: Keyed = {}, shown: ReadonlySet<KeyField> = allFields): string {
  const parts = keyFields.map((field) => (shown.has(field) ? foldedValue(field, values[field]) : ''));
  return [canonicalUrl(textOf(values.long_url)), ...parts].join('\n\0');
}

/** A value, or the API's default for none, in the form in which all spellings of it are equal. */
export function foldedValue(field: KeyField, value: unknown): string {
  return folded[field](value);
}

/** Labels have no order. */
export function tagSet(tags: readonly string[]): string[] {
  return tags.length === 0 ? [] : [...new Set(tags.map(trimmedLabel))].sort();
}

const folded: { readonly [F in KeyField]: (value: unknown) => string } = {
  note: (value) =>
    textOf(value)
      .trim()
      .replace(/\s{2,}|[^\S ]/g, ' '),
  expiration_date: (value) => textOf(value).trim().slice(0, 10),
  tags: (value) => (Array.isArray(value) ? tagSet(value.map(textOf)).join('\0') : ''),
  email_stats: (value) => String(value === true || value === 'true' || value === 1 || value === '1'),
  max_clicks: (value) => String(Number(value ?? 0)),
};

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
