import { barLines, barText } from './charts.ts';
import { grouped, quantity } from './quantity.ts';
import { type Column, type Glyphs, namesOf, type Row, type RowsReport } from './report.ts';
import { readableUrl, urlColumns } from './url-columns.ts';

/** Every field of a listing; beside the counters a destination gives way first. */
export const clickColumns: readonly Column[] = urlColumns.map((column) => {
  if (column.name === 'total_clicks') return { ...column, title: 'TOTAL' };
  return column.name === 'long_url' ? { ...column, essential: false } : column;
});

/** What the answer to GET /stats/[hash] holds of them. */
export const counterFields: readonly string[] = ['hash', 'total_clicks', 'unique_clicks'];

export interface ClickRowsOptions {
  /** Only this many rows, those with the most clicks. */
  readonly top?: number | undefined;
  /** Bars in place of the table, of the first 20 rows without `top`. */
  readonly chart?: boolean | undefined;
  readonly glyphs: Glyphs;
  /** Whether a row is for a link that does not exist: it has no clicks, and `top` does not remove it. */
  readonly isMissing?: (row: Row) => boolean;
  /** Rows are of several domains: hashes alone are ambiguous (F5). */
  readonly severalDomains?: boolean;
}

/** Bars of a chart, where nobody says how many. */
const usualBars = 20;

/** The clicks of each link, those with the most first (H5), with a bar in tables and the sums at the end. */
export function clickRows(
  pages: AsyncIterable<Row[]>,
  {
    chart = false,
    top = chart ? usualBars : undefined,
    glyphs,
    isMissing = () => false,
    severalDomains = false,
  }: ClickRowsOptions,
): RowsReport {
  const sum = { urls: 0, total_clicks: 0, unique_clicks: 0 };
  let most = 0;
  const missing: Row[] = [];
  async function* counted(): AsyncGenerator<Row[]> {
    for await (const page of pages) {
      const found = page.filter((row) => !isMissing(row));
      for (const row of found) {
        sum.urls += 1;
        sum.total_clicks += clicks(row);
        sum.unique_clicks += Number(row.unique_clicks ?? 0);
        most = Math.max(most, clicks(row));
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
    drawn: [{ name: 'share', title: '', show: (_value, row) => barText(clicks(row), most, barLength, glyphs) }],
    ...(chart && { chart: (shown, canvas) => barLines(shown.map(barOf), canvas) }),
    members: () => ({ summary: sum }),
    notes: () => [
      ...(chart && sum.urls > (top ?? 0) ? [`Showing ${top} of ${quantity(sum.urls, 'link')}. Use --top <n>.`] : []),
      ...(sum.urls > 1
        ? [`${quantity(sum.urls, 'link')}: ${quantity(sum.total_clicks, 'click')}, ${grouped(sum.unique_clicks)} unique`]
        : []),
    ],
    empty: 'no URLs match',
  };
}

/** What a row keeps of a record while all of them are sorted: what is shown. */
export function clickFields(fields: readonly string[] | undefined): (record: Row) => Row {
  const names = new Set([...counterFields, 'short_url', 'long_url', ...(fields ?? [])]);
  const kept = namesOf(clickColumns).filter((name) => names.has(name));
  return (record) => Object.fromEntries(kept.flatMap((name) => (Object.hasOwn(record, name) ? [[name, record[name]]] : [])));
}

/** Sorted; rows with equal clicks stay in order. With `count` it holds at most twice as many and one page. */
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

/** Columns; in eighths, so that 80 lengths differ. */
const barLength = 10;

function barOf(row: Row): { label: string; value: number } {
  return { label: readableUrl(String(row.short_url ?? row.hash)), value: clicks(row) };
}

function clicks({ total_clicks }: Row): number {
  return Number(total_clicks ?? 0);
}
