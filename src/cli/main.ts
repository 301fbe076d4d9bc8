import { type CliError, LocalError, messageOf, UnknownOutcomeError } from '../base/errors.ts';
import { processSystem, type System } from '../base/system.ts';
import { version } from '../base/version.ts';
import type { CommandTree } from '../help/command-tree.ts';
import { storedPage, storedPages } from '../help/stored-pages.ts';
import { storedLines, storedTree } from '../help/stored-tree.ts';
import { createLaunch, type Launch } from './invocation.ts';

export { processSystem };

/** Loads every command. */
async function wholeTree(): Promise<CommandTree> {
  return (await import('./program.ts')).wholeTree();
}

/** Files that the build puts beside the program, by name: completion and help need no command then. */
export async function storedFiles(): Promise<Readonly<Record<string, string>>> {
  const tree = await wholeTree();
  const { helpPages } = await import('../help/pages.ts');
  return { 'commands.jsonl': storedLines(tree), 'pages.txt': storedPages(helpPages(tree)) };
}

/** `argv` excludes the program's name. Returns the exit code; never exits and never throws. */
export async function main(argv: readonly string[], system: System): Promise<number> {
  const launch = createLaunch(argv, system);
  system.onCrash(launch.fail);
  try {
    const text = argv[0] === '__complete' ? await answerTab(argv.slice(1), system) : storedText(argv);
    if (text !== undefined) await launch.streams.print(text);
    else await (await import('./program.ts')).runProgram(argv, launch);
    return 0;
  } catch (error) {
    return await launch.fail(partGone(error, launch.sent) ?? error);
  } finally {
    await launch.release();
  }
}

/** Answers version and help without loading a command. Other lines are parsed and end in the same text if they ask for help. */
function storedText(argv: readonly string[]): string | undefined {
  const [first, ...rest] = argv;
  if (rest.length === 0 && (first === '--version' || first === '-V')) return `linkctl ${version}\n`;
  const words = helpWords(argv);
  return words && storedPage(words);
}

function helpWords(argv: readonly string[]): readonly string[] | undefined {
  const last = argv.at(-1);
  if (last === '--help' || last === '-h') return argv.slice(0, -1);
  return argv.length === 0 || argv[0] === 'help' ? argv.slice(1) : undefined;
}

/** The shell expects exit code 0 and no extra line on the terminal, whatever fails. */
async function answerTab(words: readonly string[], system: System): Promise<string> {
  try {
    const tree = storedTree(words) ?? (await wholeTree());
    return await (await import('../completion/complete.ts')).answerShell(tree, words, system, main);
  } catch (error) {
    system.stderr.write(`error: ${messageOf(error)}\n`);
    return ':1\n';
  }
}

/**
 * A file of the program can be missing if an update replaced it while the command ran. After a change was sent, its outcome is unknown, and
 * repeating the command could apply it twice.
 */
function partGone(error: unknown, sent: Launch['sent']): CliError | undefined {
  const { code, path, requireStack } = Object(error) as NodeJS.ErrnoException & { readonly requireStack?: readonly string[] };
  const isMissing = code === 'MODULE_NOT_FOUND' || code === 'ENOENT';
  if (!isMissing || !(path ?? requireStack?.[0])?.startsWith(import.meta.dirname)) return undefined;
  const updated = 'an update replaced linkctl while this command was running';
  if (!sent.change) return new LocalError(updated, { cause: error, hint: 'run the same command again' });
  return new UnknownOutcomeError(`${updated}: the outcome of its changes is unknown`, {
    cause: error,
    hint: 'before repeating the command, check with: linkctl list',
  });
}
