import { displayWidth, graphemesOf, truncate } from './display-width.ts';

/** Safe text with highlighted parts. */
export interface MarkedText {
  readonly text: string;
  /** Positions in UTF-16 units, from left to right. */
  readonly marks: readonly Mark[];
}

interface Mark {
  readonly at: number;
  readonly length: number;
}

/** Cuts texts with a common beginning at the same column, so that the first mark stays visible. */
export function fitMarked(texts: readonly MarkedText[], width: number, ellipsis: string): MarkedText[] {
  const isVisible = ({ text, marks }: MarkedText): boolean => {
    const { at, length } = marks.at(-1) ?? { at: 0, length: 0 };
    return displayWidth(text, width) <= width || displayWidth(text.slice(0, at + length), width) < width;
  };
  const first = Math.min(...texts.flatMap(({ text, marks }) => (marks[0] ? displayWidth(text.slice(0, marks[0].at)) : [])));
  const maxOffset = Math.max(...texts.map(({ text }) => displayWidth(text))) - width;
  const from = texts.every(isVisible) ? 0 : Math.min(maxOffset, first - Math.floor(width / 3));
  return texts.map((marked) => cutEnd(from > 0 ? cutBeginning(marked, from, ellipsis) : marked, width, ellipsis));
}

export function withStyle({ text, marks }: MarkedText, style: (part: string) => string): string {
  let end = 0;
  let styled = '';
  for (const { at, length } of marks) {
    styled += text.slice(end, at) + style(text.slice(at, at + length));
    end = at + length;
  }
  return styled + text.slice(end);
}

/** Returns a line of `~` below the marks, for terminals without styles. Empty without marks. */
export function underline({ text, marks }: MarkedText): string {
  let end = 0;
  let line = '';
  for (const { at, length } of marks) {
    line += ' '.repeat(displayWidth(text.slice(end, at))) + '~'.repeat(displayWidth(text.slice(at, at + length)));
    end = at + length;
  }
  return line;
}

/** Removes `columns` columns, or one more to end between graphemes. */
function cutBeginning({ text, marks }: MarkedText, columns: number, ellipsis: string): MarkedText {
  let cut = 0;
  let used = 0;
  for (const { segment } of graphemesOf(text)) {
    if (used >= columns + displayWidth(ellipsis)) break;
    used += displayWidth(segment);
    cut += segment.length;
  }
  const moved = marks.map(({ at, length }) => ({ at: at - cut + ellipsis.length, length }));
  return { text: ellipsis + text.slice(cut), marks: moved.filter(({ at }) => at >= ellipsis.length) };
}

function cutEnd({ text, marks }: MarkedText, width: number, ellipsis: string): MarkedText {
  const cut = truncate(text, width, ellipsis);
  if (cut === text) return { text, marks };
  const seen = marks.filter(({ at }) => at < cut.length);
  return { text: cut, marks: seen.map(({ at, length }) => ({ at, length: Math.min(length, cut.length - at) })) };
}
