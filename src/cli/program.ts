import { type Command, CommanderError } from 'commander';
import { exitCodes, type UsageError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { version } from '../base/version.ts';
import { addGlobalFlags } from '../flags/globals.ts';
import { type CommandTree, commandTree, helpFlag } from '../help/command-tree.ts';
import { describe } from '../help/description.ts';
import { isTopicName, type TopicName, topicNames } from '../help/stored-tree.ts';
import { endOfFlags, readTypedLine, type TypedLine } from '../help/typed-line.ts';
import { type Entry, entries } from './command-table.ts';
import type { Launch } from './invocation.ts';
import { everyFlag, type IsDeclared, LeanCommand, typedFlags } from './lean-command.ts';
import type { Runner } from './runner.ts';

/**
 * Imports only the file of the command that is named; otherwise the tree has names and summaries. Throws `UsageError` for invalid lines,
 * and the errors of the command.
 */
export async function runProgram(argv: readonly string[], launch: Launch, isDeclared = typedFlags(argv)): Promise<void> {
  const { streams, system } = launch;
  let text = '';
  let helped: Command | undefined;
  const root = createRoot(
    isDeclared,
    (chunk) => {
      text += chunk;
    },
    (command) => {
      helped = command;
    },
  );
  const line = readLine(root, argv);
  const topic = await askedTopic(line, argv, system);
  if (topic) return streams.print(topic);
  const words = await separated(root, await fillTree(root, line, argv, runnerOf(launch)));
  try {
    await root.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // The message is about all flags that exist.
    if (isDeclared !== everyFlag) return await runProgram(argv, launch, everyFlag);
    // A group without a verb has already printed its help.
    if (error.exitCode !== 0 && error.code !== 'commander.help') {
      throw await wrongLine(error, root, words);
    }
  }
  if (helped) text += (await import('../help/pages.ts')).pageOf(commandTree(helped), commandTree(root));
  await streams.print(text);
}

/**
 * commander takes global flags out of a line first, even where the value of another flag belongs: `--note -yes` would be consent with the
 * note `-es`, and of `--note -q --add-tag x` the note `--add-tag` would be left and another link, `x`.
 */
async function separated(root: Command, words: readonly string[]): Promise<readonly string[]> {
  // Only then the line is read once more.
  if (!words.some((word, nth) => word.startsWith('-') && /^(-|true$|false$)/.test(words[nth + 1] ?? ''))) return words;
  const line = readLine(root, words);
  if (line.misplaced) throw (await import('../help/usage-error.ts')).misplacedWord(line.misplaced);
  return [...line.words, ...words.slice(endOfFlags(words) + 1)];
}

async function wrongLine(error: CommanderError, root: Command, words: readonly string[]): Promise<UsageError> {
  return (await import('../help/usage-error.ts')).usageError(error, root, words);
}

/** Imports the runner only when a valid command runs. */
function runnerOf(launch: Launch): Runner {
  return (work) =>
    async function (this: Command) {
      const { createRunner } = await import('./runner.ts');
      await createRunner(launch)(work).call(this);
    };
}

/** Loads every command. */
export async function wholeProgram(): Promise<Command> {
  const root = createRoot(everyFlag);
  for (const entry of entries) (await entry.load()).register(placeCommand(root, entry), () => async () => undefined);
  return root;
}

export async function wholeTree(): Promise<CommandTree> {
  return commandTree(await wholeProgram());
}

/** Of the words up to `--`: nothing after it names a command or asks for help. */
function readLine(root: Command, argv: readonly string[]): TypedLine {
  const tree = commandTree(root);
  const commands = entries.map(({ name, alias }) => ({ ...tree, name, aliases: alias ? [alias] : [], flags: [], commands: [] }));
  return readTypedLine(root.commands.length > 0 ? tree : { ...tree, commands }, argv.slice(0, endOfFlags(argv) + 1));
}

/** `help <topic>` or `<topic> --help`. `help formats --json` prints the schemas. */
async function askedTopic(line: TypedLine, argv: readonly string[], { stdout }: System): Promise<string | undefined> {
  const [name = '', more] = line.operands;
  if (more !== undefined || line.path.length > 1 || !(line.help || line.given.has('help')) || !isTopicName(name))
    return undefined;
  if (name === 'formats' && jsonFlag.test(argv.filter((word) => word !== 'help' && word !== name).join(' '))) {
    const { schemaDocument } = await import('../help/json-schemas.ts');
    return `${JSON.stringify(schemaDocument(), null, stdout.isTTY ? 2 : undefined)}\n`;
  }
  return textOf(name);
}

async function textOf(topic: TopicName): Promise<string> {
  return (await import('../help/topics.ts')).topicText(topic);
}

const jsonFlag = /^(--json|-o ?json|--output[ =]json)$/;

/** `help` receives the command of a requested help page, which is made later; `write` receives no text for it. */
function createRoot(
  isDeclared: IsDeclared,
  write = (_text: string): void => undefined,
  help = (_command: Command): void => undefined,
): Command {
  const root: Command = new LeanCommand('linkctl', isDeclared)
    .description('Manage short URLs from the command line.')
    .usage('<command> [flags]')
    .version(`linkctl ${version}`, '-V, --version', 'print the version')
    .helpOption(helpFlag.flags, helpFlag.description)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => undefined })
    .configureHelp({
      formatHelp(command) {
        help(command);
        return '';
      },
    })
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

function placeCommand(root: Command, { name, alias, summary, group }: Entry & { readonly group: string }): Command {
  const command = root.command(name).summary(summary).description(`${summary}.`).helpGroup(group).helpCommand(false);
  if (alias) command.alias(alias);
  return command;
}

/** Adds the named command, or all if none is named. Returns the words to parse: `help list` becomes `list --help`. */
async function fillTree(root: Command, line: TypedLine, argv: readonly string[], run: Runner): Promise<readonly string[]> {
  const [, named] = line.path;
  const entry = entries.find(({ name }) => name === named?.name);
  if (entry) (await entry.load()).register(placeCommand(root, entry), run);
  else for (const other of entries) placeCommand(root, other);
  const [word] = line.operands;
  if (entry) {
    if (!line.help && !argv.some((one) => one === '-h' || one === '--help')) return argv;
    const { path, given, command, operands } = readLine(root, argv);
    if (line.help && command.commands.length > 0 && operands.length > 0) {
      throw await wrongLine(new CommanderError(exitCodes.usage, 'commander.unknownCommand', ''), root, argv);
    }
    return line.help || given.has('help') ? [...path.slice(1).map(({ name }) => name), '--help'] : argv;
  }
  if (word === undefined && (line.help || line.given.has('help') || argv.length === 0)) return ['--help'];
  if (word === undefined && argv.includes('--') && !line.help) {
    throw await wrongLine(new CommanderError(exitCodes.usage, 'commander.missingArgument', 'no command before --'), root, argv);
  }
  if (!line.help) return argv;
  if (word === 'help') return ['--help'];
  // Suggestions for `help nosuch` include the topics.
  for (const name of topicNames) if (!entries.some((entry) => entry.name === name)) root.command(name);
  return line.operands;
}
