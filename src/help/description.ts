import type { Command } from 'commander';

interface Field {
  readonly name: string;
  readonly title?: string;
}

export interface Description {
  /** One line, for the list of commands. */
  readonly summary?: string;
  /** One or two sentences at the top of the help. */
  readonly description?: string;
  /** Command lines that work, most useful first. */
  readonly examples: readonly string[];
  /** Paragraphs after the flags. */
  readonly notes?: readonly string[];
  /** The fields that `--fields` accepts; a name of any other is refused before the command does anything. Empty for a command that prints none. */
  readonly fields?: readonly Field[];
  /** Long names of the global flags that matter here; `help flags` lists all. */
  readonly globals?: readonly string[];
  /** Then `--dry-run` makes no difference. A command that neither names that flag among its `globals` nor only reads refuses it. */
  readonly onlyReads?: true;
  /** The reason why the command refuses `--domain`. */
  readonly refusesDomain?: string;
}

const descriptions = new WeakMap<Command, Description>();

export function describe(command: Command, description: Description): Command {
  descriptions.set(command, description);
  if (description.summary !== undefined) command.summary(description.summary);
  if (description.description !== undefined) command.description(description.description);
  return command;
}

/** Returns the long names of the global flags that the command refuses. */
export function refusedFlags({ globals = [], onlyReads, refusesDomain, fields }: Description) {
  const takesDryRun = onlyReads || globals.includes('--dry-run');
  return [
    ...(takesDryRun ? [] : ['--dry-run' as const]),
    ...(refusesDomain ? ['--domain' as const] : []),
    ...(fields?.length === 0 ? ['--fields' as const] : []),
  ];
}

export function descriptionOf(command: Command): Description {
  return descriptions.get(command) ?? { examples: [] };
}
