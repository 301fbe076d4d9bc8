import { readableUrl } from '../contract/web-address.ts';
import { barColumn, barLines, columnLines, type DayColumn } from './charts.ts';
import { grouped, quantity } from './quantity.ts';
import { type Canvas, type Column, type Glyphs, namesOf, type Row, type RowsReport } from './report.ts';
import { urlColumns } from './url-columns.ts';

export const clickGroupings = ['link', 'tag', 'host', 'day'] as const;

export type ClickGrouping = (typeof clickGroupings)[number];

const figures: readonly Column[] = [
  { name: 'clicks', align: 'right' },
  { name: 'before', align: 'right' },
  { name: 'change', align: 'right', show: (value) => (typeof value === 'number' ? percentText(value) : '') },
];

/** Part of the clicks, and not of the change: the day is not over. */
const today: Column = { name: 'today', title: 'TODAY SO FAR', align: 'right' };

const linkColumns = urlColumns.filter(({ name }) => ['hash', 'short_url', 'long_url', 'tags'].includes(name));

const columnsOf: { readonly [By in ClickGrouping]: readonly Column[] } = {
  link: [
    ...linkColumns.map((column) => (column.name === 'long_url' ? { ...column, essential: false } : column)),
    ...figures,
    { name: 'unique_clicks', title: 'UNIQUE', align: 'right' },
    { name: 'events' },
    today,
  ],
  tag: [{ name: 'tag', essential: true, show: orNone }, { name: 'links', align: 'right' }, ...figures, today],
  host: [{ name: 'host', essential: true, show: orNone }, { name: 'links', align: 'right' }, ...figures, today],
  day: [
    { name: 'date', essential: true },
    // An empty cell would look like no clicks.
    { name: 'clicks', align: 'right', show: (value) => (typeof value === 'number' ? grouped(value) : '?') },
    { name: 'so_far', title: '', show: (value) => (value === true ? 'so far' : '') },
  ],
};

export const periodColumns: readonly Column[] = [
  ...new Map(Object.values(columnsOf).flatMap((columns) => columns.map((column) => [column.name, column]))).values(),
];

interface PeriodRowsOptions {
  readonly by: ClickGrouping;
  readonly glyphs: Glyphs;
  /** Draws a chart instead of the table: a column for each day, and a bar for each row unless rows are days. */
  readonly chart?: readonly DayColumn[] | undefined;
  /** Several domains can share a hash, so rows show short URLs. */
  readonly severalDomains: boolean;
}

export function periodRows(
  rows: readonly Row[],
  { by, glyphs, chart, severalDomains }: PeriodRowsOptions,
): Omit<RowsReport, 'notes' | 'members'> {
  const maximum = rows.reduce((sum, row) => Math.max(sum, clicksOf(row)), 0);
  const hasToday = rows.some((row) => Number(row.today) > 0);
  const hasEvents = rows.some(({ events }) => Array.isArray(events) && events.length > 0);
  const columns = columnsOf[by];
  const name = severalDomains ? 'short_url' : 'hash';
  const others = namesOf(columns).filter((field) => field !== today.name);
  const ofTable =
    by === 'link' ? ['short_url', 'long_url', 'clicks', 'before', 'change', ...(hasEvents ? ['events'] : [])] : others;
  const tableFields = hasToday ? [...ofTable, today.name] : ofTable;
  const pipedFields = by === 'link' ? [name, 'clicks', 'before', 'change', 'unique_clicks', 'events'] : others;
  return {
    kind: 'rows',
    key: 'clicks',
    rows,
    columns,
    tableFields,
    pipedFields,
    drawn: [barColumn(clicksOf, () => maximum, glyphs)],
    ...(chart && { chart: (shown, canvas) => pictureLines(chart, by === 'day' ? [] : shown, canvas) }),
    empty: 'no clicks',
  };
}

/** Change in percent; null without a previous value. */
export function changeOf(clicks: number, before: number | undefined): number | null {
  return before === undefined || before === 0 ? null : Math.round(((clicks - before) / before) * 100);
}

/** Example: `+34 %`. */
export function percentText(percent: number): string {
  return `${percent > 0 ? '+' : ''}${grouped(percent)} %`;
}

/** Some links have no tags, or no host. */
function orNone(name: unknown): string {
  return String(name) || '(none)';
}

function clicksOf({ clicks }: Row): number {
  return typeof clicks === 'number' ? clicks : 0;
}

function barOf(row: Row): Parameters<typeof barLines>[0][number] {
  const { short_url, tag, host, change } = row;
  const label = short_url === undefined ? orNone(tag ?? host) : readableUrl(String(short_url));
  return { label, value: clicksOf(row), ...(typeof change === 'number' && { note: percentText(change) }) };
}

/** A single day needs no column chart. */
function pictureLines(days: readonly DayColumn[], rows: readonly Row[], canvas: Canvas): string[] {
  const columns = days.length > 1 || rows.length === 0 ? columnLines(days, canvas) : [];
  const bars = rows.length > 0 ? barLines(rows.map(barOf), canvas) : [];
  return columns.length > 0 && bars.length > 0 ? [...columns, '', ...bars] : [...columns, ...bars];
}

/** Deleting a link deletes its daily totals on the server. */
export function uncountedClicks(links: number): string {
  return `the clicks of ${quantity(links, 'link')} that linkctl deleted or reset in this period are not in the server's figures`;
}
