/**
 * Whether a text matches a pattern of Unicode classes, which none does that is `plain`. The pattern is given as text: V8 opens
 * Unicode's tables, which takes a millisecond, for every literal that it reads, run or not.
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
