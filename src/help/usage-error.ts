import { statSync } from 'node:fs';
import type { Command, CommanderError } from 'commander';
import { orElse, UsageError } from '../base/errors.ts';
import { editsBetween, meantName } from '../base/near-names.ts';
import { shellWord } from '../base/quoted.ts';
import { withTypedAccount } from '../output/printed-commands.ts';
import { type CommandTree, commandTree } from './command-tree.ts';
import { isTopicName } from './stored-tree.ts';
import { reachableFlags, readTypedLine, type TypedLine } from './typed-line.ts';

/** Adds a suggestion, or usage and an example, and the command for help. */
export function usageError(error: CommanderError, root: Command, words: readonly string[]): UsageError {
  const line = readTypedLine(commandTree(root), words);
  const { command } = line;
  const complaint = complaintOf(error.message, command);
  const verb = command.commands.length > 0 && verbErrors.includes(error.code) ? line.operands[0] : undefined;
  const named = error.code === 'commander.unknownOption' ? /'([^'=]+)/.exec(complaint)?.[1] : undefined;
  // commander says of a known flag with a value it does not take that it is unknown.
  const isKnown = reachableFlags(line).some(({ long }) => long !== undefined && long === named);
  const flag = isKnown ? undefined : named;
  const guess = verb ? guessedVerb(verb, command) : flag ? guessedFlag(flag, line) : undefined;
  const details = guess ? [`did you mean ${guess}?`] : [];
  details.push(...otherRemedies(flag, line, verb === undefined && error.code === 'commander.excessArguments'));
  if (verb && line.path.length === 1 && /^https?:\/\//i.test(verb) && !words.some(bringsKey))
    details.push(`did you mean: ${['linkctl shorten', ...words.map(shellWord)].join(' ')}`);
  const takesFile = command.flags.some(({ long }) => long === '--file');
  const file = takesFile && error.code === 'commander.excessArguments' ? fileCommand(command.line, line.operands) : undefined;
  if (file !== undefined) details.push(suggested(file, line));
  if (error.code === 'commander.missingArgument') {
    details.push(`usage: ${command.usage}`, ...command.examples.slice(0, 1).map((example) => `example: ${example}`));
  }
  const message = isKnown ? `${named} takes no value` : verb ? unknownCommand(verb, guess, command) : complaint;
  return new UsageError(message, {
    details,
    hint: isTopic(command) ? `linkctl help ${command.name}` : `${command.line} --help`,
  });
}

/** Of a flag or `--` in the place of a value, or a truth value behind a flag that takes none. */
export function misplacedWord({ flag, word }: NonNullable<TypedLine['misplaced']>): UsageError {
  const name = flag.long ?? flag.short ?? '';
  if (flag.value !== undefined) {
    return new UsageError(`${name}: missing value`, { hint: `if the value is ${word}: ${name}=${word}` });
  }
  const opposite = name.startsWith('--no-') ? '' : `, or ${name.replace('--', '--no-')} where the command has it`;
  return new UsageError(`${name} takes no value, but ${word} follows it`, {
    hint: `for true: ${name} alone; for false: leave it out${opposite}; if ${word} is an operand, put -- before it`,
  });
}

/** A name of `help` alone, which has no examples. */
function isTopic({ name, examples }: CommandTree): boolean {
  return isTopicName(name) && examples.length === 0;
}

function unknownCommand(verb: string, guess: string | undefined, { line }: CommandTree): string {
  return guess === undefined && takesKeys(line) ? 'unknown command' : `unknown command '${verb}'`;
}

/** A word typed after these commands may be a key, which must not be repeated. */
function takesKeys(line: string): boolean {
  return / auth\b/.test(line);
}

/** What is meant if it is no other name of a flag or a command. */
function otherRemedies(flag: string | undefined, line: TypedLine, isExcess: boolean): string[] {
  const { command, operands } = line;
  const takes = (operand: string): boolean => command.operands.some(({ name }) => name === operand);
  if (flag && urlFlags.includes(flag) && takes('long-url')) return [`the URL needs no flag: ${command.usage}`];
  if (flag && /^-[^-]./.test(flag) && takes('hash')) return ["to pass a hash that starts with '-', put -- before it"];
  const [only = '', ...others] = operands;
  return isExcess && !isTopic(command) && listVerbs.includes(only) && others.length === 0 ? [suggested(command.line, line)] : [];
}

/** About the account that was typed. */
function suggested(command: string, { given }: TypedLine): string {
  return `did you mean: ${withTypedAccount(command, Object.fromEntries(given))}`;
}

/** A key may follow such a flag, and must not be repeated. */
function bringsKey(word: string): boolean {
  return flagsOfOtherTools.get(word.toLowerCase().replace(/=.*/s, ''))?.includes('--with-key') ?? false;
}

/** Returns the command that reads an existing file, for a path given in the place of an operand. */
export function fileCommand(command: string, operands: readonly string[]): string | undefined {
  const file = operands.find(isFile);
  return file === undefined ? undefined : `${command} -f ${shellWord(file)}`;
}

function isFile(path: string): boolean {
  return orElse(() => statSync(path).isFile(), false);
}

