import type { Command, CommanderError } from 'commander';
import { UsageError } from '../base/errors.ts';
import { shellWord } from '../base/shell-word.ts';
import { type CommandTree, commandTree } from './command-tree.ts';
import { reachableFlags, readTypedLine, type TypedLine } from './typed-line.ts';

/** Commander's complaint in our shape: one line, then a guess, or usage and an example, and where to read on. */
export function usageError(error: CommanderError, root: Command, words: readonly string[]): UsageError {
  const line = readTypedLine(commandTree(root), words);
  const { command } = line;
  const complaint = complaintOf(error.message);
  const verb = command.commands.length > 0 && verbErrors.includes(error.code) ? line.operands[0] : undefined;
  const flag = error.code === 'commander.unknownOption' ? /'([^'=]+)/.exec(complaint)?.[1] : undefined;
  const guess = verb ? guessedVerb(verb, verbsOf(command)) : flag?.startsWith('--') ? guessedFlag(flag, line) : undefined;
  const details = guess ? [`did you mean ${guess}?`] : [];
  if (verb && line.path.length === 1 && /^https?:\/\//i.test(verb))
    details.push(`did you mean: linkctl shorten ${shellWord(verb)}`);
  if (error.code === 'commander.missingArgument') {
    details.push(`usage: ${command.usage}`, ...command.examples.slice(0, 1).map((example) => `example: ${example}`));
  }
  if (flag && /^-[^-]/.test(flag)) details.push("to pass a hash that starts with '-', put -- before it");
  return new UsageError(verb ? `unknown command '${verb}'` : complaint, { details, hint: `${command.line} --help` });
}

/** One sentence for a value that a flag or an operand does not take; commander's own words for the rest. */
function complaintOf(message: string): string {
  const value = /^error: (?:option '(?:-., )?(--[\w-]+)|command-argument).*? is invalid(?: for argument '(.+?)')?\. (.*)$/s.exec(
    message,
  );
  return value ? `${value[1] ?? `<${value[2]}>`}: ${value[3]}` : (message.replace(/^error: /, '').split('\n')[0] ?? '');
}

/** An unknown verb is an unknown command, or one operand too many for the default verb of its group. */
const verbErrors: readonly string[] = ['commander.unknownCommand', 'commander.excessArguments'];

/** A word that other tools have for it, else the nearest of ours. */
function guessedVerb(word: string, verbs: readonly string[]): string | undefined {
  const meant = otherTools.get(word.toLowerCase())?.find((line) => verbs.includes(line.replace(/ .*/, '')));
  return meant ?? nearest(word, verbs);
}

const making = ['shorten', 'add'];
const listing = ['list'];
const otherTools: ReadonlyMap<string, readonly string[]> = new Map([
  ['create', making],
  ['new', making],
  ['add', making],
  ['get', listing],
  ['show', listing],
  ['export', listing],
  ['remove', ['delete']],
  ['import', ['shorten -f']],
]);

/** A word that other tools have for it, else the nearest of ours. Where that is no flag to be guessed, the next best would mislead. */
function guessedFlag(word: string, line: TypedLine): string | undefined {
  const flags = reachableFlags(line).flatMap(({ long }) => long ?? []);
  const meant = otherFlags.get(word.toLowerCase());
  if (meant)
    return meant.find((flag) => flags.includes(flag) && (!selecting.includes(flag) || reading.includes(line.command.name)));
  const guess = nearest(word, flags);
  if (guess === undefined || consenting.includes(guess)) return undefined;
  // Whoever mistypes a flag for a value must not select links with it, and so change others.
  return selecting.includes(guess) && editsBetween(word, guess) > 1 ? undefined : guess;
}

const hash = ['--hash', '--new-hash'];
const tag = ['--add-tag', '--tag', '--by-tags'];
const order = ['--order-by'];
const otherFlags: ReadonlyMap<string, readonly string[]> = new Map([
  ['--slug', hash],
  ['--alias', hash],
  ['--keyword', hash],
  ['--tag', tag],
  ['--tags', tag],
  ['--label', tag],
  ['--labels', tag],
  ['--title', ['--note']],
  ['--sort', order],
  ['--sort-by', order],
]);

/** Flags that say which links a command is about. */
const selecting: readonly string[] = ['--by-tags', '--search', '--filter', '--hashes-from', '--all-domains'];

/** Commands to which links may be selected by a guess, because they change none. */
const reading: readonly string[] = ['list', 'stats', 'check', 'report'];

/** What consents or deletes is never guessed: whoever follows a guess has not chosen it. */
const consenting: readonly string[] = [
  '--yes',
  '--force',
  '--again',
  '--reset',
  '--insecure-http',
  '--all',
  '--max-affected',
  '--max-deleted',
];

function verbsOf({ commands }: CommandTree): string[] {
  return commands.filter(({ hidden }) => !hidden).flatMap(({ name, aliases }) => [name, ...aliases]);
}

/** The name that was most likely meant by a mistyped word: within 0.4 of its length and 3 edits, whatever its case. */
function nearest(word: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, edits: editsBetween(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.min(3, name.length * 0.4))
    .sort((one, other) => one.edits - other.edits);
  return ranked[0]?.name;
}

/** Letters put in, left out, changed, or exchanged with their neighbour: `renmae` is one edit from `rename`. */
function editsBetween(one: string, other: string): number {
  // Nothing that long is a name of ours, and the table grows with the square.
  if (Math.abs(one.length - other.length) > 3) return Number.POSITIVE_INFINITY;
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (same ? 0 : 1),
          swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(one.length, other.length);
}
