import type { CommandTree } from '../../src/help/command-tree.ts';

const opening = '<!-- reference -->';
const closing = '<!-- /reference -->';

/** The README with its command reference brought up to date. Throws where the two markers are not there. */
export function withReference(readme: string, root: CommandTree): string {
  const start = readme.indexOf(opening);
  const end = readme.indexOf(closing);
  if (start === -1 || end < start) throw new Error(`README.md: expected ${opening} and, after it, ${closing}`);
  return `${readme.slice(0, start + opening.length)}\n\n${reference(root)}\n${readme.slice(end)}`;
}

/** Every command and what it does, as a Markdown table from the same tree as `--help` (B98). */
export function reference(root: CommandTree): string {
  const commands = root.commands.filter(({ hidden }) => !hidden);
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
