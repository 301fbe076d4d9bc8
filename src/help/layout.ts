import type { Command, Help, Option } from 'commander';
import { usageLine } from './command-list.ts';
import { columns, section, wrap } from './text-layout.ts';
import { topicNames } from './topic-names.ts';

/** What a command's help says beyond its operands and flags (B13). */
export interface Description {
  /** Command lines that work as they stand, most wanted first. */
  readonly examples: readonly string[];
  /** Paragraphs after the flags: rules, formats, what differs between editions. */
  readonly notes?: readonly string[];
  /** Names of the fields that `--fields` takes. */
  readonly fields?: readonly string[];
  /** Long names of the global flags that matter to this command; `help flags` lists them all. */
  readonly globals?: readonly string[];
}

const descriptions = new WeakMap<Command, Description>();

/** Gives a command the rest of its help. */
export function describe(command: Command, description: Description): void {
  descriptions.set(command, description);
}

/** What `describe` was told of a command. */
export function descriptionOf(command: Command): Description {
  return descriptions.get(command) ?? { examples: [] };
}

/** Help in one layout everywhere: summary, usage, examples, then flags; at most 80 columns, no escapes (B13). */
export function formatHelp(command: Command, help: Help): string {
  if (!command.parent) return rootHelp(command, help);
  const { examples, notes = [], fields } = descriptionOf(command);
  const sections = [
    wrap(help.commandDescription(command), 80).join('\n'),
    `Usage: ${usageLine(command)}`,
    command.aliases().length > 0 && `Alias: ${command.aliases().join(', ')}`,
    section(
      'Examples:',
      examples.map((line) => `  ${line}`),
    ),
    ...commandGroups(command, help).map(([title, rows]) => section(title, columns(rows))),
    section('Flags:', optionLines(help.visibleOptions(command))),
    section('Global flags:', optionLines(globalOptions(command))),
    fields &&
      section(
        'Fields:',
        wrap(fields.join(', '), 78).map((line) => `  ${line}`),
      ),
    ...notes.map((note) => wrap(note, 80).join('\n')),
    'Exit codes: linkctl help exit-codes',
  ];
  return `${sections.filter(Boolean).join('\n\n')}\n`;
}

/** All commands on a screen of 24 lines; what would push them off it is a topic of its own, the global flags (D56). */
function rootHelp(root: Command, help: Help): string {
  const groups = commandGroups(root, help);
  const title = Math.max(...groups.map(([name]) => name.length));
  const rows = groups.flatMap(([name, commands]) =>
    commands.map(([names, summary], index) => [`${(index === 0 ? name : '').padEnd(title)}  ${names}`, summary] as const),
  );
  return [
    help.commandDescription(root),
    `Usage: ${usageLine(root)}`,
    `Example: ${descriptionOf(root).examples[0]}`,
    '',
    ...columns(rows),
    '',
    'Flags: -h, --help; -V, --version. Global flags: linkctl help flags',
    `More: linkctl help <command> | ${topicNames.filter((name) => name !== 'flags').join(' | ')}`,
    '',
  ].join('\n');
}

/** The commands below this one by their groups, each as its names and its summary. */
function commandGroups(command: Command, help: Help): [title: string, rows: [string, string][]][] {
  const groups = new Map<string, [string, string][]>();
  for (const child of help.visibleCommands(command)) {
    const group = child.helpGroup() || 'Commands:';
    const names = [child.name(), ...child.aliases()].join(', ');
    groups.set(group, [...(groups.get(group) ?? []), [names, child.summary() || child.description()]]);
  }
  return [...groups];
}

/** Those that matter to this command. */
function globalOptions(command: Command): Option[] {
  let root = command;
  while (root.parent) root = root.parent;
  const wanted = ['--profile', '--output', ...(descriptionOf(command).globals ?? [])];
  return root.options.filter((option) => option.long && wanted.includes(option.long));
}

function optionLines(options: readonly Option[]): string[] {
  return columns(options.map((option) => [`${option.short ? '' : '    '}${option.flags}`, optionSummary(option)]));
}

function optionSummary(option: Option): string {
  return option.defaultValue === undefined || option.negate
    ? option.description
    : `${option.description} (default: ${option.defaultValue})`;
}
