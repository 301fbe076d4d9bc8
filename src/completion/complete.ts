import { safe } from '../base/safe-text.ts';
import type { System } from '../base/system.ts';
import { hasOperators } from '../contract/tag-label.ts';
import type { CommandTree, Flag, Operand } from '../help/command-tree.ts';
import { topicNames } from '../help/stored-tree.ts';
import { nextOperand, reachableFlags, readTypedLine, type TypedLine } from '../help/typed-line.ts';
import type { Candidate, Main } from './server-hashes.ts';
import type { Sources } from './sources.ts';

/**
 * Answers `linkctl __complete <words...> <current>` for the scripts of the shells: one candidate per line, its description after a tab, and a
 * last line with a colon and the directive.
 */
export async function answerShell(root: CommandTree, words: readonly string[], system: System, main: Main): Promise<string> {
  const openSources = async (): Promise<Sources> => (await import('./sources.ts')).createSources(system, main);
  const { candidates, directive } = await complete(root, words.slice(0, -1), words.at(-1) ?? '', openSources);
  const lines = candidates.map(({ word, meaning }) => (meaning ? `${word}\t${meaning}` : word));
  return [...lines, `:${directive}`, ''].join('\n');
}

/** Called only for names that are not in the command tree: reading them takes longer than the rest of a key press. */
type OpenSources = () => Promise<Sources>;

/** Bits that tell the shell what to do besides; the values are those of cobra. */
const directives = { noSpace: 2, noFiles: 4, directories: 16, keepOrder: 32 } as const;

interface Offer {
  readonly candidates?: readonly Candidate[];
  /** Sum of `directives`; 0 offers file names. */
  readonly directive?: number;
}

/** The line before the cursor, and the beginning of the word at it. */
interface Typed {
  readonly line: TypedLine;
  readonly current: string;
  readonly openSources: OpenSources;
}

/** `current` is the beginning of a word and may be empty. Drops names with control characters, which could move the cursor. */
export async function complete(
  root: CommandTree,
  words: readonly string[],
  current: string,
  openSources: OpenSources,
): Promise<Required<Offer>> {
  const typed = { line: readTypedLine(root, words), current, openSources };
  const { candidates = [], directive = directives.noFiles } = await offer(typed);
  const fitting = candidates.filter(({ word }) => word.startsWith(current) && safe(word) === word);
  // A flag of the command comes before a global one of the same name, which means something else.
  const byWord = new Map<string, Candidate>();
  for (const candidate of fitting) if (!byWord.has(candidate.word)) byWord.set(candidate.word, candidate);
  return { candidates: [...byWord.values()], directive };
}

async function offer(typed: Typed): Promise<Offer> {
  const { line, current } = typed;
  if (line.awaiting) return valueOffer(line.awaiting, typed);
  if (line.ended || !current.startsWith('-')) return operandOffer(typed);
  const [, name, value] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  if (name === undefined || value === undefined) return { candidates: flagCandidates(line) };
  const flag = usableFlags(line).find((one) => one.long === name && one.value !== undefined);
  if (!flag) return {};
  const { candidates = [], ...rest } = await valueOffer(flag, { ...typed, current: value });
  return { candidates: candidates.map(({ word, ...more }) => ({ word: `${name}=${word}`, ...more })), ...rest };
}

/** After a topic only `formats` accepts a flag: `--json`. */
function usableFlags(line: TypedLine): Flag[] {
  const [topic] = line.help && line.path.length === 1 ? line.operands : [];
  const { commands, refused } = line.command;
  // The command of a group may still follow.
  const isRefused = (long = ''): boolean => commands.length === 0 && refused.includes(long);
  const isUsable = (long?: string): boolean => topic === undefined || (topic === 'formats' && long === '--json');
  return reachableFlags(line).filter(({ long }) => isUsable(long) && !isRefused(long));
}

function flagCandidates(line: TypedLine): Candidate[] {
  return usableFlags(line)
    .filter(({ repeats, name }) => repeats || !line.given.has(name))
    .filter(({ long }) => line.path.length === 1 || long !== '--version')
    .flatMap(({ short, long, meaning }) => [long, short].flatMap((word) => (word ? [{ word, meaning }] : [])));
}

