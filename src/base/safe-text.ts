/**
 * C0, DEL, C1, soft hyphen, direction marks and overrides, space of no width, line and paragraph separators, word joiner and other invisible
 * characters, BOM. Scripts and emoji need the joiners between them.
 */
const unsafe = '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff';
/** Unpaired surrogates and invisible tag characters: only a pattern with `u` distinguishes them from emoji. */
const unsafeByPoint = `${unsafe}\\ud800-\\udfff\\u{e0000}-\\u{e007f}`;

/** Cheap first checks that find most texts safe. The first takes half as long as the second. */
const printable = /^[ -~]*$/;
const maybeUnsafe = new RegExp(`[${unsafe}\\ud800-\\udfff]`);
const maybeUnsafeInTsv = new RegExp(`[\\\\${unsafe}\\ud800-\\udfff]`);

const everyUnsafe = madeWhenNeeded(`[${unsafeByPoint}]`, 'gu');
const everyUnsafeInTsv = madeWhenNeeded(`[\\\\${unsafeByPoint}]`, 'gu');

/** V8 takes a millisecond to load its Unicode tables, even for a literal that is never used, and few commands see such characters. */
function madeWhenNeeded(pattern: string, flags: string): () => RegExp {
  let made: RegExp | undefined;
  return () => {
    made ??= new RegExp(pattern, flags);
    return made;
  };
}

/** Tests for Unicode classes, unless the text is `plain`. */
export function unicodeTest(pattern: string, plain = printable): (text: string) => boolean {
  const made = madeWhenNeeded(pattern, 'u');
  return (text) => !plain.test(text) && made().test(text);
}

export const hasControlCharacter = unicodeTest('\\p{Cc}');

/** Includes blanks. */
export const hasInvisible = unicodeTest('[\\s\\p{Cc}\\p{Cs}]', /^[!-~]*$/);

/** Escapes characters that could control a terminal or break a line, such as `\x1b`, `\n`, `\u202e`. */
export function safe(text: string): string {
  return maybeUnsafe.test(text) ? text.replace(everyUnsafe(), visible) : text;
}

/** Like `safe`, but keeps line feeds and tabs. */
export function safeLines(text: string): string {
  return maybeUnsafe.test(text)
    ? text.replace(everyUnsafe(), (character) => (/[\n\t]/.test(character) ? character : visible(character)))
    : text;
}

/** Like `safe`, and doubles backslashes, so that escapes are unambiguous. */
export function safeTsv(text: string): string {
  return maybeUnsafeInTsv.test(text)
    ? text.replace(everyUnsafeInTsv(), (character) => (character === '\\' ? '\\\\' : visible(character)))
    : text;
}

/** True if `safeTsv` changes nothing. */
export function isSafeTsv(text: string): boolean {
  return !maybeUnsafeInTsv.test(text);
}

/** Replaces unsafe characters by `\uXXXX`, which leaves the values unchanged. `undefined` becomes null. */
export function jsonText(value: unknown, pretty = false): string {
  const json = JSON.stringify(value, null, pretty ? 2 : undefined) ?? 'null';
  return !printable.test(json) && maybeUnsafe.test(json) ? json.replace(everyUnsafe(), unicodeEscapes) : json;
}

const shortEscapes: { readonly [character: string]: string } = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function visible(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  const hex = point.toString(16);
  if (point < 0x100) return shortEscapes[character] ?? `\\x${hex.padStart(2, '0')}`;
  return point > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}

function unicodeEscapes(character: string): string {
  // Strings in JSON contain no raw line feeds, so this one is formatting.
  if (character === '\n') return character;
  let escapes = '';
  for (let index = 0; index < character.length; index++) {
    escapes += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }
  return escapes;
}