/** Puts commander's messages in the form of ours. */
function complaintOf(message: string, { flags, line }: CommandTree): string {
  const lacking = /^error: option '.*(--[\w-]+).*' argument missing/.exec(message);
  if (lacking) return `${lacking[1]}: missing value`;
  // A key may be typed right behind a letter.
  const unknown = /^error: (unknown option '-(?:-[\w-]*|\w?))([\w-]*)/.exec(message);
  if (unknown) return `${unknown[1]}${takesKeys(line) ? '' : unknown[2]}'`;
  const excess = /^error: (too many arguments) .*Expected (\d+) .* got (\d+)/.exec(message);
  if (excess) return `${excess[1]}: expected ${excess[2]}, got ${excess[3]}`;
  const value = /^error: (?:option '(?:-., )?(--[\w-]+)|command-argument).*? is invalid(?: for argument '(.+?)')?\. (.*)$/s.exec(
    message,
  );
  // A command may offer more words for a global flag.
  const words = flags.find(({ long }) => long !== undefined && long === value?.[1])?.words ?? [];
  const reason = words.length > 0 ? value?.[3]?.replace(/\{.*?\}/, `{${words.join('|')}}`) : value?.[3];
  return value ? `${value[1] ?? `<${value[2]}>`}: ${reason}` : (message.replace(/^error: /, '').split('\n')[0] ?? '');
}

/** commander reports an unknown verb as one operand too many if its group has a default verb. */
const verbErrors: readonly string[] = ['commander.unknownCommand', 'commander.excessArguments'];

/** Prefers words that other tools use. */
function guessedVerb(word: string, { commands }: CommandTree): string | undefined {
  const verbs = commands.flatMap(({ name, aliases }) => [name, ...aliases]);
  if (isTopicName(word)) return `help ${word}`;
  const meant = verbsOfOtherTools.get(word.toLowerCase())?.find((line) => verbs.includes(line.replace(/ .*/, '')));
  return meant ?? meantName(word, verbs);
}

/** Our commands, and the words of other tools for them. */
const verbsOfOtherTools = wordsOfOthers([
  [
    ['shorten', 'add'],
    ['create', 'new', 'add'],
  ],
  [['shorten -f'], ['import']],
  [['list'], ['get', 'show', 'export', 'info', 'view', 'describe', 'links']],
  [['list --search'], ['find', 'search']],
  [['list --qr'], ['qr']],
  [['edit'], ['update', 'modify']],
  [['edit --new-hash'], ['rename']],
  [
    ['delete', 'forget'],
    ['remove', 'delete', 'rm'],
  ],
  [['copy'], ['cp']],
  [['undo'], ['restore', 'revert', 'rollback']],
  [['runs'], ['history']],
  [['serve'], ['start', 'server']],
  [['formats'], ['json', 'output', 'schema']],
  [['stats'], ['click', 'clicks', 'statistics', 'analytics']],
  [['auth login'], ['login']],
  [['auth logout'], ['logout']],
  [
    ['auth status', 'status'],
    ['whoami', 'status'],
  ],
  [['auth list'], ['profile', 'profiles']],
  [['auth switch', 'switch'], ['use']],
]);

type OurWords = readonly string[];

function wordsOfOthers(table: readonly (readonly [ours: OurWords, others: readonly string[]])[]): ReadonlyMap<string, OurWords> {
  return new Map(table.flatMap(([ours, others]) => others.map((word) => [word, ours] as const)));
}

/** Prefers words that other tools use. Returns nothing if the best guess is unsafe, because the next best would mislead. */
function guessedFlag(word: string, line: TypedLine): string | undefined {
  const reachable = reachableFlags(line);
  const flags = reachable.flatMap(({ long }) => long ?? []);
  const meant = flagsOfOtherTools.get(word.toLowerCase());
  if (meant)
    return meant.find(
      (flag) => flags.includes(flag) && (!selectionFlags.includes(flag) || readOnlyCommands.includes(line.command.name)),
    );
  // The dashes would make short names look alike.
  const names = flags.map((flag) => flag.slice(2));
  const near = word.startsWith('--') ? meantName(word.slice(2), names) : undefined;
  const sameLetter = reachable.find(({ short }) => short?.toLowerCase() === word.toLowerCase())?.long;
  const guess = near === undefined ? sameLetter : `--${near}`;
  if (guess === undefined || unsafeFlags.includes(guess)) return undefined;
  // A typo in another flag must not become a selection of links.
  return selectionFlags.includes(guess) && editsBetween(word, guess) > 1 ? undefined : guess;
}

const flagsOfOtherTools = wordsOfOthers([
  [
    ['--hash', '--new-hash'],
    ['--hash', '--slug', '--alias', '--keyword', '--custom', '--custom-hash', '--back-half'],
  ],
  [
    ['--add-tag', '--tag', '--by-tags'],
    ['--tag', '--tags', '--label', '--labels', '-t'],
  ],
  [
    ['--file', '--hashes-from'],
    ['-f', '--file'],
  ],
  [['--note'], ['--title']],
  [['--order-by'], ['--sort', '--sort-by']],
  [['--output'], ['--format']],
  [['--since'], ['--period']],
  [['--url'], ['--long-url']],
  [['--utm'], ['--utm-source', '--utm-medium', '--utm-campaign', '--utm-term', '--utm-content']],
  [
    ['--with-key', '--api-key-file'],
    ['--api-key', '--token', '--password'],
  ],
  // Where the destination is an operand, no flag is meant.
  [[], ['--url']],
]);

/** Typed for the destination, which is an operand of `shorten`. */
const urlFlags: readonly string[] = ['--url', '--long-url'];

/** Typed after a command that lists by itself, such as `domains`. */
const listVerbs: readonly string[] = ['list', 'ls', 'show'];

const selectionFlags: readonly string[] = ['--by-tags', '--search', '--filter', '--hashes-from', '--all-domains'];

/** Read-only commands, where a guessed selection does no harm. */
const readOnlyCommands: readonly string[] = ['list', 'stats', 'check', 'report'];

/** A guess must never consent or delete. */
const unsafeFlags: readonly string[] = [
  '--yes',
  '--force',
  '--again',
  '--reset',
  '--insecure-http',
  '--all',
  '--max-affected',
  '--max-deleted',
];
