/** A repeatable source of chance: the same seed, the same run. */
export function createRandom(seed: number): {
  below(bound: number): number;
  pick<T>(choices: readonly T[]): T;
  text(length: number): string;
} {
  let state = seed >>> 0;
  const below = (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
  return { below, pick, text: (length) => Array.from({ length: below(length + 1) }, () => pick(nasty)).join('') };
}

/** What breaks cells, lines, quotes, terminals and measures. */
const nasty = [
  'a',
  'Z',
  '0',
  ' ',
  ',',
  '"',
  "'",
  '\\',
  '\t',
  '\r',
  '\n',
  '\r\n',
  ';',
  '=',
  '+',
  '-',
  '@',
  '#',
  '\u0000',
  '\u0007',
  '\u001b[2J',
  '\u001b]8;;https://evil.example\u001b\\',
  '\u001b]52;c;AAAA\u0007',
  '\u007f',
  '\u009b31m',
  '\u202e',
  '\u2066',
  '\u200f',
  '\u2028',
  '\ufeff',
  '\u{e0041}',
  '\u0301',
  'é',
  '例え',
  '👨‍👩‍👧‍👦',
  '🇳🇱',
  '0️⃣',
  '\\n',
  "'=",
  'null',
];