async function operandOffer(typed: Typed): Promise<Offer> {
  const { line } = typed;
  const operand = line.help ? undefined : nextOperand(line);
  const own: Offer = operand ? await ownOffer(operand, typed) : {};
  const commands = line.operands.length === 0 && !line.ended ? commandCandidates(typed) : [];
  // A hash such as `-y` would be consent.
  const isOperand = (word: string): boolean => (line.ended || !word.startsWith('-')) && !line.operands.includes(word);
  return { ...own, candidates: [...commands, ...(own.candidates ?? []).filter(({ word }) => isOperand(word))] };
}

async function ownOffer({ name, words }: Operand, typed: Typed): Promise<Offer> {
  const { line, current, openSources } = typed;
  if (name === 'run') return runOffer(typed);
  if (name !== 'hash' || !withHashes.includes(line.command.name)) return nameOffer(words, name, typed);
  return { candidates: await (await openSources()).hashes(current, line) };
}

/** For other commands a single hash is rare, and TAB asks no server. */
const withHashes = ['list', 'edit', 'delete', 'stats'];

/** Aliases are offered only after the first letter, so that an empty line lists each command once. */
function commandCandidates({ line: { path, command, help }, current }: Typed): Candidate[] {
  const commands = command.commands.flatMap(({ name, aliases, summary }) =>
    [name, ...(current === '' ? [] : aliases)].map((word) => ({ word, meaning: summary })),
  );
  if (path.length > 1) return commands;
  if (!help) return [...commands, { word: 'help', meaning: 'Help on a command or a topic' }];
  return [...commands, ...topicNames.map((word) => ({ word, meaning: 'a topic' }))];
}

async function valueOffer({ long, value = '', words }: Flag, typed: Typed): Promise<Offer> {
  const directive = filePlaces[value];
  if (directive !== undefined) return { directive };
  if (long === '--fields') return listOffer(typed.line.command.fields, typed);
  if (long === '--only' || long === '--fail-on') return listOffer(words, typed);
  if (long === '--profile') return nameOffer([], 'profile', typed);
  if (long === '--domain') return nameOffer([], 'domain', typed);
  return long === '--by-tags' ? expressionOffer(typed) : nameOffer(words, value, typed);
}

/** File names are completed by the shell. The keys are placeholders in the help. */
const filePlaces: { readonly [place: string]: number | undefined } = {
  file: 0,
  'file|-': 0,
  path: 0,
  dir: directives.directories,
};

/** Without fixed words, the placeholder decides, such as `<label>`. */
async function nameOffer(words: readonly string[], place: string, typed: Typed): Promise<Offer> {
  const names = words.length > 0 ? words : await localNames(place, typed);
  return { candidates: names.map((word) => ({ word })) };
}

async function localNames(place: string, { line: { given }, openSources }: Typed): Promise<string[]> {
  const profile = given.get('profile');
  if (place === 'profile') return (await openSources()).profiles();
  if (place === 'domain') return (await openSources()).labels('domains', profile);
  return place === 'label' || place === 'old' ? (await openSources()).labels('tags', profile) : [];
}

/** What `last` is for these commands; for others it is the newest run. */
const lastOf: { readonly [command: string]: string } = { undo: 'the newest change that is not undone', redo: 'the newest undo' };

/** `last`, then the newest runs. */
async function runOffer({ line: { command, given }, current, openSources }: Typed): Promise<Offer> {
  const sources = await openSources();
  const last = lastOf[command.name];
  const runs = sources.runs('last'.startsWith(current) ? '' : current, given.get('profile'), last !== undefined);
  const [newest] = runs;
  const candidates = newest ? [{ word: 'last', meaning: last ?? `the newest run: ${newest.meaning}` }, ...runs] : [];
  return { candidates, directive: directives.noFiles + directives.keepOrder };
}

/** Completes the last name of a list without a space, because another name may follow. */
function listOffer(all: readonly string[], { current }: Typed): Offer {
  const before = current.slice(0, current.lastIndexOf(',') + 1);
  const chosen = before.split(',');
  const names = all.filter((name) => !chosen.includes(name));
  return { candidates: names.map((name) => ({ word: before + name })), directive: directives.noFiles + directives.noSpace };
}

/** Completes the last label of an expression. Labels with operators are left out. */
async function expressionOffer(typed: Typed): Promise<Offer> {
  const [before = ''] = /^(?:(?:[^"]|"[^"]*")*[&,;^|(~])?[\s+-]*/.exec(typed.current) ?? [];
  const labels = (await localNames('label', typed)).filter((label) => !hasOperators(label));
  return { candidates: labels.map((label) => ({ word: before + label })) };
}
