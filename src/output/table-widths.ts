import { displayWidth } from './display-width.ts';
import type { Column } from './report.ts';

/** Blanks between columns. */
export const gap = 2;

/** Columns that a cell keeps at least, where it gives way. */
const narrowest = 10;

/**
 * Widths of the columns that fit the screen, from the left (B24): first the columns that shrink give way, the widest first,
 * then columns are left out from the right; the first one always stays. Where more rows are to come than these, the columns
 * that shrink get the room that is left.
 */
export function fitColumns(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  screen: number | undefined,
  more: boolean,
): number[] {
  const natural = columns.map((_, index) => widest(rows, index, screen));
  if (screen === undefined) return natural;
  for (let count = columns.length; count > 0; count--) {
    const widths = natural.slice(0, count);
    const room = screen - gap * (count - 1);
    shrink(widths, columns, room);
    if (total(widths) > room && count > 1) continue;
    if (more) stretch(widths, columns, room);
    return widths;
  }
  return natural;
}

function widest(rows: readonly (readonly string[])[], index: number, limit?: number): number {
  const most = rows.reduce((width, cells) => Math.max(width, displayWidth(cells[index] ?? '', limit)), 0);
  return Math.min(most, limit ?? most);
}

function shrink(widths: number[], columns: readonly Column[], room: number): void {
  while (total(widths) > room) {
    const candidates = widths.map((width, index) => (columns[index]?.shrinks && width > narrowest ? width : 0));
    const most = Math.max(...candidates);
    if (most === 0) return;
    widths[candidates.indexOf(most)] = most - 1;
  }
}

function stretch(widths: number[], columns: readonly Column[], room: number): void {
  const index = columns.findIndex(({ shrinks }, position) => shrinks && position < widths.length);
  if (index >= 0) widths[index] = (widths[index] ?? 0) + Math.max(0, room - total(widths));
}

const total = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, 0);
