import type { CommandTree } from './command-tree.ts';
import { helpPage } from './layout.ts';
import { isTopicName, topicNames } from './stored-tree.ts';
import { topicText } from './topics.ts';

/** All pages of help by the words that ask for them: a command has one under each of its names. */
export function helpPages(root: CommandTree): ReadonlyMap<string, string> {
  const pages = new Map<string, string>(topicNames.map((name) => [name, topicText(name)]));
  const add = (command: CommandTree, words: readonly string[]): void => {
    pages.set(words.join(' '), pageOf(command, root));
    for (const child of command.commands) for (const name of [child.name, ...child.aliases]) add(child, [...words, name]);
  };
  add(root, []);
  return pages;
}

/** Returns the page of a command. If a topic has the same name, it comes after it. */
export function pageOf(command: CommandTree, root: CommandTree): string {
  const page = helpPage(command, root);
  const name = command.line.slice(`${root.line} `.length);
  return isTopicName(name) ? `${page}\n${topicText(name)}` : page;
}
