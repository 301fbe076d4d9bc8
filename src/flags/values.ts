import { type Argument, InvalidArgumentError, type Option } from 'commander';

/** The words that a parser takes or suggests, for help and completions (B95). */
const known = new WeakMap<object, readonly string[]>();

/** A flag or an operand that takes one of a few words. `others` are taken and not offered: only some commands know them. */
export function choice<const Words extends readonly string[], const Others extends readonly string[] = readonly []>(
  words: Words,
  others?: Others,
): (text: string) => Words[number] | Others[number] {
  const parse = (text: string): Words[number] | Others[number] => {
    if (words.includes(text) || others?.includes(text)) return text;
    throw new InvalidArgumentError(`expected one of {${words.join('|')}}, got ${JSON.stringify(text)}`);
  };
  known.set(parse, words);
  return parse;
}

/** A flag that takes several of a few words, separated by commas. */
export function choices<const Words extends readonly string[]>(words: Words): (text: string) => Words[number][] {
  const one = choice(words);
  const parse = (text: string): Words[number][] => text.split(',').map((part) => one(part.trim()));
  known.set(parse, words);
  return parse;
}

/** A flag or an operand that takes any text, of which these words are known. */
export function suggested(words: readonly string[]): (text: string) => string {
  const parse = (text: string): string => text;
  known.set(parse, words);
  return parse;
}

/** The words of a flag or an operand made by `choice` or `suggested`; none for any other. */
export function wordsOf({ parseArg }: Option | Argument): readonly string[] {
  return (parseArg && known.get(parseArg)) ?? [];
}

/** Whether a flag may be given several times. */
export function isRepeatable({ parseArg }: { readonly parseArg?: unknown }): boolean {
  return parseArg === repeated;
}

/** A flag that takes a whole number of at least `least`. `--limit 0` is an error, not "unlimited" (B81). */
export function count(least: number): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(number) && number >= least) return number;
    throw new InvalidArgumentError(`expected a whole number of at least ${least}, got ${JSON.stringify(text)}`);
  };
}

/** A flag that takes seconds; fractions are allowed, zero only where `least` says so (B75). */
export function seconds(least: 'zero' | 'above zero'): (text: string) => number {
  return (text) => {
    const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    // Timers of Node take at most 2^31 - 1 milliseconds.
    if (number <= 2_147_483 && (least === 'zero' ? number >= 0 : number >= 0.001)) return number;
    throw new InvalidArgumentError(`expected seconds${least === 'zero' ? '' : ' above 0'}, got ${JSON.stringify(text)}`);
  };
}

/** A flag that names the one input of a command: a second one would leave the first unread without a word (`D37`). */
export function once(text: string, before: string | undefined): string {
  if (before === undefined) return text;
  throw new InvalidArgumentError(`specify only one of ${JSON.stringify(before)} or ${JSON.stringify(text)}`);
}

/** A flag that may be given several times (B9): each takes one value, commas are part of it. */
export function repeated(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), text];
}
