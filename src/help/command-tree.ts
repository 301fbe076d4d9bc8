import type { Argument, Command, Option } from 'commander';
import { isRepeatable, wordsOf } from '../flags/values.ts';
import { descriptionOf } from './layout.ts';

/** A command and those below it, as plain data: what there is to know of it without running it. */
export interface CommandTree {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly hidden: boolean;
  readonly commands: readonly CommandTree[];
  /** Without those of its parents, which it takes as well (B7). */
  readonly flags: readonly Flag[];
  readonly operands: readonly Operand[];
  /** What `--fields` takes. */
  readonly fields: readonly string[];
}

export interface Flag {
  readonly long?: string | undefined;
  readonly short?: string | undefined;
  /** `--header` and `--no-header` have one name. */
  readonly name: string;
  readonly meaning: string;
  /** What help calls its value: `file`. Absent where it takes none. */
  readonly value?: string | undefined;
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
  return {
    name: command.name(),
    aliases: command.aliases(),
    summary: command.summary() || command.description(),
    hidden,
    commands: command.commands.map((child) => commandTree(child, !visible.includes(child))),
    flags: help.visibleOptions(command).map(flagOf),
    operands: command.registeredArguments.map(operandOf),
    fields: descriptionOf(command).fields ?? [],
  };
}

function flagOf(option: Option): Flag {
  const { long, short, flags, description, required } = option;
  return {
    long,
    short,
    name: option.attributeName(),
    meaning: description,
    value: required ? /<(.+?)(?:\.\.\.)?>/.exec(flags)?.[1] : undefined,
    words: wordsOf(option),
    repeats: isRepeatable(option),
  };
}

function operandOf(argument: Argument): Operand {
  return { name: argument.name(), words: wordsOf(argument), repeats: argument.variadic };
}
