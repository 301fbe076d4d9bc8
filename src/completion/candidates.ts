import type { Command, Option } from 'commander';
import { nextOperand, reachableOptions, readTypedLine, type TypedLine } from '../flags/typed-line.ts';
import { isRepeatable, wordsOf } from '../flags/values.ts';
import { descriptionOf } from '../help/layout.ts';
import { topicNames } from '../help/topic-names.ts';
import type { Sources } from './sources.ts';

/** What the shell does besides offering the candidates; bits, as cobra has them (B93). */
export const directives = { error: 1, noSpace: 2, noFiles: 4, directories: 16 } as const;

export interface Candidate {
  /** The whole word that stands on the line if this is chosen: `--output=json`. */
  readonly word: string;
  readonly meaning?: string;
}

export interface Answer {
  readonly candidates: readonly Candidate[];
  /** A sum of `directives`; 0 leaves the word to the shell's file names. */
  readonly directive: number;
}

/** What a word can be; where files can stand there is nothing that we could list. */
interface Offer {
  readonly candidates?: readonly Candidate[];
  readonly directive?: number;
}

/**
 * What can stand where the cursor is: `words` before it, then `current`, the beginning of a word, perhaps empty. Everything is
 * read off the command tree; names that it cannot know come from `sources`. Takes no text of strangers that could move a cursor
 * (B94).
 */
export function complete(root: Command, words: readonly string[], current: string, sources: Sources): Answer {
  const line = readTypedLine(root, words);
  const { candidates = [], directive = directives.noFiles } = offer(line, current, sources);
  const fitting = candidates.filter(({ word }) => word.startsWith(current) && !unprintable.test(word));
  return { candidates: [...new Map(fitting.map((candidate) => [candidate.word, candidate])).values()], directive };
}

/** Control characters, line and paragraph separators, direction marks and overrides. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

function offer(line: TypedLine, current: string, sources: Sources): Offer {
  if (line.awaiting) return valueOffer(line.awaiting, current, line, sources);
  if (line.ended || !current.startsWith('-')) return operandOffer(line, current, sources);
  const [, name, value] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  if (name === undefined || value === undefined) return { candidates: flagCandidates(line) };
  const option = reachableOptions(line.command).find(({ long, required }) => long === name && required);
  if (!option) return {};
  const { candidates = [], ...rest } = valueOffer(option, value, line, sources);
  return { candidates: candidates.map(({ word, ...more }) => ({ word: `${name}=${word}`, ...more })), ...rest };
}

function flagCandidates({ command, given }: TypedLine): Candidate[] {
  return reachableOptions(command)
    .filter((option) => isRepeatable(option) || !given.has(option.attributeName()))
    .filter((option) => command.parent === null || option.long !== '--version')
    .flatMap(({ short, long, description }) => [long, short].flatMap((word) => (word ? [{ word, meaning: description }] : [])));
}

function operandOffer(line: TypedLine, current: string, sources: Sources): Offer {
  const operand = line.help ? undefined : nextOperand(line);
  const own = operand ? nameOffer(wordsOf(operand), operand.name(), line, sources) : {};
  const commands = line.operands.length === 0 && !line.ended ? commandCandidates(line, current) : [];
  return { ...own, candidates: [...commands, ...(own.candidates ?? []).filter(({ word }) => !line.operands.includes(word))] };
}

/** Aliases are offered once something is typed, so that an empty line lists each command once. */
function commandCandidates({ command, help }: TypedLine, current: string): Candidate[] {
  const commands = command
    .createHelp()
    .visibleCommands(command)
    .flatMap((one) => {
      const meaning = one.summary() || one.description();
      return [one.name(), ...(current === '' ? [] : one.aliases())].map((word) => ({ word, meaning }));
    });
  if (command.parent) return commands;
  if (!help) return [...commands, { word: 'help', meaning: 'Help on a command or a topic' }];
  return [...commands, ...topicNames.map((word) => ({ word, meaning: 'a topic' }))];
}

function valueOffer(option: Option, current: string, line: TypedLine, sources: Sources): Offer {
  const place = /[<[](.+?)(?:\.\.\.)?[>\]]/.exec(option.flags)?.[1] ?? '';
  const directive = filePlaces[place];
  if (directive !== undefined) return { directive };
  if (option.long === '--fields') return fieldOffer(line.command, current);
  if (option.long === '--profile') return nameOffer([], 'profile', line, sources);
  if (option.long === '--domain') return nameOffer([], 'domain', line, sources);
  return nameOffer(wordsOf(option), place, line, sources);
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

/** `--fields hash,lo`: the last name of a list, without a space after it because another may follow. */
function fieldOffer(command: Command, current: string): Offer {
  const before = current.slice(0, current.lastIndexOf(',') + 1);
  const chosen = before.split(',');
  const names = (descriptionOf(command).fields ?? []).filter((name) => !chosen.includes(name));
  return { candidates: names.map((name) => ({ word: before + name })), directive: directives.noFiles + directives.noSpace };
}
