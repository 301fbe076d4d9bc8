import type { Command } from 'commander';
import type { Runner } from './action.ts';
import { topicNames } from './help/topic-names.ts';
import { runProgram, wholeProgram } from './program.ts';
import type { System } from './system.ts';

/** Every text that `storedPage` looks for, by its name; for those who make the program. */
export async function printedPages(system: System): Promise<Map<string, string>> {
  const root = await wholeProgram(noRun);
  const pages = new Map([['version', await printed(['--version'], system)]]);
  for (const words of [...pathsOf(root), ...topicNames.map((name) => [name])]) {
    const line = ['help', ...words];
    pages.set(line.join(' '), await printed(line, system));
  }
  return pages;
}

const noRun: Runner = () => async () => undefined;

async function printed(argv: readonly string[], system: System): Promise<string> {
  let page = '';
  const say = async (text: string): Promise<void> => {
    page += text;
  };
  await runProgram(argv, { run: noRun, say, system });
  return page;
}

/** The words of every command, verbs of groups included; none for the root. */
function pathsOf(command: Command): string[][] {
  const names = (one: Command): string[] => (one.parent ? [...names(one.parent), one.name()] : []);
  return [names(command), ...command.commands.flatMap(pathsOf)];
}
