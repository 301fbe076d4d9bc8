import type { System } from '../base/system.ts';
import type { CommandTree } from '../help/command-tree.ts';
import { complete } from './candidates.ts';
import { localSources } from './sources.ts';

/**
 * The answer to `linkctl __complete <words...> <current>` as the shells' scripts read it: a candidate a line, its meaning after
 * a tab, and last a line with a colon and the directive (B93).
 */
export function answerShell(root: CommandTree, words: readonly string[], system: System): string {
  const { candidates, directive } = complete(root, words.slice(0, -1), words.at(-1) ?? '', localSources(system));
  const lines = candidates.map(({ word, meaning }) => (meaning ? `${word}\t${meaning}` : word));
  return [...lines, `:${directive}`, ''].join('\n');
}
