import type { Command } from 'commander';
import type { System } from '../base/system.ts';
import { topicNames } from '../help/topic-names.ts';
import { createLaunch } from './invocation.ts';
import { runProgram, wholeProgram, wholeTree } from './program.ts';

/** What `storedPage` and `storedTree` look for, by its name; for those who make the program. */
export async function storedFiles(system: System): Promise<Map<string, string>> {
  const root = await wholeProgram(() => async () => undefined);
  const lines = [...pathsOf(root), ...topicNames.map((name) => [name])].map((words) => ['help', ...words]);
  const files = new Map([
    ['commands.json', JSON.stringify(await wholeTree())],
    ['pages/version.txt', await printed(['--version'], system)],
  ]);
  for (const line of lines) files.set(`pages/${line.join(' ')}.txt`, await printed(line, system));
  return files;
}

async function printed(argv: readonly string[], system: System): Promise<string> {
  let page = '';
  const say = async (text: string): Promise<void> => {
    page += text;
  };
  await runProgram(argv, { ...createLaunch(argv, system), say });
  return page;
}

/** The words of every command, verbs of groups included; none for the root. */
function pathsOf(command: Command): string[][] {
  const names = (one: Command): string[] => (one.parent ? [...names(one.parent), one.name()] : []);
  return [names(command), ...command.commands.flatMap(pathsOf)];
}
