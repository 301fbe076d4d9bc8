import type { CommandTree, Flag } from './command-tree.ts';
import { columns, section, wrap } from './text-layout.ts';
import { topicNames } from './topic-names.ts';

/** Help in one layout everywhere: summary, usage, examples, then flags; at most 80 columns, no escapes (B13). */
export function helpPage(command: CommandTree, root: CommandTree): string {
  if (command.line === root.line) return rootPage(root);
  const { description, usage, aliases, examples, flags, fields, notes } = command;
  const sections = [
    wrap(description, 80).join('\n'),
    `Usage: ${usage}`,
    aliases.length > 0 && `Alias: ${aliases.join(', ')}`,
    section('Examples:', examples.map(indented)),
    ...commandGroups(command).map(([title, rows]) => section(title, columns(rows))),
    section('Flags:', flagLines(flags)),
    section('Global flags:', flagLines(globalFlags(command, root))),
    fields.length > 0 && section('Fields:', wrap(fields.join(', '), 78).map(indented)),
    ...notes.map((note) => wrap(note, 80).join('\n')),
    'Exit codes: linkctl help exit-codes',
  ];
  return `${sections.filter(Boolean).join('\n\n')}\n`;
}

/** All commands on a screen of 24 lines, those of the last group by name; what would push them off it is a topic of its own (D56). */
function rootPage(root: CommandTree): string {
  const groups = commandGroups(root);
  const title = Math.max(...groups.map(([name]) => name.length));
  const rows = groups.flatMap(([name, commands]) =>
    commands.map(([names, summary], index) => [`${(index === 0 ? name : '').padEnd(title)}  ${names}`, summary] as const),
  );
  const last = groups.at(-1)?.[1] ?? [];
  return [
    root.description,
    `Usage: ${root.usage}`,
    `Example: ${root.examples[0]}`,
    ...columns(rows.slice(0, -last.length)),
    `${(groups.at(-1)?.[0] ?? '').padEnd(title)}  ${last.map(([names]) => names).join(', ')}`,
    'Flags: -h, --help; -V, --version. Global flags: linkctl help flags',
    `More: linkctl help <command>|${topicNames.filter((name) => name !== 'flags').join('|')}`,
    '',
  ].join('\n');
}

/** The commands below this one by their groups, each as its names and its summary. */
function commandGroups({ commands }: CommandTree): [title: string, rows: [string, string][]][] {
  const groups = new Map<string, [string, string][]>();
  for (const { name, aliases, summary, group } of commands.filter(({ hidden }) => !hidden)) {
    groups.set(group, [...(groups.get(group) ?? []), [[name, ...aliases].join(', '), summary]]);
  }
  return [...groups];
}

function globalFlags({ globals }: CommandTree, { flags }: CommandTree): Flag[] {
  return flags.filter(({ long }) => long && ['--profile', '--output', ...globals].includes(long));
}

function flagLines(flags: readonly Flag[]): string[] {
  return columns(flags.map((flag) => [`${flag.short ? '' : '    '}${flag.typed}`, flagMeaning(flag)]));
}

/** What a flag does, and its default. */
export function flagMeaning({ meaning, defaultValue }: Flag): string {
  return defaultValue === undefined ? meaning : `${meaning} (default: ${defaultValue})`;
}

function indented(line: string): string {
  return `  ${line}`;
}
