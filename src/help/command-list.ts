import type { Command, Option } from 'commander';

/** A command as it is typed: `linkctl tags rename`. */
export function commandLine(command: Command): string {
  return command.parent ? `${commandLine(command.parent)} ${command.name()}` : command.name();
}

/** How a command is typed, with operands: `linkctl tags rename <old> <new> [flags]`. */
export function usageLine(command: Command): string {
  const operands = command.usage().replace(/^\[options\] ?/, '');
  return [commandLine(command), operands, ...(command.parent ? ['[flags]'] : [])].filter(Boolean).join(' ');
}

/** Every command that does something itself, in the order of help; of a group, its verbs. */
export function leafCommands(command: Command): Command[] {
  const children = command.createHelp().visibleCommands(command);
  return children.length > 0 ? children.flatMap(leafCommands) : [command];
}

/** The command's own flags, without `--help`. */
export function ownFlags(command: Command): Option[] {
  const visible = command.createHelp().visibleOptions(command);
  return visible.filter(({ long }) => long !== '--help' && long !== '--version');
}
