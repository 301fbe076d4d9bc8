import type { Command, Help, Option } from 'commander';
import { usageLine } from './command-list.ts';
import { columns, section, wrap } from './text-layout.ts';

/** What a command's help says beyond its operands and flags (B13). */
export interface Description {
  /** Command lines that work as they stand, most wanted first. */
  readonly examples: readonly string[];
  /** Paragraphs after the flags: rules, formats, what differs between editions. */
  readonly notes?: readonly string[];
  /** Names of the fields that `--fields` takes. */
  readonly fields?: readonly string[];
  /** Long names of the global flags that matter to this command; the root lists them all. */
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
  const { examples, notes = [], fields } = descriptionOf(command);
  const sections = [
    wrap(help.commandDescription(command), 80).join('\n'),
    `Usage: ${usageLine(command)}`,
    command.aliases().length > 0 && `Alias: ${command.aliases().join(', ')}`,
    section(
      'Examples:',
      examples.map((line) => `  ${line}`),
    ),
    ...commandSections(command, help),
    section('Flags:', optionLines(help.visibleOptions(command).filter((option) => command.parent || isOwn(option)))),
    section('Global flags:', optionLines(globalOptions(command))),
    fields &&
      section(
        'Fields:',
        wrap(fields.join(', '), 78).map((line) => `  ${line}`),
      ),
    ...notes.map((note) => wrap(note, 80).join('\n')),
    closing(command),
  ];
  return `${sections.filter(Boolean).join('\n\n')}\n`;
}

/** Flags of the root are listed as global flags; its own are help and version. */
function isOwn(option: Option): boolean {
  return option.long === '--help' || option.long === '--version';
}

function commandSections(command: Command, help: Help): (string | undefined)[] {
  const groups = new Map<string, [string, string][]>();
  for (const child of help.visibleCommands(command)) {
    const group = child.helpGroup() || 'Commands:';
    const names = [child.name(), ...child.aliases()].join(', ');
    groups.set(group, [...(groups.get(group) ?? []), [names, child.summary() || child.description()]]);
  }
  return [...groups].map(([title, rows]) => section(title, columns(rows)));
}

function globalOptions(command: Command): Option[] {
  let root = command;
  while (root.parent) root = root.parent;
  if (root === command) return root.options.filter((option) => !isOwn(option));
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

function closing(command: Command): string {
  return command.parent
    ? 'Exit codes: linkctl help exit-codes'
    : 'Help on one: linkctl help <command>\nMore: linkctl help environment | exit-codes | formats | csv | tags';
}
