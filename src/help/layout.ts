import { wrap } from '../base/wrap.ts';
import type { CommandTree, Flag } from './command-tree.ts';
import { topicNames } from './stored-tree.ts';
import { columns, section } from './text-layout.ts';

/** All pages have one layout of at most 80 columns, without escape sequences. */
export function helpPage(command: CommandTree, root: CommandTree): string {
  if (command.line === root.line) return rootPage(root);
  const { description, usage, aliases, examples, fields, notes } = command;
  const global = globalFlags(command, root);
  const flags = command.flags.filter((flag) => !global.includes(flag));
  const inGroup = (wanted?: Flag['group']): string[] => flagLines(flags.filter(({ group }) => group === wanted));
  const pages = (['csv', 'runs'] as const).filter((page) => inGroup(page).length > 0);
  const sections = [
    wrap(description, 80).join('\n'),
    `Usage: ${usage}`,
    aliases.length > 0 && `Alias: ${aliases.join(', ')}`,
    section('Examples:', examples.map(indented)),
    ...commandGroups(command).map(([title, rows]) => section(title, columns(rows))),
    section('Flags:', inGroup()),
    pages.length > 0 && `More flags: ${pages.map((page) => `linkctl help ${page}`).join(', ')}`,
    section('Global flags:', flagLines(global)),
    section('Limits:', inGroup('limits')),
    fields.length > 0 && section('Fields:', wrap(fields.join(', '), 78).map(indented)),
    ...notes.map((note) => wrap(note, 80).join('\n')),
    'Exit codes: linkctl help exit-codes',
  ];
  return `${sections.filter(Boolean).join('\n\n')}\n`;
}

/** Fits on 24 lines, so the last group shows only names; further details are topics. */
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

function commandGroups({ commands }: CommandTree): [title: string, rows: [string, string][]][] {
  const groups = new Map<string, [string, string][]>();
  for (const { name, aliases, summary, group } of commands) {
    groups.set(group, [...(groups.get(group) ?? []), [[name, ...aliases].join(', '), summary]]);
  }
  return [...groups];
}

/** A command that reads one of them in its own way declares it again; it is listed among its own flags, unless `globals` name it. */
function globalFlags({ globals, flags: own }: CommandTree, { flags }: CommandTree): Flag[] {
  return flags.flatMap((flag) => {
    const { long = '' } = flag;
    const ownFlag = own.find((other) => other.long === long);
    if (globals.includes(long)) return [ownFlag ?? flag];
    return !ownFlag && ['--profile', '--output'].includes(long) ? [flag] : [];
  });
}

function flagLines(flags: readonly Flag[]): string[] {
  return columns(flags.map((flag) => [`${flag.short ? '' : '    '}${flag.typed}`, flagMeaning(flag)]));
}

export function flagMeaning({ meaning, defaultValue }: Flag): string {
  return defaultValue === undefined ? meaning : `${meaning} (default: ${defaultValue})`;
}

function indented(line: string): string {
  return `  ${line}`;
}
