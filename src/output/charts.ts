import { safe } from '../base/safe-text.ts';
import { displayWidth, pad } from './display-width.ts';
import { grouped } from './quantity.ts';
import type { Canvas, Column, Glyphs, Row } from './report.ts';

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** Text beside the value, such as `+34 %`. */
  readonly note?: string | undefined;
}

/** Draws in eighths of a column. A value above zero always shows at least one eighth. */
function barText(value: number, maximum: number, length: number, { bar, partsOfBar }: Glyphs): string {
  const [full, part] = blocks(value, maximum, length, partsOfBar);
  return bar.repeat(full) + part;
}

/** A column for tables only. `maximum` is called on drawing, when all rows are known. */
export function barColumn(countOf: (row: Row) => number, maximum: () => number, glyphs: Glyphs): Column {
  return { name: 'share', title: '', show: (_value, row) => barText(countOf(row), maximum(), 10, glyphs) };
}

/** Returns the number of whole blocks, and the partial block after them. */
function blocks(value: number, maximum: number, length: number, parts: string): [number, string] {
  const each = parts.length + 1;
  const steps = value > 0 ? Math.max(1, Math.round((value / maximum) * length * each)) : 0;
  return [Math.floor(steps / each), parts[(steps % each) - 1] ?? ''];
}

/** Minimum length of a bar, in columns. */
const minBarLength = 10;

/** Labels are never cut: a label that is too long gets a line of its own. */
export function barLines(bars: readonly Bar[], { width, glyphs, paint }: Canvas): string[] {
  const maximum = Math.max(...bars.map(({ value }) => value));
  const labels = bars.map(({ label }) => safe(label));
  const [values, notes] = [bars.map(({ value }) => grouped(value)), bars.map(({ note = '' }) => note)];
  const figures = widest(values) + (widest(notes) > 0 ? widest(notes) + gap : 0);
  const room = Math.max(0, width - figures - 2 * gap - minBarLength);
  const labelWidth = widest(labels.filter((label) => displayWidth(label) <= room));
  const length = Math.max(minBarLength, Math.min(maxBarLength, width - labelWidth - figures - 2 * gap));
  return bars.flatMap(({ value }, index) => {
    const [label = '', text = '', note = ''] = [labels[index], values[index], notes[index]];
    const isLong = displayWidth(label) > labelWidth;
    const cells = [pad(isLong ? '' : label, labelWidth), pad(text, widest(values), 'right')];
    if (widest(notes) > 0) cells.push(pad(note, widest(notes), 'right'));
    const bar = barText(value, maximum, length, glyphs);
    const line = bar === '' ? cells.join(blank).trimEnd() : `${cells.join(blank)}${blank}${paint.cyan(bar)}`;
    return isLong ? [label, line] : [line];
  });
}

const gap = 2;
const blank = ' '.repeat(gap);
/** Longer bars are no easier to compare. */
const maxBarLength = 60;

const widest = (texts: readonly string[]): number => texts.reduce((maximum, text) => Math.max(maximum, displayWidth(text)), 0);

/** One day, or several days together; `clicks` is undefined if unknown. */
export interface DayColumn {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly clicks: number | undefined;
  /** Set if the day is not over yet. */
  readonly soFar?: true;
}

/** Height of the chart in lines, and maximum width of one day in columns. */
const height = 8;
const maxDayWidth = 5;

/**
 * Draws one column per day; `?` stands for unknown clicks. If the terminal is too narrow, each column covers whole weeks, and the first
 * line names the number of days.
 */
export function columnLines(days: readonly DayColumn[], { width, glyphs, paint }: Canvas): string[] {
  const roomFor = (maximum: number): number => Math.max(10, width - grouped(maximum).length - gap);
  // The sum of several days can have more digits than one day.
  const each = daysOfColumn(days.length, roomFor(days.reduce((sum, { clicks = 0 }) => sum + clicks, 0)));
  const columns = joined(days, each);
  const maximum = Math.max(0, ...columns.map(({ clicks = 0 }) => clicks));
  const side = grouped(maximum).length;
  const cell = Math.min(maxDayWidth, Math.max(1, Math.floor(roomFor(maximum) / columns.length)));
  const [upright, corner, level] = glyphs.axes;
  const lines = Array.from({ length: height }, (_, line) => {
    const cells = columns.map(({ clicks }) => broad(columnCell(clicks, maximum, height - 1 - line, glyphs), cell));
    const label = line === 0 && maximum > 0 ? grouped(maximum) : '';
    return `${pad(label, side, 'right')} ${upright}${paint.cyan(cells.join('').trimEnd())}`;
  });
  const axis = `${pad('0', side, 'right')} ${corner}${level.repeat(columns.length * cell)}`;
  return [title(days, each), ...lines, axis, `${' '.repeat(side + gap)}${dates(days, columns.length * cell)}`];
}

function daysOfColumn(days: number, room: number): number {
  return days <= room ? 1 : 7 * Math.ceil(days / room / 7);
}

function title(days: readonly DayColumn[], each: number): string {
  const rest = days.length % each;
  const first = rest > 0 ? `; the first column: ${rest}` : '';
  const today = days.some(({ soFar }) => soFar) ? '; today so far' : '';
  return `clicks per ${each === 1 ? 'day' : `${each} days`} (UTC${first}${today})`;
}

/** Returns the block that is `row` blocks above the axis. */
function columnCell(clicks: number | undefined, maximum: number, row: number, { bar, partsOfColumn }: Glyphs): string {
  if (clicks === undefined) return row === 0 ? '?' : ' ';
  const [full, part] = blocks(clicks, maximum, height, partsOfColumn);
  if (row < full) return bar;
  return row === full && part !== '' ? part : ' ';
}

/** Leaves a blank between columns. */
function broad(text: string, cell: number): string {
  if (cell === 1) return text;
  return (text === '?' ? text : text.repeat(cell - 1)).padEnd(cell);
}

function dates(days: readonly DayColumn[], width: number): string {
  const [first = '', last = ''] = [days[0]?.date, days.at(-1)?.date];
  if (days.length < 2) return first;
  return first.length + last.length + gap <= width ? `${first}${last.padStart(width - first.length)}` : `${first} to ${last}`;
}

/** The first group gets the remaining days. The sum of a group with an unknown day is unknown. */
function joined(days: readonly DayColumn[], each: number): Pick<DayColumn, 'clicks'>[] {
  const first = days.length % each || each;
  return Array.from({ length: Math.ceil(days.length / each) }, (_, index) => {
    const end = first + index * each;
    const group = days.slice(Math.max(0, end - each), end);
    const isKnown = group.every(({ clicks }) => clicks !== undefined);
    return { clicks: isKnown ? group.reduce((sum, { clicks = 0 }) => sum + clicks, 0) : undefined };
  });
}
