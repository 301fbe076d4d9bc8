import { displayWidth } from '../display-width.ts';
import type { Column } from '../report.ts';

/** Spaces between columns. */
export const gap = 2;

/** Minimum width of a column that shrinks. */
const minimumWidth = 10;

/** Width at which a long text is still recognizable: 30 of 80 columns. */
const readableOn = (screen: number): number => Math.min(30, Math.floor((screen * 30) / 80));

interface TableStart {
  readonly columns: readonly Column[];
  /** Empty without a header. */
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** More rows follow, so columns that shrink get the remaining space. */
  readonly more: boolean;
}

interface Fitting {
  readonly column: Column;
  /** True if no row has a value. */
  readonly empty: boolean;
  /** Width at which cells are still readable. */
  readonly readable: number;
  /** Minimum width. */
  readonly minimum: number;
  width: number;
}

/**
 * Fits a table to the screen; undefined hides a column. In this order: empty columns are hidden, columns that shrink get narrower, widest
 * first, and further columns are hidden from the right, essential ones last. One column always stays.
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
  const shown = leaveOut(readable, leaving, 'minimum', screen);
  shrink(shown, screen);
  if (more) stretch(shown, screen);
  return all.map((one) => (shown.includes(one) ? one.width : undefined));
}

function measure(column: Column, title: string, values: readonly string[], screen: number | undefined): Fitting {
  const widest = values.reduce((maximum, value) => Math.max(maximum, displayWidth(value, screen)), 0);
  const whole = Math.max(widest, displayWidth(title));
  const width = Math.min(whole, screen ?? whole);
  const readable = column.shrinks ? Math.min(width, readableOn(screen ?? width)) : width;
  const minimum = column.shrinks && !column.essential ? Math.min(readable, minimumWidth) : readable;
  return { column, empty: widest === 0, readable, minimum, width };
}

/** Hides columns of `leaving` in order until the rest fits. */
function leaveOut(all: readonly Fitting[], leaving: readonly Fitting[], size: 'readable' | 'minimum', screen: number): Fitting[] {
  let shown = [...all];
  for (const one of leaving) {
    if (excess(shown, size, screen) <= 0) break;
    shown = shown.filter((other) => other !== one);
  }
  return shown;
}

function shrink(shown: readonly Fitting[], screen: number): void {
  for (let missing = excess(shown, 'width', screen); missing > 0; missing--) {
    const candidates = shown.filter(({ width, minimum }) => width > minimum);
    const maximum = Math.max(...candidates.map(({ width }) => width));
    const widest = candidates.find(({ width }) => width === maximum);
    if (!widest) return;
    widest.width -= 1;
  }
}

function stretch(shown: readonly Fitting[], screen: number): void {
  const flexible = shown.find(({ column }) => column.shrinks);
  if (flexible) flexible.width += Math.max(0, -excess(shown, 'width', screen));
}

/** Number of columns that do not fit on the screen. */
function excess(shown: readonly Fitting[], size: 'readable' | 'minimum' | 'width', screen: number): number {
  return shown.reduce((sum, one) => sum + one[size], gap * (shown.length - 1)) - screen;
}
