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

/** `given`: what the server gave to another link (`givenColumns`). A link that was seen late has got the same, and nothing else unasked. */
export function valueColumns(links: readonly MadeLink[], given: ValueColumns = {}): ValueColumns {
  return Object.fromEntries(
    keyFields.map((field) => {
      const prints = printsOf(field, links);
      for (let nth = 0; nth < links.length; nth += 1) {
        const { seenLate, payload } = links[nth] as MadeLink;
        if (seenLate && !isAsked(field, payload)) prints[nth] = given[field] ?? valuePrint(field, undefined);
      }
      return [field, prints.every((print) => print === prints[0]) ? (prints[0] ?? '') : prints.join(' ')];
    }),
  );
}

/** Neighbours often have equal values, so their fingerprint is computed once. */
function printsOf(field: KeyField, links: readonly MadeLink[]): string[] {
  const prints: string[] = [];
  let last: unknown;
  for (let nth = 0; nth < links.length; nth += 1) {
    const { record, payload } = links[nth] as MadeLink;
    const value = record?.[field] ?? (payload as LinkValues)[field];
    const before = prints[nth - 1];
    const isSame = before !== undefined && (value === last || isSameList(value, last));
    prints.push(isSame ? before : valuePrint(field, value));
    last = value;
  }
  return prints;
}

/** Returns what the server gave to new links in fields that they did not ask for: to the first one. `columns`: fingerprints of the links. */
export function givenColumns<Link extends MadeLink>(
  links: readonly Link[],
  isNew: (link: Link) => boolean,
  columns: ValueColumns,
  given: ValueColumns = {},
): ValueColumns {
  const found = keyFields.flatMap((field) => {
    if (given[field] !== undefined) return [];
    const nth = links.findIndex((link) => link.record?.[field] !== undefined && !isAsked(field, link.payload) && isNew(link));
    const column = columns[field] ?? '';
    return nth < 0 ? [] : [[field, column.split(' ')[nth] ?? column]];
  });
  return { ...given, ...Object.fromEntries(found) };
}

function isAsked(field: KeyField, payload: LinkValues): boolean {
  return payload[field] !== undefined;
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
