import { readableUrl } from '../contract/web-address.ts';
import { barColumn, barLines } from './charts.ts';
import { grouped, quantity } from './quantity.ts';
import { type Column, type Glyphs, namesOf, type Row, type RowsReport } from './report.ts';
import { urlColumns } from './url-columns.ts';

/** In this table the destination may be cut before the counters. */
export const clickColumns: readonly Column[] = urlColumns.map((column) => {
  if (column.name === 'total_clicks') return { ...column, title: 'TOTAL' };
  return column.name === 'long_url' ? { ...column, essential: false } : column;
});

/** GET /stats/[hash] returns these fields only. */
export const counterFields: readonly string[] = ['hash', 'total_clicks', 'unique_clicks'];

interface ClickRowsOptions {
  /** Maximum number of rows, sorted by clicks. */
  readonly top?: number | undefined;
  /** Draws bars instead of a table; 20 rows without `top`. */
  readonly chart?: boolean | undefined;
  readonly glyphs: Glyphs;
  /** True for links that do not exist: they have no clicks and are always shown. */
  readonly isMissing?: (row: Row) => boolean;
  /** Several domains can share a hash, so rows show short URLs. */
  readonly severalDomains?: boolean;
}

const defaultBars = 20;

/** Sorts by clicks, so all rows are read before the first is printed. */
export function clickRows(
  pages: AsyncIterable<Row[]>,
  { chart = false, top: given, glyphs, isMissing = () => false, severalDomains = false }: ClickRowsOptions,
): RowsReport {
  const top = given ?? (chart ? defaultBars : undefined);
  // Not the unique clicks: one person may click several links.
  const sum = { urls: 0, total_clicks: 0 };
  let maximum = 0;
  const missing: Row[] = [];
  async function* counted(): AsyncGenerator<Row[]> {
    for await (const page of pages) {
      const found = page.filter((row) => !isMissing(row));
      for (const row of found) {
        sum.urls += 1;
        sum.total_clicks += clicks(row);
        maximum = Math.max(maximum, clicks(row));
      }
      if (found.length < page.length) missing.push(...page.filter(isMissing));
      yield found;
    }
  }
  async function* rows(): AsyncGenerator<Row[]> {
    yield await largest(counted(), top);
    yield missing;
  }
  return {
    kind: 'rows',
    key: 'stats',
    rows: rows(),
    columns: clickColumns,
    tableFields: ['short_url', 'long_url', 'total_clicks', 'unique_clicks'],
    pipedFields: [severalDomains ? 'short_url' : 'hash', 'total_clicks', 'unique_clicks'],
    drawn: [barColumn(clicks, () => maximum, glyphs)],
    ...(chart && { chart: (shown, canvas) => barLines(shown.map(barOf), canvas) }),
    members: () => ({ summary: sum }),
    notes: () => [
      ...(chart && sum.urls > (top ?? 0)
        ? [`Showing ${grouped(top ?? 0)} of ${quantity(sum.urls, 'link')}.${given === undefined ? ' Use --top <n>.' : ''}`]
        : []),
      ...(sum.urls > 1 ? [`${quantity(sum.urls, 'link')}: ${quantity(sum.total_clicks, 'click')}`] : []),
    ],
  };
}

/** Keeps only the fields that are shown, because all rows are held in memory for sorting. */
export function clickFields(fields: readonly string[] | undefined): (record: Row) => Row {
  const names = new Set([...counterFields, 'short_url', 'long_url', ...(fields ?? [])]);
  const kept = namesOf(clickColumns).filter((name) => names.has(name));
  return (record) => Object.fromEntries(kept.flatMap((name) => (Object.hasOwn(record, name) ? [[name, record[name]]] : [])));
}

/** Sorting is stable. Holds at most `2 * count` rows and one page. */
async function largest(pages: AsyncIterable<Row[]>, count = Number.POSITIVE_INFINITY): Promise<Row[]> {
  let kept: Row[] = [];
  const cut = (): void => {
    kept = kept.sort((one, other) => clicks(other) - clicks(one)).slice(0, count);
  };
  for await (const page of pages) {
    for (const row of page) kept.push(row);
    if (kept.length > 2 * count) cut();
  }
  cut();
  return kept;
}

function barOf(row: Row): { label: string; value: number } {
  return { label: readableUrl(String(row.short_url ?? row.hash)), value: clicks(row) };
}

function clicks({ total_clicks }: Row): number {
  return Number(total_clicks ?? 0);
}
