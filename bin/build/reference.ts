import type { Command, Option } from 'commander';
import { commandLine, leafCommands, ownFlags, usageLine } from '../../src/help/command-list.ts';
import { descriptionOf } from '../../src/help/layout.ts';

const opening = '<!-- reference -->';
const closing = '<!-- /reference -->';

/** The README with its command reference brought up to date. Throws where the two markers are not there. */
export function withReference(readme: string, root: Command): string {
  const start = readme.indexOf(opening);
  const end = readme.indexOf(closing);
  if (start === -1 || end < start) throw new Error(`README.md: expected ${opening} and, after it, ${closing}`);
  return `${readme.slice(0, start + opening.length)}\n\n${reference(root)}\n${readme.slice(end)}`;
}

/** Every command with its flags as Markdown, from the same tree as `--help` (B98). */
export function reference(root: Command): string {
  const leaves = leafCommands(root);
  return [
    '| Command | |',
    '|---|---|',
    ...leaves.map((command) => `| [\`${commandLine(command)}\`](#${anchor(command)}) | ${cell(summaryOf(command))} |`),
    '',
    ...leaves.flatMap(commandSection),
    '#### Global flags',
    '',
    'Anywhere, before or after the command.',
    '',
    ...flagTable(ownFlags(root)),
    '',
  ].join('\n');
}

function commandSection(command: Command): string[] {
  const flags = ownFlags(command);
  return [
    `#### ${commandLine(command)}`,
    '',
    '```',
    usageLine(command),
    '```',
    '',
    ...(flags.length > 0 ? [...flagTable(flags), ''] : []),
    ...(descriptionOf(command).examples.length > 0 ? ['```sh', ...descriptionOf(command).examples, '```', ''] : []),
  ];
}

function flagTable(flags: readonly Option[]): string[] {
  return [
    '| Flag | |',
    '|---|---|',
    ...flags.map(({ flags: typed, description }) => `| \`${typed.replaceAll('|', '\\|')}\` | ${cell(description)} |`),
  ];
}

function summaryOf(command: Command): string {
  return command.summary() || command.description();
}

/** The address that Markdown readers give a heading. */
function anchor(command: Command): string {
  return commandLine(command).replaceAll(' ', '-');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
}
