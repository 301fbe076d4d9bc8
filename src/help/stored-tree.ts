import { ownFile } from '../base/own-file.ts';
import type { CommandTree } from './command-tree.ts';

/** The commands as the build wrote them down, so that TAB and `--help` load none of them; undefined in a checkout without a build. */
export function storedTree(): CommandTree | undefined {
  try {
    return JSON.parse(ownFile('commands.json'));
  } catch {
    return undefined;
  }
}

/** The command that the words name, by names or aliases. */
export function commandAt(root: CommandTree, words: readonly string[]): CommandTree | undefined {
  return words.reduce<CommandTree | undefined>(
    (command, word) => command?.commands.find(({ name, aliases }) => name === word || aliases.includes(word)),
    root,
  );
}
