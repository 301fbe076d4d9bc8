import { Command, CommanderError, type Option } from 'commander';
import type { System } from '../base/system.ts';
import { version } from '../base/version.ts';
import { addGlobalFlags } from '../flags/globals.ts';
import { type CommandTree, commandTree } from '../help/command-tree.ts';
import { describe } from '../help/description.ts';
import { helpPage } from '../help/layout.ts';
import { isTopicName, type TopicName, topicNames } from '../help/topic-names.ts';
import { usageError } from '../help/usage-error.ts';
import { type Entry, entries } from './command-table.ts';
import type { Launch } from './invocation.ts';
import { createRunner, type Runner } from './run.ts';

/**
 * Parses one command line and runs the command it names. Only that command's file is imported; where none is named they all
 * stand in the tree by name and summary. Throws `UsageError` for what cannot be parsed (B4, B5, B11), and whatever the command throws.
 */
export async function runProgram(argv: readonly string[], launch: Launch): Promise<void> {
  const { say, system } = launch;
  let text = '';
  const root = createRoot((chunk) => {
    text += chunk;
  });
  const topic = await askedTopic(argv, root.options, system);
  if (topic) return say(topic);
  const words = await fillTree(root, argv, createRunner(launch));
  try {
    await root.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // A group without a verb has said its help.
    if (error.exitCode !== 0 && error.code !== 'commander.help') throw usageError(error, root, words);
  }
  const [name = '', flag] = words;
  // A command that is a topic too: its help comes first.
  await say(flag === '--help' && isTopicName(name) ? `${text}\n${await textOf(name)}` : text);
}

/** The whole tree, every command loaded. */
export async function wholeProgram(): Promise<Command> {
  const root = createRoot(() => undefined);
  for (const entry of entries) (await entry.load())(placeCommand(root, entry), () => async () => undefined);
  return root;
}

/** The same as data: for help, completions and the manual page. */
export async function wholeTree(): Promise<CommandTree> {
  return commandTree(await wholeProgram());
}

/**
 * The text of a topic that is no command: `help <topic>` or `<topic> --help`. `formats` is for programs too: as JSON it is the schemas.
 */
async function askedTopic(argv: readonly string[], options: readonly Option[], { stdout }: System): Promise<string | undefined> {
  const help = commandWord(argv, options);
  const byWord = help?.word === 'help';
  const asked = byWord ? argv.toSpliced(help.index, 1) : argv;
  if (byWord && asked.includes('formats') && jsonFlag.test(asked.filter((word) => word !== 'formats').join(' '))) {
    const { schemaDocument } = await import('../help/json-schemas.ts');
    return `${JSON.stringify(schemaDocument(), null, stdout.isTTY ? 2 : undefined)}\n`;
  }
  const [name = '', more] = byWord ? argv.slice(help.index + 1) : argv;
  const isAsked = byWord ? more === undefined : argv.length === 2 && (more === '--help' || more === '-h');
  return isAsked && isTopicName(name) && !entries.some((entry) => entry.name === name) ? textOf(name) : undefined;
}

async function textOf(topic: TopicName): Promise<string> {
  return (await import('../help/topics.ts')).topicText(topic);
}

const jsonFlag = /^(--json|-o ?json|--output[ =]json)$/;

function createRoot(write: (text: string) => void): Command {
  const root: Command = new Command('linkctl')
    .description('Manage short URLs from the command line.')
    .usage('<command> [flags]')
    .version(`linkctl ${version}`, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => undefined })
    .configureHelp({ formatHelp: (command) => helpPage(commandTree(command), commandTree(root)) })
    .showSuggestionAfterError(false);
  addGlobalFlags(root);
  describe(root, {
    examples: [
      'linkctl -p sandbox shorten https://nodejs.org/en/learn',
      'linkctl shorten -f links.csv --results done.csv',
      "linkctl list --by-tags 'promo' --fields hash,long_url",
    ],
  });
  return root;
}

function placeCommand(root: Command, { name, alias, summary, group, hidden = false }: Entry): Command {
  const command = root.command(name, { hidden }).summary(summary).description(`${summary}.`).helpGroup(group).helpCommand(false);
  if (alias) command.alias(alias);
  return command;
}

/**
 * Puts the command that is named into the tree, all where none is, and answers with the words to parse: `help list` becomes
 * `list --help` (B1).
 */
async function fillTree(root: Command, argv: readonly string[], run: Runner): Promise<string[]> {
  const named = commandWord(argv, root.options);
  const helpAsked = named?.word === 'help';
  const word = helpAsked ? commandWord(argv.slice(named.index + 1), root.options)?.word : named?.word;
  const entry = entries.find(({ name, alias }) => word !== undefined && (name === word || alias === word));
  if (entry) (await entry.load())(placeCommand(root, entry), run);
  else for (const other of entries) placeCommand(root, other);
  if (word === undefined && (helpAsked || !argv.includes('-V'))) return argv.includes('--version') ? ['--version'] : ['--help'];
  if (helpAsked) return await helpWords(root, argv.slice(named.index + 1), word);
  const command = root.commands.find((one) => one.name() === word || one.alias() === word);
  if (command && wantsHelp(argv, [...root.options, ...allOptions(command)])) return [...commandPath(argv, command), '--help'];
  return [...argv];
}

/** `help nosuch` is a mistake, and the topics are among what it may have meant (B1). */
async function helpWords(root: Command, rest: readonly string[], word: string | undefined): Promise<string[]> {
  if (word === 'help') return ['--help'];
  if (root.commands.some((one) => one.name() === word || one.alias() === word)) return [...rest, '--help'];
  for (const name of topicNames) if (!entries.some((entry) => entry.name === name)) root.command(name);
  return [...rest];
}

/** The first word of a line that is neither a flag nor a flag's value, and where it stands. */
function commandWord(argv: readonly string[], options: readonly Option[]): { word: string; index: number } | undefined {
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] as string;
    if (!word.startsWith('-') || word === '-') return { word, index };
    if (word === '--') return undefined;
    if (takesNext(word, options)) index++;
  }
  return undefined;
}

/** Whether the word is a flag whose value is the next word: `-p`, `-qp`, `--profile`, not `-pwork` or `--profile=work`. */
function takesNext(word: string, options: readonly Option[]): boolean {
  if (word.startsWith('--')) return options.some((option) => option.long === word && option.required);
  const letters = [...word.slice(1)];
  const first = letters.findIndex((letter) => options.some((option) => option.short === `-${letter}` && option.required));
  return first !== -1 && first === letters.length - 1;
}

function wantsHelp(argv: readonly string[], options: readonly Option[]): boolean {
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] as string;
    if (word === '--') return false;
    if (word === '-h' || word === '--help') return true;
    if (takesNext(word, options)) index++;
  }
  return false;
}

function allOptions(command: Command): Option[] {
  return [...command.options, ...command.commands.flatMap(allOptions)];
}

/** `tags add x --help` asks for the help of `tags add`. */
function commandPath(argv: readonly string[], command: Command): string[] {
  const path = [command.name()];
  let here = command;
  for (const word of argv) {
    const next = here.commands.find((one) => one.name() === word || one.alias() === word);
    if (next) {
      path.push(next.name());
      here = next;
    }
  }
  return path;
}
