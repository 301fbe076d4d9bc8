import type { CommandTree } from './command-tree.ts';
import { helpPage } from './layout.ts';
import { topicNames } from './stored-tree.ts';
import { topicText } from './topics.ts';

/** All pages of help by the words that ask for them: a command has one under each of its names. */
export function helpPages(root: CommandTree): ReadonlyMap<string, string> {
  const pages = new Map<string, string>(topicNames.map((name) => [name, topicText(name)]));
  const add = (command: CommandTree, words: readonly string[]): void => {
    const name = words.join(' ');
    // A name that is both has the page of the command first.
    pages.set(name, [helpPage(command, root), pages.get(name) ?? []].flat().join('\n'));
    for (const child of command.commands) for (const word of [child.name, ...child.aliases]) add(child, [...words, word]);
  };
  add(root, []);
  return pages;
}
