import type { CommandTree, Flag, Operand } from './command-tree.ts';
import { commandAt } from './stored-tree.ts';

export interface TypedLine {
  /** Commands from the root to the last one. */
  readonly path: readonly CommandTree[];
  /** The last command of `path`. */
  readonly command: CommandTree;
  /** The line begins with `help`. */
  readonly help: boolean;
  /** Without the words of the command itself. */
  readonly operands: readonly string[];
  /** All flags given, by name; the last value of those that take one. */
  readonly given: ReadonlyMap<string, string | undefined>;
  /** Flag whose value is the next word. */
  readonly awaiting: Flag | undefined;
  /** Set after `--`: later words are no flags. */
  readonly ended: boolean;
  /** For commander, which looks for global flags in every word first: a value that begins with `-` is in the word of its flag. */
  readonly words: readonly string[];
  /** A flag or `--` where the value of a flag belongs, or a truth value behind a flag that takes no value. */
  readonly misplaced: { readonly flag: Flag; readonly word: string } | undefined;
}

type Draft = { -readonly [K in keyof TypedLine]: TypedLine[K] } & {
  path: CommandTree[];
  operands: string[];
  words: string[];
  given: Map<string, string | undefined>;
  /** The last word, if it is a flag without a value. */
  plain?: Flag | undefined;
};

/** Parses like commander, but accepts incomplete and invalid lines. */
export function readTypedLine(root: CommandTree, words: readonly string[]): TypedLine {
  const line: Draft = {
    path: [root],
    command: root,
    help: false,
    operands: [],
    given: new Map(),
    awaiting: undefined,
    ended: false,
    words: [],
    misplaced: undefined,
  };
  for (const word of words) {
    if (line.awaiting && word !== '-h' && word !== '--help') {
      takeValue(line, line.awaiting, word);
      continue;
    }
    line.words.push(word);
    if (line.ended) line.operands.push(word);
    else if (word === '--') line.ended = true;
    else if (word.startsWith('-') && word !== '-') takeFlags(line, word);
    else takeOperand(line, word);
  }
  return line;
}

/** Returns the position of `--`, after which words are neither flags nor names of commands; the length if there is none. */
export function endOfFlags(words: readonly string[]): number {
  return words.includes('--') ? words.indexOf('--') : words.length;
}

/** Flags can have any position, so those of parents are included. */
export function reachableFlags({ path }: Pick<TypedLine, 'path'>): Flag[] {
  return path.toReversed().flatMap(({ flags }) => flags);
}

function isFlag(line: Draft, word: string): boolean {
  const [name] = word.split('=');
  return reachableFlags(line).some(({ short, long }) => word === short || name === long);
}

function takeValue(line: Draft, flag: Flag, word: string): void {
  if (word === '--' || isFlag(line, word)) line.misplaced ??= { flag, word };
  const before = word.startsWith('-') ? line.words.pop() : undefined;
  line.words.push(before === undefined ? word : `${before}${before.startsWith('--') ? '=' : ''}${word}`);
  takeFlag(line, flag, word);
}

/** The last operand may repeat. */
export function nextOperand({ command, operands }: TypedLine): Operand | undefined {
  const { operands: all } = command;
  const last = all.at(-1);
  return all[operands.length] ?? (last?.repeats ? last : undefined);
}

function takeFlags(line: Draft, word: string): void {
  const flags = reachableFlags(line);
  const [name = '', ...value] = word.split('=');
  if (word.startsWith('--')) {
    takeFlag(
      line,
      flags.find(({ long }) => long === name),
      value.length > 0 ? value.join('=') : undefined,
    );
    return;
  }
  // In a cluster such as -qp, the first flag with a value takes the rest of the word.
  for (let at = 1; at < word.length; at++) {
    const flag = flags.find(({ short }) => short === `-${word[at]}`);
    takeFlag(line, flag, word.slice(at + 1) || undefined);
    if (!flag || flag.value !== undefined) return;
  }
}

function takeFlag(line: Draft, flag: Flag | undefined, value: string | undefined): void {
  if (!flag) return;
  line.given.set(flag.name, value);
  const isAlone = value === undefined;
  line.awaiting = isAlone && flag.value !== undefined ? flag : undefined;
  line.plain = isAlone && flag.value === undefined ? flag : undefined;
}

function takeOperand(line: Draft, word: string): void {
  if (line.plain && (word === 'true' || word === 'false')) line.misplaced ??= { flag: line.plain, word };
  line.plain = undefined;
  const isRoot = line.path.length === 1;
  const child = line.operands.length === 0 ? commandAt(line.command, [word]) : undefined;
  if (isRoot && word === 'help' && !line.help) line.help = true;
  else if (child) {
    line.command = child;
    line.path.push(child);
  } else line.operands.push(word);
}
