import { displayWidth, graphemesOf, truncate } from './display-width.ts';

/** Safe text of which some parts are to catch the eye. */
export interface MarkedText {
  readonly text: string;
  /** Places in UTF-16 units, from left to right. */
  readonly marks: readonly Mark[];
}

interface Mark {
  readonly at: number;
  readonly length: number;
}

/**
 * Texts that begin alike, cut at the same column to lines of at most `width` columns, so that as much of the first mark is seen as
 * there is room for.
 */
export function fitMarked(texts: readonly MarkedText[], width: number, ellipsis: string): MarkedText[] {
  const isSeen = ({ text, marks }: MarkedText): boolean => {
    const { at, length } = marks.at(-1) ?? { at: 0, length: 0 };
    return displayWidth(text, width) <= width || displayWidth(text.slice(0, at + length), width) < width;
  };
  const first = Math.min(...texts.flatMap(({ text, marks }) => (marks[0] ? displayWidth(text.slice(0, marks[0].at)) : [])));
  const most = Math.max(...texts.map(({ text }) => displayWidth(text))) - width;
  const from = texts.every(isSeen) ? 0 : Math.min(most, first - Math.floor(width / 3));
  return texts.map((marked) => cutEnd(from > 0 ? cutBeginning(marked, from, ellipsis) : marked, width, ellipsis));
}

/** The marked parts in a style. */
export function withStyle({ text, marks }: MarkedText, style: (part: string) => string): string {
  let end = 0;
  let styled = '';
  for (const { at, length } of marks) {
    styled += text.slice(end, at) + style(text.slice(at, at + length));
    end = at + length;
  }
  return styled + text.slice(end);
}

/** For where there are no styles (B96): a line of `~` to stand below the marked parts; empty without any. */
export function underline({ text, marks }: MarkedText): string {
  let end = 0;
  let line = '';
  for (const { at, length } of marks) {
    line += ' '.repeat(displayWidth(text.slice(end, at))) + '~'.repeat(displayWidth(text.slice(at, at + length)));
    end = at + length;
  }
  return line;
}

/** Takes away `columns` columns or, of a grapheme that does not end there, one more. */
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
