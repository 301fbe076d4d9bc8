import type { Argument, Command, Option } from 'commander';

/** What the words before the cursor amount to. */
export interface TypedLine {
  /** The command that they have reached. */
  readonly command: Command;
  /** They began with `help`. */
  readonly help: boolean;
  /** Operands of the command, without the words that led to it. */
  readonly operands: readonly string[];
  /** `attributeName()` of every flag given: `--header` and `--no-header` have one name. */
  readonly given: ReadonlySet<string>;
  /** The value of the last `--profile`. */
  readonly profile: string | undefined;
  /** The flag whose value comes next. */
  readonly awaiting: Option | undefined;
  /** `--` was there: nothing is a flag any more. */
  readonly ended: boolean;
}

type Draft = { -readonly [K in keyof TypedLine]: TypedLine[K] } & { operands: string[]; given: Set<string> };

/** Reads words as commander would, of a line that need not be right or complete. */
export function readTypedLine(root: Command, words: readonly string[]): TypedLine {
  const line: Draft = {
    command: root,
    help: false,
    operands: [],
    given: new Set(),
    profile: undefined,
    awaiting: undefined,
    ended: false,
  };
  for (const word of words) {
    if (line.awaiting) takeValue(line, line.awaiting, word);
    else if (line.ended) line.operands.push(word);
    else if (word === '--') line.ended = true;
    else if (word.startsWith('-') && word !== '-') takeFlags(line, word);
    else takeOperand(line, word);
  }
  return line;
}

/** The command's flags and those of its parents: flags stand in any position (B7). */
export function reachableOptions(command: Command): Option[] {
  const own = command.createHelp().visibleOptions(command);
  return command.parent ? [...own, ...reachableOptions(command.parent)] : own;
}

/** The operand that comes next; the last may repeat. */
export function nextOperand({ command, operands }: TypedLine): Argument | undefined {
  const { registeredArguments: all } = command;
  const last = all.at(-1);
  return all[operands.length] ?? (last?.variadic ? last : undefined);
}

function takeValue(line: Draft, option: Option, value: string): void {
  line.awaiting = undefined;
  if (option.attributeName() === 'profile') line.profile = value;
}

function takeFlags(line: Draft, word: string): void {
  const options = reachableOptions(line.command);
  const [name = '', ...value] = word.split('=');
  if (word.startsWith('--')) {
    takeFlag(
      line,
      options.find(({ long }) => long === name),
      value.length > 0 ? value.join('=') : undefined,
    );
    return;
  }
  // A cluster such as -qp: the first flag that takes a value takes the rest of the word.
  for (let at = 1; at < word.length; at++) {
    const option = options.find(({ short }) => short === `-${word[at]}`);
    takeFlag(line, option, word.slice(at + 1) || undefined);
    if (option?.required !== false) return;
  }
}

function takeFlag(line: Draft, option: Option | undefined, value: string | undefined): void {
  if (!option) return;
  line.given.add(option.attributeName());
  if (!option.required) return;
  if (value === undefined) line.awaiting = option;
  else takeValue(line, option, value);
}

function takeOperand(line: Draft, word: string): void {
  const isRoot = line.command.parent === null;
  if (isRoot && word === 'help' && !line.help) line.help = true;
  else {
    const child =
      line.operands.length === 0 ? line.command.commands.find((one) => [one.name(), ...one.aliases()].includes(word)) : undefined;
    if (child) line.command = child;
    else line.operands.push(word);
  }
}
