import { type Argument, InvalidArgumentError, type Option } from 'commander';

/** Words of each parser, for help and completion. */
const known = new WeakMap<object, readonly string[]>();

/** `others` are accepted but not offered, because only some commands support them. */
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

/** Words separated by commas. */
export function choices<const Words extends readonly string[]>(words: Words): (text: string) => Words[number][] {
  const one = choice(words);
  const parse = (text: string): Words[number][] => text.split(',').map((part) => one(part.trim()));
  known.set(parse, words);
  return parse;
}

/** Accepts any text that is not empty; the words are offered as completions. */
export function suggested(words: readonly string[]): (text: string) => string {
  const parse = (text: string): string => {
    if (text !== '') return text;
    throw new InvalidArgumentError(`expected ${words.slice(0, -1).join(', ')} or ${words.at(-1)}, got ""`);
  };
  known.set(parse, words);
  return parse;
}

export function wordsOf({ parseArg }: Option | Argument): readonly string[] {
  return (parseArg && known.get(parseArg)) ?? [];
}

export function isRepeatable({ parseArg }: { readonly parseArg?: unknown }): boolean {
  return parseArg === repeated;
}

/** Accepts integers from `least`; `--limit 0` is an error, not "unlimited". */
export function count(least: number): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(number) && number >= least) return number;
    throw new InvalidArgumentError(`expected a whole number of at least ${least}, got ${JSON.stringify(text)}`);
  };
}

/** Accepts fractions. */
export function seconds(
  least: 0 | 0.001,
  refused = (fault: string): Error => new InvalidArgumentError(fault),
): (text: string) => number {
  return (text) => {
    const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    // Timers of Node accept at most 2^31 - 1 milliseconds.
    const most = 2_147_483;
    if (number >= least && number <= most) return number;
    throw refused(`expected seconds from ${least} to ${most}, got ${JSON.stringify(text)}`);
  };
}

/** Refuses a second value: the first input would be silently ignored. */
export function once(text: string, before: unknown): string {
  if (before === undefined) return text;
  throw new InvalidArgumentError(`specify only one of ${JSON.stringify(before)} or ${JSON.stringify(text)}`);
}

/** The path of a file to write. `-` means a stream wherever it is accepted, so it must not make a file of that name. */
export function outputPath(text: string): string {
  if (text === '') throw new InvalidArgumentError('expected a path, got ""');
  if (text !== '-') return text;
  throw new InvalidArgumentError('expected a path, got "-": stdout has the rows with -o');
}

/** Each flag takes one value; a comma is part of it. */
export function repeated(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), text];
}

/** Returns the names of the flags that are given. */
export function givenFlags(values: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(values).filter((flag) => values[flag] !== undefined && values[flag] !== false);
}
