import { grouped, quantity } from './quantity.ts';
import type { Column, Glyphs, Row, RowsReport } from './report.ts';
import { urlColumns } from './url-columns.ts';

export const clickColumns: readonly Column[] = [
  ...urlColumns.filter(({ name }) => name === 'hash' || name === 'short_url'),
  { name: 'total_clicks', title: 'TOTAL', align: 'right' },
  { name: 'unique_clicks', title: 'UNIQUE', align: 'right' },
];

export interface ClickRowsOptions {
  /** Only this many rows, those with the most clicks first. */
  readonly top?: number | undefined;
  readonly glyphs: Glyphs;
  /** Whether a row is for a link that does not exist: it has no clicks, and `top` does not remove it. */
  readonly isMissing?: (row: Row) => boolean;
  /** Rows are of several domains: hashes alone are ambiguous (F5). */
  readonly severalDomains?: boolean;
}

/** The clicks of each link, with a bar in tables and the sums at the end. */
export function clickRows(
  pages: AsyncIterable<Row[]>,
  { top, glyphs, isMissing = () => false, severalDomains = false }: ClickRowsOptions,
): RowsReport {
  const fields = [severalDomains ? 'short_url' : 'hash', 'total_clicks', 'unique_clicks'];
  const sum = { urls: 0, total_clicks: 0, unique_clicks: 0 };
  let most = 0;
  const missing: Row[] = [];
  async function* counted(): AsyncGenerator<Row[]> {
    for await (const page of pages) {
      for (const row of page) {
        if (isMissing(row)) {
          // Without `top` it keeps its place; sorted rows have it at the end.
          if (top !== undefined) missing.push(row);
          continue;
        }
        sum.urls += 1;
        sum.total_clicks += clicks(row);
        sum.unique_clicks += Number(row.unique_clicks ?? 0);
        most = Math.max(most, clicks(row));
      }
      yield top === undefined ? page : page.filter((row) => !isMissing(row));
    }
  }
  async function* rows(): AsyncGenerator<Row[]> {
    yield* top === undefined ? counted() : largest(counted(), top);
    yield missing;
  }
  return {
    kind: 'rows',
    key: 'stats',
    rows: rows(),
    columns: clickColumns,
    tableFields: fields,
    pipedFields: fields,
    drawn: [{ name: 'share', title: '', show: (_value, row) => barOf(clicks(row), most, glyphs.bar) }],
    members: () => ({ summary: sum }),
    notes: () =>
      sum.urls > 1
        ? [`${quantity(sum.urls, 'link')}: ${quantity(sum.total_clicks, 'click')}, ${grouped(sum.unique_clicks)} unique`]
        : [],
    empty: 'no URLs match',
  };
}

/** Holds at most twice `count` rows and one page, however many there are; rows with equal clicks stay in order. */
async function* largest(pages: AsyncIterable<Row[]>, count: number): AsyncGenerator<Row[]> {
  let kept: Row[] = [];
  const cut = (): void => {
    kept = kept.sort((one, other) => clicks(other) - clicks(one)).slice(0, count);
  };
  for await (const page of pages) {
    kept.push(...page);
    if (kept.length > 2 * count) cut();
  }
  cut();
  yield kept;
}

const barLength = 20;

/** A link with clicks has a bar, however short. */
function barOf(clicks: number, most: number, bar: string): string {
  return clicks > 0 ? bar.repeat(Math.max(1, Math.round((clicks / most) * barLength))) : '';
}

function clicks({ total_clicks }: Row): number {
  return Number(total_clicks ?? 0);
}
