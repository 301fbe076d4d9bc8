import type { Argument, Command, Option } from 'commander';
import { isRepeatable, wordsOf } from '../flags/values.ts';
import { descriptionOf } from './description.ts';

/** A command and those below it as plain data: help, completions and the manual page are made of it without running a command. */
export interface CommandTree {
  readonly name: string;
  /** As it is typed: `linkctl tags rename`. */
  readonly line: string;
  /** With its operands: `linkctl tags rename <old> <new> [flags]`. */
  readonly usage: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly description: string;
  /** The title above it in the help of its parent. */
  readonly group: string;
  readonly hidden: boolean;
  readonly commands: readonly CommandTree[];
  /** Without those of its parents, which it takes as well (B7). */
  readonly flags: readonly Flag[];
  readonly operands: readonly Operand[];
  readonly examples: readonly string[];
  readonly notes: readonly string[];
  /** What `--fields` takes. */
  readonly fields: readonly string[];
  /** Long names of the root's flags that its help shows. */
  readonly globals: readonly string[];
}

export interface Flag {
  readonly long?: string | undefined;
  readonly short?: string | undefined;
  /** As help shows it: `-o, --output <format>`. */
  readonly typed: string;
  /** `--header` and `--no-header` have one name. */
  readonly name: string;
  readonly meaning: string;
  /** What help calls its value: `file`. Absent where it takes none. */
  readonly value?: string | undefined;
  readonly defaultValue?: string | undefined;
  /** The words that the value can be, where those are known. */
  readonly words: readonly string[];
  readonly repeats: boolean;
}

export interface Operand {
  readonly name: string;
  readonly words: readonly string[];
  readonly repeats: boolean;
}

export function commandTree(command: Command, hidden = false): CommandTree {
  const help = command.createHelp();
  const visible = help.visibleCommands(command);
  const line = typedLine(command);
  const { examples, notes = [], fields = [], globals = [] } = descriptionOf(command);
  return {
    name: command.name(),
    line,
    usage: [line, command.usage().replace(/^\[options\] ?/, ''), command.parent ? '[flags]' : ''].filter(Boolean).join(' '),
    aliases: command.aliases(),
    summary: command.summary() || command.description(),
    description: command.description(),
    group: command.helpGroup() || 'Commands:',
    hidden,
    commands: command.commands.map((child) => commandTree(child, !visible.includes(child))),
    flags: help.visibleOptions(command).map(flagOf),
    operands: command.registeredArguments.map(operandOf),
    examples,
    notes,
    fields,
    globals,
  };
}

function typedLine(command: Command): string {
  return command.parent ? `${typedLine(command.parent)} ${command.name()}` : command.name();
}

function flagOf(option: Option): Flag {
  const { long, short, flags, description, required, defaultValue, negate } = option;
  return {
    long,
    short,
    typed: flags,
    name: option.attributeName(),
    meaning: description,
    value: required ? /<(.+?)(?:\.\.\.)?>/.exec(flags)?.[1] : undefined,
    defaultValue: defaultValue === undefined || negate ? undefined : `${defaultValue}`,
    words: wordsOf(option),
    repeats: isRepeatable(option),
  };
}

function operandOf(argument: Argument): Operand {
  return { name: argument.name(), words: wordsOf(argument), repeats: argument.variadic };
}
