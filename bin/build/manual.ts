import type { CommandTree, Flag } from '../../src/help/command-tree.ts';
import { flagMeaning } from '../../src/help/layout.ts';
import type { TopicName } from '../../src/help/topic-names.ts';
import { type Part, topics } from '../../src/help/topics.ts';

/** The manual page in roff's `man` macros, from the same tree as `--help` (B98). */
export function manualPage(root: CommandTree, version: string): string {
  return [
    `.TH LINKCTL 1 "" "linkctl ${version}" "User Commands"`,
    // Ragged and without hyphens of its own: names of fields and flags stay whole.
    '.nh',
    '.ad l',
    '.SH NAME',
    `linkctl \\- ${roff(firstLower(root.description).replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    '.B linkctl',
    roff(root.usage.replace(`${root.line} `, '')),
    '.SH EXAMPLES',
    ...typedLines(root.examples),
    '.SH COMMANDS',
    ...leafCommands(root).flatMap(commandSection),
    ...(Object.keys(topics) as TopicName[]).flatMap(topicSection),
    '',
  ].join('\n');
}

/** Every command that does something itself, in the order of help; of a group, its verbs. */
export function leafCommands(command: CommandTree): CommandTree[] {
  const children = command.commands.filter(({ hidden }) => !hidden);
  return children.length > 0 ? children.flatMap(leafCommands) : [command];
}

function commandSection({ line, usage, description, aliases, examples, flags, fields, notes }: CommandTree): string[] {
  const alias = aliases.length > 0 ? ` Alias: ${aliases.map((name) => `linkctl ${name}`).join(', ')}.` : '';
  return [
    `.SS ${roff(line)}`,
    roff(usage),
    '.PP',
    roff(description + alias),
    ...typedLines(examples),
    ...flags.filter(({ long }) => long !== '--help').flatMap(flagLines),
    ...(fields.length > 0 ? ['.PP', roff(`Fields: ${fields.join(', ')}.`)] : []),
    ...notes.flatMap(noteLines),
  ];
}

function flagLines(flag: Flag): string[] {
  return ['.TP', `.B ${roff(flag.typed)}`, roff(flagMeaning(flag))];
}

function topicSection(name: TopicName): string[] {
  return [`.SH ${sectionNames[name] ?? name.toUpperCase()}`, ...topics[name].parts.flatMap(partLines)];
}

/** Where a manual page has a name of its own for it. */
const sectionNames: { readonly [T in TopicName]?: string } = { flags: 'GLOBAL FLAGS', 'exit-codes': 'EXIT STATUS' };

function partLines(part: Part): string[] {
  if (typeof part === 'string') return ['.PP', roff(part)];
  if ('lines' in part) return typedLines(part.lines);
  return part.flatMap(([term, meaning]) => ['.TP', `.B ${roff(term)}`, roff(meaning)]);
}

/** A note whose lines are indented is printed unchanged. */
function noteLines(note: string): string[] {
  return note.startsWith(' ') ? typedLines(note.split('\n')) : ['.PP', roff(note)];
}

function typedLines(lines: readonly string[]): string[] {
  return lines.length > 0 ? ['.PP', '.nf', ...lines.map((line) => `    ${roff(line)}`), '.fi'] : [];
}

/** Text that roff prints unchanged: a hyphen stays one that can be pasted, a quote stays straight, a leading dot no request. */
function roff(text: string): string {
  return text
    .replaceAll('…', '...')
    .replace(/[\\\-'^~`]/g, (sign) => escapes[sign] ?? sign)
    .replace(/[^\x00-\x7f]/gu, (sign) => `\\[u${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`)
    .replace(/^(?=[.])/gm, '\\&');
}

const escapes: { readonly [sign: string]: string } = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '^': '\\(ha',
  '~': '\\(ti',
  '`': '\\(ga',
};

function firstLower(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
