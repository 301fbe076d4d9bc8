import { safe } from '../base/safe-text.ts';
import type { System } from '../base/system.ts';
import { hasOperators } from '../contract/tag-label.ts';
import type { CommandTree, Flag } from '../help/command-tree.ts';
import { topicNames } from '../help/topic-names.ts';
import { nextOperand, reachableFlags, readTypedLine, type TypedLine } from '../help/typed-line.ts';
import { localSources, type Sources } from './sources.ts';

/**
 * The answer to `linkctl __complete <words...> <current>` as the shells' scripts read it: a candidate a line, its meaning after
 * a tab, and last a line with a colon and the directive (B93).
 */
export function answerShell(root: CommandTree, words: readonly string[], system: System): string {
  const { candidates, directive } = complete(root, words.slice(0, -1), words.at(-1) ?? '', localSources(system));
  const lines = candidates.map(({ word, meaning }) => (meaning ? `${word}\t${meaning}` : word));
  return [...lines, `:${directive}`, ''].join('\n');
}

/** What the shell does besides offering the candidates; bits, as cobra has them (B93). */
const directives = { noSpace: 2, noFiles: 4, directories: 16, keepOrder: 32 } as const;

interface Candidate {
  /** The whole word that is inserted: `--output=json`. */
  readonly word: string;
  readonly meaning?: string;
}

interface Answer {
  readonly candidates: readonly Candidate[];
  /** A sum of `directives`; 0 leaves the word to the shell's file names. */
  readonly directive: number;
}

/** What a word can be; files are left to the shell. */
interface Offer {
  readonly candidates?: readonly Candidate[];
  readonly directive?: number;
}

/**
 * The words that fit at the cursor: after `words` comes `current`, the beginning of a word, perhaps empty. Commands and flags are those
 * of the tree; names of profiles, tags and domains come from `sources`, without those that could move a cursor (B94).
 */
export function complete(root: CommandTree, words: readonly string[], current: string, sources: Sources): Answer {
  const line = readTypedLine(root, words);
  const { candidates = [], directive = directives.noFiles } = offer(line, current, sources);
  const fitting = candidates.filter(({ word }) => word.startsWith(current) && safe(word) === word);
  return { candidates: [...new Map(fitting.map((candidate) => [candidate.word, candidate])).values()], directive };
}

function offer(line: TypedLine, current: string, sources: Sources): Offer {
  if (line.awaiting) return valueOffer(line.awaiting, current, line, sources);
  if (line.ended || !current.startsWith('-')) return operandOffer(line, current, sources);
  const [, name, value] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  if (name === undefined || value === undefined) return { candidates: flagCandidates(line) };
  const flag = usableFlags(line).find((one) => one.long === name && one.value !== undefined);
  if (!flag) return {};
  const { candidates = [], ...rest } = valueOffer(flag, value, line, sources);
  return { candidates: candidates.map(({ word, ...more }) => ({ word: `${name}=${word}`, ...more })), ...rest };
}

/** After a topic nothing can follow, but that `formats` has its schemas as JSON. */
function usableFlags(line: TypedLine): Flag[] {
  const [topic] = line.help && line.path.length === 1 ? line.operands : [];
  return reachableFlags(line).filter(({ long }) => topic === undefined || (topic === 'formats' && long === '--json'));
}

function flagCandidates(line: TypedLine): Candidate[] {
  return usableFlags(line)
    .filter(({ repeats, name }) => repeats || !line.given.has(name))
    .filter(({ long }) => line.path.length === 1 || long !== '--version')
    .flatMap(({ short, long, meaning }) => [long, short].flatMap((word) => (word ? [{ word, meaning }] : [])));
}

function operandOffer(line: TypedLine, current: string, sources: Sources): Offer {
  const operand = line.help ? undefined : nextOperand(line);
  const own =
    operand?.name === 'run' ? runOffer(current, sources) : operand ? nameOffer(operand.words, operand.name, line, sources) : {};
  const commands = line.operands.length === 0 && !line.ended ? commandCandidates(line, current) : [];
  return { ...own, candidates: [...commands, ...(own.candidates ?? []).filter(({ word }) => !line.operands.includes(word))] };
}

/** Aliases are offered once something is typed, so that an empty line lists each command once. */
function commandCandidates({ path, command, help }: TypedLine, current: string): Candidate[] {
  const commands = command.commands
    .filter(({ hidden }) => !hidden)
    .flatMap(({ name, aliases, summary }) =>
      [name, ...(current === '' ? [] : aliases)].map((word) => ({ word, meaning: summary })),
    );
  if (path.length > 1) return commands;
  if (!help) return [...commands, { word: 'help', meaning: 'Help on a command or a topic' }];
  return [...commands, ...topicNames.map((word) => ({ word, meaning: 'a topic' }))];
}

function valueOffer({ long, value = '', words }: Flag, current: string, line: TypedLine, sources: Sources): Offer {
  const directive = filePlaces[value];
  if (directive !== undefined) return { directive };
  if (long === '--fields') return fieldOffer(line.command, current);
  if (long === '--profile') return nameOffer([], 'profile', line, sources);
  if (long === '--domain') return nameOffer([], 'domain', line, sources);
  if (long === '--by-tags') return expressionOffer(current, line, sources);
  return nameOffer(words, value, line, sources);
}

/** Values of flags that are files, by the names that help gives them. No operand is one. */
const filePlaces: { readonly [place: string]: number | undefined } = {
  file: 0,
  'file|-': 0,
  path: 0,
  dir: directives.directories,
};

/** What a value or an operand can be: its fixed words, else what its name in help says, such as `<label>`. */
function nameOffer(words: readonly string[], place: string, { profile }: TypedLine, sources: Sources): Offer {
  const names = words.length > 0 ? words : localNames(place, profile, sources);
  return { candidates: names.map((word) => ({ word })) };
}

function localNames(place: string, profile: string | undefined, sources: Sources): string[] {
  if (place === 'profile') return sources.profiles();
  if (place === 'domain') return sources.labels('domains', profile);
  return place === 'label' || place === 'old' ? sources.labels('tags', profile) : [];
}

/** Names of runs, newest first, and `last` (U4). */
function runOffer(current: string, sources: Sources): Offer {
  const runs = sources.runs('last'.startsWith(current) ? '' : current);
  const names = runs.map(({ name, title }) => ({ word: name, meaning: title }));
  const [newest] = names;
  const candidates = newest ? [{ word: 'last', meaning: `the newest run: ${newest.meaning}` }, ...names] : [];
  return { candidates, directive: directives.noFiles + directives.keepOrder };
}

/** `--fields hash,lo`: the last name of a list, without a space after it because another may follow. */
function fieldOffer({ fields }: CommandTree, current: string): Offer {
  const before = current.slice(0, current.lastIndexOf(',') + 1);
  const chosen = before.split(',');
  const names = fields.filter((name) => !chosen.includes(name));
  return { candidates: names.map((name) => ({ word: before + name })), directive: directives.noFiles + directives.noSpace };
}

/** `--by-tags 'spring & ~ex'`: the last label of an expression, none that an expression would read as something else. */
function expressionOffer(current: string, { profile }: TypedLine, sources: Sources): Offer {
  const [before = ''] = /^(?:(?:[^"]|"[^"]*")*[&,;^|(~])?[\s+-]*/.exec(current) ?? [];
  const labels = localNames('label', profile, sources).filter((label) => !hasOperators(label));
  return { candidates: labels.map((label) => ({ word: before + label })) };
}
