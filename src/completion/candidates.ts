import { safe } from '../base/safe-text.ts';
import type { System } from '../base/system.ts';
import { hasOperators } from '../contract/tag-label.ts';
import type { CommandTree, Flag } from '../help/command-tree.ts';
import { topicNames } from '../help/topic-names.ts';
import { nextOperand, reachableFlags, readTypedLine, type TypedLine } from '../help/typed-line.ts';
import { localSources, type Sources } from './sources.ts';

/**
 * Answers `linkctl __complete <words...> <current>` for the scripts of the shells: one candidate per line, its description after a tab, and a
 * last line with a colon and the directive.
 */
export function answerShell(root: CommandTree, words: readonly string[], system: System): string {
  const { candidates, directive } = complete(root, words.slice(0, -1), words.at(-1) ?? '', localSources(system));
  const lines = candidates.map(({ word, meaning }) => (meaning ? `${word}\t${meaning}` : word));
  return [...lines, `:${directive}`, ''].join('\n');
}

/** Bits that tell the shell what to do besides; the values are those of cobra. */
const directives = { noSpace: 2, noFiles: 4, directories: 16, keepOrder: 32 } as const;

interface Candidate {
  /** The complete word, such as `--output=json`. */
  readonly word: string;
  readonly meaning?: string;
}

interface Answer {
  readonly candidates: readonly Candidate[];
  /** Sum of `directives`; 0 offers file names. */
  readonly directive: number;
}

interface Offer {
  readonly candidates?: readonly Candidate[];
  readonly directive?: number;
}

/** `current` is the beginning of a word and may be empty. Drops names with control characters, which could move the cursor. */
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

/** After a topic only `formats` accepts a flag: `--json`. */
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

/** Aliases are offered only after the first letter, so that an empty line lists each command once. */
function commandCandidates({ path, command, help }: TypedLine, current: string): Candidate[] {
  const commands = command.commands.flatMap(({ name, aliases, summary }) =>
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

/** File names are completed by the shell. The keys are placeholders in the help. */
const filePlaces: { readonly [place: string]: number | undefined } = {
  file: 0,
  'file|-': 0,
  path: 0,
  dir: directives.directories,
};

/** Without fixed words, the placeholder decides, such as `<label>`. */
function nameOffer(words: readonly string[], place: string, { profile }: TypedLine, sources: Sources): Offer {
  const names = words.length > 0 ? words : localNames(place, profile, sources);
  return { candidates: names.map((word) => ({ word })) };
}

function localNames(place: string, profile: string | undefined, sources: Sources): string[] {
  if (place === 'profile') return sources.profiles();
  if (place === 'domain') return sources.labels('domains', profile);
  return place === 'label' || place === 'old' ? sources.labels('tags', profile) : [];
}

/** Newest runs first, then `last`. */
function runOffer(current: string, sources: Sources): Offer {
  const runs = sources.runs('last'.startsWith(current) ? '' : current);
  const names = runs.map(({ name, title }) => ({ word: name, meaning: title }));
  const [newest] = names;
  const candidates = newest ? [{ word: 'last', meaning: `the newest run: ${newest.meaning}` }, ...names] : [];
  return { candidates, directive: directives.noFiles + directives.keepOrder };
}

/** Completes the last name of a list without a space, because another name may follow. */
function fieldOffer({ fields }: CommandTree, current: string): Offer {
  const before = current.slice(0, current.lastIndexOf(',') + 1);
  const chosen = before.split(',');
  const names = fields.filter((name) => !chosen.includes(name));
  return { candidates: names.map((name) => ({ word: before + name })), directive: directives.noFiles + directives.noSpace };
}

/** Completes the last label of an expression. Labels with operators are left out. */
function expressionOffer(current: string, { profile }: TypedLine, sources: Sources): Offer {
  const [before = ''] = /^(?:(?:[^"]|"[^"]*")*[&,;^|(~])?[\s+-]*/.exec(current) ?? [];
  const labels = localNames('label', profile, sources).filter((label) => !hasOperators(label));
  return { candidates: labels.map((label) => ({ word: before + label })) };
}
