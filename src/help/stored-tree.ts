import type { CommandTree } from './command-tree.ts';
import { ownFile } from './program-file.ts';

/**
 * The commands as the build stores them, so that completion imports no command: a line for the root with outlines of its commands,
 * and a line for each of them. Most answers need one or none of these.
 */
export function storedLines(root: CommandTree): string {
  const outlines = root.commands.map(
    (command): CommandTree => ({
      ...command,
      commands: [],
      flags: [],
      operands: [],
      examples: [],
      notes: [],
      fields: [],
      globals: [],
      refused: [],
    }),
  );
  return [{ ...root, commands: outlines }, ...root.commands].map((command) => JSON.stringify(command)).join('\n');
}

/** Reads only the commands that `words` name; the others are outlines. Undefined in a checkout without a build. */
export function storedTree(words: readonly string[]): CommandTree | undefined {
  try {
    const [first = '', ...lines] = ownFile('commands.jsonl').split('\n');
    const root: CommandTree = JSON.parse(first);
    const isNamed = ({ name, aliases }: CommandTree): boolean => [name, ...aliases].some((word) => words.includes(word));
    return {
      ...root,
      commands: root.commands.map((outline, nth) => (isNamed(outline) ? JSON.parse(lines[nth] ?? '') : outline)),
    };
  } catch {
    return undefined;
  }
}

export function commandAt(root: CommandTree, words: readonly string[]): CommandTree | undefined {
  return words.reduce<CommandTree | undefined>(
    (command, word) => command?.commands.find(({ name, aliases }) => name === word || aliases.includes(word)),
    root,
  );
}

export const topicNames = ['flags', 'environment', 'exit-codes', 'formats', 'csv', 'tags', 'filters'] as const;
export type TopicName = (typeof topicNames)[number];

export function isTopicName(word: string): word is TopicName {
  return topicNames.some((name) => name === word);
}
