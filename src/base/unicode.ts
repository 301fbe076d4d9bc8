/**
 * Tests for Unicode classes, unless the text is `plain`. The pattern is compiled on first use: V8 takes a millisecond to load its Unicode
 * tables, even for a literal that is never used.
 */
export function unicodeTest(pattern: string, plain = /^[ -~]*$/): (text: string) => boolean {
  let made: RegExp | undefined;
  return (text) => {
    if (plain.test(text)) return false;
    made ??= new RegExp(pattern, 'u');
    return made.test(text);
  };
}

export const hasControlCharacter = unicodeTest('\\p{Cc}');
