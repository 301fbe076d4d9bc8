import type { CommandTree } from '../../src/help/command-tree.ts';

const opening = '<!-- reference -->';
const closing = '<!-- /reference -->';

/** Replaces the command reference of the README. Throws if the two markers are missing. */
export function withReference(readme: string, root: CommandTree): string {
  const start = readme.indexOf(opening);
  const end = readme.indexOf(closing);
  if (start === -1 || end < start) throw new Error(`README.md: expected ${opening} and, after it, ${closing}`);
  return `${readme.slice(0, start + opening.length)}\n\n${reference(root)}\n${readme.slice(end)}`;
}

/** A Markdown table of all commands, from the same tree as `--help`. */
export function reference(root: CommandTree): string {
  const commands = root.commands;
  return [
    '| Command | |',
    '|---|---|',
    ...commands.map(({ line, aliases, summary }) => `| \`${[line, ...aliases].join('`, `')}\` | ${cell(summary)} |`),
    '',
  ].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
}
