import { joinList } from '../contract/label-list.ts';
import { jsonText } from './json-text.ts';
import type { Column } from './report.ts';

/** One value as text for table, tsv and csv: the same in every locale and time zone (B97), not yet safe. */
export function valueText(value: unknown, column?: Pick<Column, 'time'>): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return column?.time ? markedUtc(value) : value;
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  if (Array.isArray(value)) return listText(value);
  return typeof value === 'object' ? jsonText(value) : String(value);
}

function listText(list: readonly unknown[]): string {
  const nested = list.some((element) => typeof element === 'object' && element !== null);
  return nested ? jsonText(list) : joinList(list.map((element) => valueText(element)));
}

/** The service's date-times are UTC and do not say so (4.1.6, B27); our own say it, to the millisecond. */
function markedUtc(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:(?:\.\d+)?Z)?$/, '$1T$2Z');
}
