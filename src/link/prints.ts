import { shortPrint, tinyPrint } from '../base/fingerprint.ts';
import { isSameList, type KeyField, keyFields, keyValue } from './same.ts';
import { canonicalUrl, type LinkValues, textOf } from './value.ts';

/** Fingerprints of several links in a journal: one per field if all are equal, otherwise one per link, separated by spaces. */
export type ValueColumns = { readonly [F in KeyField]?: string };

/** Fingerprints of one link. That of an unknown destination is absent or empty. */
export type LinkPrints = { readonly [F in KeyField | 'long_url']?: string | undefined };

/** The payload fills in fields that the server's answer does not show. */
interface MadeLink {
  readonly record?: LinkValues | undefined;
  readonly payload: object;
  /** It was first seen after an attempt in doubt, so somebody else may have changed it. */
  readonly seenLate?: true | undefined;
}

export function urlPrint(longUrl: unknown): string {
  return shortPrint(canonicalUrl(textOf(longUrl)));
}

/** `given`: what the server gave all earlier links. */
export function valueColumns(links: readonly MadeLink[], given?: ValueColumns): ValueColumns {
  return Object.fromEntries(
    keyFields.map((field) => [
      field,
      columnOf(
        links.map((link) => shownOf(field, link, given)),
        field,
      ),
    ]),
  );
}

/** Neighbours often have equal values, so their fingerprint is computed once. */
function columnOf(values: readonly unknown[], field: KeyField): string {
  const prints: string[] = [];
  let differ = false;
  for (let nth = 0; nth < values.length; nth += 1) {
    const value = values[nth];
    const before = prints[nth - 1];
    const isSame = before !== undefined && (value === values[nth - 1] || isSameList(value, values[nth - 1]));
    const print = isSame ? before : valuePrint(field, value);
    if (before !== undefined && print !== before) differ = true;
    prints.push(print);
  }
  return differ ? prints.join(' ') : (prints[0] ?? '');
}

/** Of a link that was seen late, what was not requested counts as empty, unless other links got it from the server, too. */
function shownOf(field: KeyField, { record, payload, seenLate }: MadeLink, given: ValueColumns | undefined): unknown {
  const asked: LinkValues = payload;
  const isOwn = !seenLate || !record || asked[field] !== undefined || hasPrint(field, given, record);
  return isOwn ? (record?.[field] ?? asked[field]) : undefined;
}

/** Returns the columns that are equal in both. */
export function commonColumns(one: ValueColumns, other = one): ValueColumns {
  return Object.fromEntries(keyFields.flatMap((field) => (one[field] === other[field] ? [[field, one[field]]] : [])));
}

export function valuePrints(columns: ValueColumns | undefined, links: number): LinkPrints[] {
  const lists = keyFields.flatMap((field) => {
    const column = columns?.[field];
    return column === undefined ? [] : [[field, column.includes(' ') ? column.split(' ') : column] as const];
  });
  return Array.from({ length: links }, (_, nth) =>
    Object.fromEntries(lists.map(([field, prints]) => [field, typeof prints === 'string' ? prints : prints[nth]])),
  );
}

export function isColumn(value: unknown, links: number): boolean {
  return typeof value === 'string' && (!value.includes(' ') || value.split(' ').length === links);
}

export function askedPrints(payload: LinkValues): LinkPrints {
  return { long_url: urlPrint(payload.long_url), ...valuePrints(valueColumns([{ payload }]), 1)[0] };
}

/** Fingerprints of the fields that a record shows. */
export function shownPrints(record: LinkValues): LinkPrints {
  const shown = keyFields.flatMap((field) => (record[field] === undefined ? [] : [[field, valuePrint(field, record[field])]]));
  return { ...Object.fromEntries(shown), ...(record.long_url !== undefined && { long_url: urlPrint(record.long_url) }) };
}

/** Fields that have changed since; a field that the server does not show proves nothing. */
export function fieldsSincePrinted(prints: LinkPrints, now: LinkValues): (KeyField | 'long_url')[] {
  const leadsElsewhere = prints.long_url && now.long_url && prints.long_url !== urlPrint(now.long_url);
  const others = keyFields.filter((field) => {
    const print = prints[field];
    return print !== undefined && now[field] !== undefined && print !== valuePrint(field, now[field]);
  });
  return [...(leadsElsewhere ? ['long_url' as const] : []), ...others];
}

export function hasPrint(field: KeyField | 'long_url', prints: LinkPrints | undefined, link: LinkValues): boolean {
  return prints?.[field] !== undefined && fieldsSincePrinted({ [field]: prints[field] }, link).length === 0;
}

function valuePrint(field: KeyField, value: unknown): string {
  const text = keyValue(field, value);
  return text === '' ? '' : tinyPrint(text);
}
