import { fingerprintOf, shortPrint } from '../../base/fingerprint.ts';
import { foldedValue, type Keyed, type KeyField, keyFields } from '../matching/row-keys.ts';
import type { KnownRecord } from '../matching/verdict.ts';

/** Fingerprints of some links, as a journal keeps them: a text a field, with the print that all share, or a print a link and blanks. */
export type ValueColumns = { readonly [F in KeyField]?: string };

/** Fingerprints of one link as it was. */
export type LinkPrints = { readonly [F in KeyField | 'long_url']?: string | undefined };

/** A link as it was answered, and what it was asked to be: the answer of a server may not show each field. */
interface MadeLink {
  readonly record?: KnownRecord | undefined;
  readonly payload: object;
}

export function valueColumns(links: readonly MadeLink[]): ValueColumns {
  return Object.fromEntries(
    keyFields.map((field) => {
      const prints = links.map((link) => valuePrint(field, link));
      return [field, prints.every((print) => print === prints[0]) ? prints[0] : prints.join(' ')];
    }),
  );
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
export function askedPrints(payload: Keyed): LinkPrints {
  const long_url = typeof payload.long_url === 'string' ? payload.long_url : '';
  return { long_url: shortPrint(long_url), ...valuePrints(valueColumns([{ payload }]), 1)[0] };
}

/** The fields of a link that are not as they were. One that a server does not show proves nothing. */
export function fieldsSincePrinted(prints: LinkPrints, now: KnownRecord): string[] {
  const leadsElsewhere = prints.long_url !== undefined && prints.long_url !== shortPrint(now.long_url ?? '');
  const others = keyFields.filter((field) => {
    const print = prints[field];
    return print !== undefined && now[field] !== undefined && print !== valuePrint(field, { record: now, payload: {} });
  });
  return [...(leadsElsewhere ? ['long_url'] : []), ...others];
}

/** Five digits of base 36: of 60 million changes one is not seen. Every row of a run has some of them. */
function valuePrint(field: KeyField, { record, payload }: MadeLink): string {
  const asked: Keyed = payload;
  const text = foldedValue(field, record?.[field] ?? asked[field]);
  return text === '' ? '' : fingerprintOf(text).low.toString(36).slice(-5);
}
