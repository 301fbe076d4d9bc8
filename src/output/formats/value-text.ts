import { jsonText } from '../../base/safe-text.ts';
import { joinList } from '../../contract/tag-label.ts';
import { isZeroDay } from '../../link/value.ts';
import { grouped } from '../quantity.ts';
import type { Column, Row } from '../report.ts';

/** Text for table, tsv and csv, the same in every locale and time zone. Not yet safe for a terminal. */
export function valueText(value: unknown, column?: Pick<Column, 'time'>): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return column?.time ? markedUtc(value) : value;
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  if (Array.isArray(value)) return listText(value);
  return typeof value === 'object' ? jsonText(value) : String(value);
}

/** Text for people: right-aligned numbers get separators. Not yet safe for a terminal. */
export function shownText(row: Row, column: Column): string {
  const value = row[column.name];
  if (column.show) return column.show(value, row);
  return typeof value === 'number' && column.align === 'right' ? grouped(value) : valueText(value, column);
}

function listText(list: readonly unknown[]): string {
  const nested = list.some((element) => typeof element === 'object' && element !== null);
  return nested ? jsonText(list) : joinList(list.map((element) => valueText(element)));
}

/** Date-times of the API are in UTC without saying so (4.1.6). The zero day of a database is none. */
function markedUtc(text: string): string {
  return isZeroDay(text) ? '' : text.replace(/^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)?Z?$/, '$1T$2Z');
}
