import { shortPrint, tinyPrint } from '../base/fingerprint.ts';
import { type KeyField, keyFields, keyValue } from './same.ts';
import { canonicalUrl, farDay, type LinkValues, textOf } from './value.ts';

/** Fingerprints of some links, as a journal keeps them: a text a field, with the print that all share, or a print a link and blanks. */
export type ValueColumns = { readonly [F in KeyField]?: string };

/** Fingerprints of one link as it was. */
export type LinkPrints = { readonly [F in KeyField | 'long_url']?: string | undefined };

/** A link as it was answered, and what it was asked to be: the answer of a server may not show each field. */
interface MadeLink {
  readonly record?: LinkValues | undefined;
  readonly payload: object;
}

/** Where a link leads, as a journal keeps it. */
export function urlPrint(longUrl: unknown): string {
  return shortPrint(canonicalUrl(textOf(longUrl)));
}

/** Whether a print is of this long URL. Earlier versions made them of the text as the server wrote it. */
export function isUrlPrint(print: string | undefined, longUrl: unknown): boolean {
  return print === urlPrint(longUrl) || print === shortPrint(textOf(longUrl));
}

export function valueColumns(links: readonly MadeLink[]): ValueColumns {
  return Object.fromEntries(
    keyFields.map((field) => [
      field,
      columnOf(
        links.map((link) => shownOf(field, link)),
        field,
      ),
    ]),
  );
}

/** Neighbours often have the same value: then the work is done once. */
function columnOf(values: readonly unknown[], field: KeyField): string {
  const prints: string[] = [];
  let differ = false;
  for (let nth = 0; nth < values.length; nth += 1) {
    const value = values[nth];
    const before = prints[nth - 1];
    const print = before !== undefined && isEqual(value, values[nth - 1]) ? before : valuePrint(field, value);
    if (before !== undefined && print !== before) differ = true;
    prints.push(print);
  }
  return differ ? prints.join(' ') : (prints[0] ?? '');
}

function isEqual(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((entry, nth) => entry === other[nth]);
}

function shownOf(field: KeyField, { record, payload }: MadeLink): unknown {
  const asked: LinkValues = payload;
  return record?.[field] ?? asked[field];
}

/** One for each of so many links. */
export function valuePrints(columns: ValueColumns | undefined, links: number): LinkPrints[] {
  const lists = keyFields.flatMap((field) => {
    const column = columns?.[field];
    return column === undefined ? [] : [[field, column.includes(' ') ? column.split(' ') : column] as const];
  });
  return Array.from({ length: links }, (_, nth) =>
    Object.fromEntries(lists.map(([field, prints]) => [field, typeof prints === 'string' ? prints : prints[nth]])),
  );
}

/** Whether a column can be that of so many links. */
export function isColumn(value: unknown, links: number): boolean {
  return typeof value === 'string' && (!value.includes(' ') || value.split(' ').length === links);
}

/** The prints of a link that was asked to be like this. */
export function askedPrints(payload: LinkValues): LinkPrints {
  return { long_url: urlPrint(payload.long_url), ...valuePrints(valueColumns([{ payload }]), 1)[0] };
}

/** The fields of a link that are not as they were. One that a server does not show proves nothing. */
export function fieldsSincePrinted(prints: LinkPrints, now: LinkValues): (KeyField | 'long_url')[] {
  const leadsElsewhere = prints.long_url !== undefined && !isUrlPrint(prints.long_url, now.long_url);
  const others = keyFields.filter((field) => {
    const print = prints[field];
    return (
      print !== undefined && now[field] !== undefined && print !== valuePrint(field, now[field]) && !isOldNever(field, print, now)
    );
  });
  return [...(leadsElsewhere ? ['long_url' as const] : []), ...others];
}

function valuePrint(field: KeyField, value: unknown): string {
  const text = keyValue(field, value);
  return text === '' ? '' : tinyPrint(text);
}

/** Earlier versions took the day in 9999 for a day. */
function isOldNever(field: KeyField, print: string, now: LinkValues): boolean {
  return field === 'expiration_date' && print === oldNever && keyValue(field, now[field]) === '';
}

const oldNever = tinyPrint(farDay);
