import type { Command } from 'commander';

/** The help of a command beside its operands and flags (B13). */
export interface Description {
  /** One line, for the list of its group. */
  readonly summary?: string;
  /** One or two sentences, at the top of its help. */
  readonly description?: string;
  /** Command lines that work as they are, most useful first. */
  readonly examples: readonly string[];
  /** Paragraphs after the flags: rules, formats, what differs between editions. */
  readonly notes?: readonly string[];
  /** Names of the fields that `--fields` takes. */
  readonly fields?: readonly string[];
  /** Long names of the global flags that matter to this command; `help flags` lists them all. */
  readonly globals?: readonly string[];
}

const descriptions = new WeakMap<Command, Description>();

/** Gives a command its help. */
export function describe(command: Command, description: Description): Command {
  descriptions.set(command, description);
  if (description.summary !== undefined) command.summary(description.summary);
  if (description.description !== undefined) command.description(description.description);
  return command;
}

/** The description that `describe` has set. */
export function descriptionOf(command: Command): Description {
  return descriptions.get(command) ?? { examples: [] };
}
