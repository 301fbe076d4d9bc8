import { ownFile } from '../base/program-file.ts';
import type { CommandTree } from './command-tree.ts';

/** The build stores the tree, so that completion and `--help` import no command. Undefined in a checkout without a build. */
export function storedTree(): CommandTree | undefined {
  try {
    return JSON.parse(ownFile('commands.json'));
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
