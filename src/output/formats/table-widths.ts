import { displayWidth } from '../display-width.ts';
import type { Column } from '../report.ts';

/** Blanks between columns. */
export const gap = 2;

/** Columns that a cell keeps at least, where it gives way. */
const narrowest = 10;

/** Columns that make a long text recognizable: 30 of the usual 80, and less where there are fewer. */
const readableOn = (screen: number): number => Math.min(30, Math.floor((screen * 30) / 80));

/** The beginning of a table. */
export interface TableStart {
  readonly columns: readonly Column[];
  /** The words of the head, where there is one. */
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** More rows are to come than these: the columns that shrink get the room that is left. */
  readonly more: boolean;
}

interface Fitting {
  readonly column: Column;
  /** No row has a value. */
  readonly empty: boolean;
  /** What its cells need to be recognizable. */
  readonly readable: number;
  /** What its cells keep at least. */
  readonly least: number;
  width: number;
}

/**
 * The width of each column on the screen (B24), undefined where it is left out. Columns without a value are, before cells become
 * hard to read; then the columns that shrink give way, the widest first; then columns are left out from the right, the essential
 * ones last. One always stays.
 */
export function fitColumns({ columns, titles, rows, more }: TableStart, screen: number | undefined): (number | undefined)[] {
  const all = columns.map((column, index) => {
    const values = rows.map((cells) => cells[index] ?? '');
    return measure(column, titles[index] ?? '', values, screen);
  });
  if (screen === undefined) return all.map(({ width }) => width);
  const essential = all.filter(({ column }) => column.essential);
  const others = all.filter(({ column }) => !column.essential);
  const leaving = [...essential, ...others].slice(1).reverse();
  const empty = leaving.filter((one) => one.empty && !one.column.essential);
  const readable = leaveOut(all, empty, 'readable', screen);
  const shown = leaveOut(readable, leaving, 'least', screen);
  shrink(shown, screen);
  if (more) stretch(shown, screen);
  return all.map((one) => (shown.includes(one) ? one.width : undefined));
}

function measure(column: Column, title: string, values: readonly string[], screen: number | undefined): Fitting {
  const widest = values.reduce((most, value) => Math.max(most, displayWidth(value, screen)), 0);
  const whole = Math.max(widest, displayWidth(title));
  const width = Math.min(whole, screen ?? whole);
  const readable = column.shrinks ? Math.min(width, readableOn(screen ?? width)) : width;
  const least = column.shrinks && !column.essential ? Math.min(readable, narrowest) : readable;
  return { column, empty: widest === 0, readable, least, width };
}

/** Drops columns of `leaving`, in order, until the others fit. */
function leaveOut(all: readonly Fitting[], leaving: readonly Fitting[], size: 'readable' | 'least', screen: number): Fitting[] {
  let shown = [...all];
  for (const one of leaving) {
    if (excess(shown, size, screen) <= 0) break;
    shown = shown.filter((other) => other !== one);
  }
  return shown;
}

function shrink(shown: readonly Fitting[], screen: number): void {
  for (let missing = excess(shown, 'width', screen); missing > 0; missing--) {
    const candidates = shown.filter(({ width, least }) => width > least);
    const most = Math.max(...candidates.map(({ width }) => width));
    const widest = candidates.find(({ width }) => width === most);
    if (!widest) return;
    widest.width -= 1;
  }
}

function stretch(shown: readonly Fitting[], screen: number): void {
  const flexible = shown.find(({ column }) => column.shrinks);
  if (flexible) flexible.width += Math.max(0, -excess(shown, 'width', screen));
}

/** How many columns more than the screen has the table needs. */
function excess(shown: readonly Fitting[], size: 'readable' | 'least' | 'width', screen: number): number {
  return shown.reduce((sum, one) => sum + one[size], gap * (shown.length - 1)) - screen;
}
