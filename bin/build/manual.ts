import type { CommandTree, Flag } from '../../src/help/command-tree.ts';
import { flagMeaning } from '../../src/help/layout.ts';
import { type TopicName, topicNames } from '../../src/help/stored-tree.ts';
import { type Part, topics } from '../../src/help/topics.ts';

/** The manual page in roff's `man` macros, from the same tree as `--help`. */
export function manualPage(root: CommandTree, version: string): string {
  return [
    `.TH LINKCTL 1 "" "linkctl ${version}" "User Commands"`,
    // Left-aligned and without hyphenation, so that names of fields and flags stay whole.
    '.nh',
    '.ad l',
    '.SH NAME',
    `linkctl \\- ${roff(firstLower(root.description).replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    '.B linkctl',
    roff(root.usage.replace(`${root.line} `, '')),
    '.SH DESCRIPTION',
    ...description.flatMap(partLines),
    '.SH COMMANDS',
    ...leafCommands(root).flatMap(commandSection),
    ...topicNames.filter((name) => !isUsual(name)).flatMap(topicSection),
    '.SH FILES',
    ...files.flatMap(partLines),
    ...topicNames.filter(isUsual).flatMap(topicSection),
    '.SH EXAMPLES',
    ...typedLines(root.examples),
    '.SH SEE ALSO',
    roff('curl(1), jq(1), cron(8)'),
    '',
  ].join('\n');
}

const description: readonly Part[] = [
  'linkctl creates, edits and deletes short URLs, and reports their clicks, on a server with the tiny.cc API: one link at a time or a whole file. A run of many can be interrupted at any time: the same command continues it.',
  'Servers come in two editions: A with several domains per account, B with one. [edition A] marks features that only edition A has; linkctl auth login detects the edition.',
];

const files: readonly Part[] = [
  [
    ['~/.config/linkctl/config.json', 'profiles, with their API keys'],
    ['~/.local/state/linkctl/runs', 'records of runs, for resuming and undoing them'],
    ['~/.local/share/linkctl', 'links of the sandbox and of linkctl serve, and the history of clicks'],
    ['~/.cache/linkctl', 'tags and domains for completion'],
  ],
  'XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_DATA_HOME and XDG_CACHE_HOME change these locations.',
];

/** Every manual page has sections for these; all other topics follow the commands. */
function isUsual(name: TopicName): boolean {
  return name === 'environment' || name === 'exit-codes';
}

/** In the order of help; a group is replaced by its verbs. */
export function leafCommands(command: CommandTree): CommandTree[] {
  const children = command.commands;
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
    ...flags.filter(({ long, group }) => long !== '--help' && group !== 'csv' && group !== 'runs').flatMap(flagLines),
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

/** Section names that manual pages have by convention. */
const sectionNames: { readonly [T in TopicName]?: string } = { flags: 'GLOBAL FLAGS', 'exit-codes': 'EXIT STATUS' };

function partLines(part: Part): string[] {
  if (typeof part === 'string') return ['.PP', roff(part)];
  if ('lines' in part) return typedLines(part.lines);
  return part.flatMap(([term, meaning]) => ['.TP', `.B ${roff(term)}`, roff(meaning)]);
}

/** Indented notes are printed unchanged. */
function noteLines(note: string): string[] {
  return note.startsWith(' ') ? typedLines(note.split('\n')) : ['.PP', roff(note)];
}

function typedLines(lines: readonly string[]): string[] {
  return lines.length > 0 ? ['.PP', '.nf', ...lines.map((line) => `    ${roff(line)}`), '.fi'] : [];
}

/** Escapes the text so that roff prints it unchanged: hyphens can be pasted, quotes stay straight, a leading dot is no request. */
function roff(text: string): string {
  return text
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
