import type { Row, RowsReport } from '../../src/output/report.ts';
import { urlColumns, urlCsvFields, urlPipedFields, urlTableFields } from '../../src/output/url-columns.ts';

/** A listing of URL records, as `list` reports it. */
export function listing(rows: RowsReport['rows'], others: Partial<RowsReport> = {}): RowsReport {
  return {
    kind: 'rows',
    key: 'urls',
    rows,
    columns: urlColumns,
    tableFields: urlTableFields('a', false),
    pipedFields: urlPipedFields(false),
    csvFields: urlCsvFields('a', false),
    ...others,
  };
}

export function url(hash: string, others: Row = {}): Row {
  return {
    hash,
    short_url: `s.ex/${hash}`,
    long_url: `https://example.com/${hash}`,
    total_clicks: 3,
    unique_clicks: 2,
    tags: ['a', 'b'],
    expiration_date: null,
    note: '',
    email_stats: false,
    max_clicks: 0,
    last_visit: '2026-01-31 09:00:00',
    ...others,
  };
}

export function urls(count: number, others: Row = {}): Row[] {
  return Array.from({ length: count }, (_, index) => url(`h${index}`, others));
}

/** Rows of which a source gives some, and then fails. */
export async function* failing(rows: readonly Row[], error: Error): AsyncGenerator<readonly Row[]> {
  yield rows;
  throw error;
}
