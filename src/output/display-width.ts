import { eastAsianWidth } from 'get-east-asian-width';

const ascii = /^[\x20-\x7e]*$/;
/** Combining marks, joiners, other format characters and trailing Hangul letters have no width. */
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]$/u;
const emoji = /\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u;

/** Created on first use, because that takes 7 ms. */
let segmenter: Intl.Segmenter | undefined;

/** Columns on a terminal. Stops counting above `limit`. */
export function displayWidth(text: string, limit = Number.POSITIVE_INFINITY): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) {
    width += graphemeWidth(segment);
    if (width > limit) break;
  }
  return width;
}

/** Cuts between graphemes and ends with the ellipsis. */
export function truncate(text: string, width: number, ellipsis: string): string {
  if (displayWidth(text, width) <= width) return text;
  const mark = ellipsis.slice(0, width);
  let used = displayWidth(mark);
  let kept = '';
  for (const { segment } of graphemesOf(text)) {
    used += graphemeWidth(segment);
    if (used > width) break;
    kept += segment;
  }
  return kept + mark;
}

export function pad(text: string, width: number, align?: 'right'): string {
  const spaces = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'right' ? spaces + text : text + spaces;
}

/** A grapheme is what people see as one character. */
export function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

function graphemeWidth(grapheme: string): number {
  if (emoji.test(grapheme)) return 2;
  let width = 0;
  for (const character of grapheme) {
    if (!zeroWidth.test(character)) width += eastAsianWidth(character.codePointAt(0) ?? 0);
  }
  return width;
}
