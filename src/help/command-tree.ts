import { type Argument, type Command, Option } from 'commander';
import { isRepeatable, wordsOf } from '../flags/values.ts';
import { type Description, descriptionOf, refusedFlags } from './description.ts';

/** Plain data, so that help, completions and the manual page need no command. */
export interface CommandTree extends Required<Omit<Description, 'fields' | 'onlyReads' | 'refusesDomain'>> {
  /** Long names of the global flags that it refuses. */
  readonly refused: readonly string[];
  /** Names for `--fields`. */
  readonly fields: readonly string[];
  readonly name: string;
  /** For example `linkctl tags rename`. */
  readonly line: string;
  /** For example `linkctl tags rename <old> <new> [flags]`. */
  readonly usage: string;
  readonly aliases: readonly string[];
  /** Heading of the command in its parent's help. */
  readonly group: string;
  readonly commands: readonly CommandTree[];
  /** Without the flags of its parents. */
  readonly flags: readonly Flag[];
  readonly operands: readonly Operand[];
}

export interface Flag {
  readonly long?: string | undefined;
  readonly short?: string | undefined;
  /** For example `-o, --output <format>`. */
  readonly typed: string;
  /** `--header` and `--no-header` share one name. */
  readonly name: string;
  readonly meaning: string;
  /** Placeholder of the value, such as `file`; undefined without a value. */
  readonly value?: string | undefined;
  readonly defaultValue?: string | undefined;
  /** Possible values, if they are known. */
  readonly words: readonly string[];
  readonly repeats: boolean;
  /** The page that explains it, or a section of its own; undefined for the usual section. */
  readonly group?: 'csv' | 'runs' | 'limits' | undefined;
}

export interface Operand {
  readonly name: string;
  readonly words: readonly string[];
  readonly repeats: boolean;
}

export function commandTree(command: Command): CommandTree {
  const line = typedLine(command);
  const description = descriptionOf(command);
  const { examples, notes = [], fields = [], globals = [] } = description;
  return {
    name: command.name(),
    line,
    usage: [line, command.usage().replace(/^\[options\] ?/, ''), command.parent ? '[flags]' : ''].filter(Boolean).join(' '),
    aliases: command.aliases(),
    summary: command.summary() || command.description(),
    description: command.description(),
    group: command.helpGroup() || 'Commands:',
    commands: command.commands.map(commandTree),
    flags: [...command.options.filter(({ hidden }) => !hidden), helpFlag].map(flagOf),
    operands: command.registeredArguments.map(operandOf),
    examples,
    notes,
    fields: fields.map((field) => field.name),
    globals,
    refused: refusedFlags(description),
  };
}

/** commander adds it to every command, and to no list. */
export const helpFlag: Option = new Option('-h, --help', 'show help');

export function typedLine(command: Command): string {
  return command.parent ? `${typedLine(command.parent)} ${command.name()}` : command.name();
}

function flagOf(option: Option): Flag {
  const { long, short, flags, description, required, defaultValue, negate, helpGroupHeading } = option;
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
    group: helpGroupHeading as Flag['group'],
  };
}

function operandOf(argument: Argument): Operand {
  return { name: argument.name(), words: wordsOf(argument), repeats: argument.variadic };
}
