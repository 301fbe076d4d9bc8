import type { CommandTree, Flag } from '../../src/help/command-tree.ts';
import { flagMeaning } from '../../src/help/layout.ts';
import { type TopicName, topicNames } from '../../src/help/topic-names.ts';
import { type Part, topics } from '../../src/help/topics.ts';

/** The manual page in roff's `man` macros, from the same tree as `--help`. */
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
  'linkctl makes, changes, deletes and counts short URLs on a server with the API of tiny.cc, one of them or a file of many. A run of many can be interrupted at any time: the same command continues it.',
  'Servers come in two editions: with several domains an account, or with one. [edition A] marks what only the first of them has; linkctl auth login finds out which it is.',
];

const files: readonly Part[] = [
  [
    ['~/.config/linkctl/config.json', 'profiles, with their API keys'],
    ['~/.local/state/linkctl/runs', 'records of runs, from which they are continued and undone'],
    ['~/.local/share/linkctl', 'links of the sandbox and of linkctl serve, and the history of clicks'],
    ['~/.cache/linkctl', 'tags and domains for completion'],
  ],
  'XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_DATA_HOME and XDG_CACHE_HOME move them.',
];

/** Topics that have a section in every manual page; the others come right behind the commands. */
function isUsual(name: TopicName): boolean {
  return name === 'environment' || name === 'exit-codes';
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
