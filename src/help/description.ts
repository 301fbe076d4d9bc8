import type { Command } from 'commander';

export interface Description {
  /** One line, for the list of commands. */
  readonly summary?: string;
  /** One or two sentences at the top of the help. */
  readonly description?: string;
  /** Command lines that work, most useful first. */
  readonly examples: readonly string[];
  /** Paragraphs after the flags. */
  readonly notes?: readonly string[];
  /** Field names for `--fields`. */
  readonly fields?: readonly string[];
  /** Long names of the global flags that matter here; `help flags` lists all. */
  readonly globals?: readonly string[];
}

const descriptions = new WeakMap<Command, Description>();

export function describe(command: Command, description: Description): Command {
  descriptions.set(command, description);
  if (description.summary !== undefined) command.summary(description.summary);
  if (description.description !== undefined) command.description(description.description);
  return command;
}

export function descriptionOf(command: Command): Description {
  return descriptions.get(command) ?? { examples: [] };
}
