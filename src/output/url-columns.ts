import { capitalized } from '../base/quoted.ts';
import type { Edition } from '../contract/editions.ts';
import { fieldNames } from '../contract/fields.ts';
import type { LinkDomains } from '../contract/link.ts';
import { readableUrl } from '../contract/web-address.ts';
import { isNever, lastDay, textOf } from '../link/value.ts';
import { valueText } from './formats/value-text.ts';
import type { Column, Glyphs, Row, RowsReport } from './report.ts';

/** The same columns in all commands. */
export const urlColumns: readonly Column[] = [
  { name: 'hash', essential: true },
  { name: 'short_url', essential: true, show: (value) => readableUrl(String(value ?? '')) },
  {
    name: 'short_url_with_protocol',
    title: 'SHORT URL',
    essential: true,
    show: (value) => readableUrl(String(value ?? '')),
  },
  { name: 'long_url', title: 'LONG URL', shrinks: true, essential: true },
  { name: 'total_clicks', title: 'CLICKS', align: 'right' },
  { name: 'unique_clicks', title: 'UNIQUE', align: 'right' },
  { name: 'tags', shrinks: true },
  { name: 'expiration_date', title: 'EXPIRES', show: lastDay },
  { name: 'last_visit', title: 'LAST VISIT', time: true },
  { name: 'note', shrinks: true },
  { name: 'email_stats' },
  { name: 'max_clicks', align: 'right' },
  { name: 'links' },
];

export function endText(value: unknown): string {
  return isNever(textOf(value)) ? 'none' : valueText(value, { time: true });
}

/** On several domains a hash alone does not identify a link. */
export function urlTableFields(edition: Edition, severalDomains: boolean): string[] {
  const both = [severalDomains ? 'short_url' : 'hash', 'long_url', 'total_clicks', 'unique_clicks', 'tags', 'expiration_date'];
  return edition === 'a' ? [...both, 'last_visit'] : both;
}

export function urlPipedFields(severalDomains: boolean): string[] {
  const names = severalDomains ? ['short_url', 'hash'] : ['hash', 'short_url'];
  return [...names, 'long_url', 'total_clicks', 'unique_clicks', 'tags', 'expiration_date', 'note'];
}

/** Contains every field that can be set, so that `shorten -f` can create the links again. */
export function urlCsvFields(edition: Edition, severalDomains: boolean): string[] {
  const piped = urlPipedFields(severalDomains);
  const settable = fieldNames('shorten', edition).filter((name) => name !== 'custom_hash');
  return [...piped, ...settable.filter((name) => !piped.includes(name))];
}

/** Shows a sentence per URL on a terminal and hashes in a pipe. Without `done`, the sentence begins with the status. */
export function hashChangePresentation(
  key: string,
  done?: string,
): Required<Pick<RowsReport, 'key' | 'columns' | 'tableFields' | 'pipedFields' | 'sentence'>> {
  return {
    key,
    columns: urlColumns,
    tableFields: ['hash', 'long_url'],
    pipedFields: ['hash'],
    sentence: ({ hash, long_url, status }, { tick, arrow }) =>
      `${tick} ${done ?? capitalized(String(status))} ${hash}${long_url ? ` ${arrow} ${long_url}` : ''}`,
  };
}

type ChangePresentation = ReturnType<typeof hashChangePresentation>;

/** On several domains, short URLs replace hashes, which would be ambiguous. */
export function namesDomains<Presentation extends Partial<ChangePresentation>>(
  presentation: Presentation,
  domains: LinkDomains,
): Presentation {
  if (domains.length < 2) return presentation;
  const { sentence } = presentation;
  return {
    ...presentation,
    tableFields: ['short_url', 'long_url'],
    pipedFields: ['short_url'],
    ...(sentence && {
      sentence: (row: Row, glyphs: Glyphs) => sentence({ ...row, hash: readableUrl(String(row.short_url ?? row.hash)) }, glyphs),
    }),
  };
}
