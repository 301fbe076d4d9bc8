import type { Command } from 'commander';

/** What a command's help says beyond its operands and flags (B13). */
export interface Description {
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

/** Gives a command the rest of its help. */
export function describe(command: Command, description: Description): void {
  descriptions.set(command, description);
}

/** The description that `describe` has set. */
export function descriptionOf(command: Command): Description {
  return descriptions.get(command) ?? { examples: [] };
}
