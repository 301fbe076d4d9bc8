import { type CliError, LocalError, messageOf, UnknownOutcomeError } from '../base/errors.ts';
import { processSystem, type System } from '../base/system.ts';
import { version } from '../base/version.ts';
import { answerShell } from '../completion/candidates.ts';
import type { CommandTree } from '../help/command-tree.ts';
import { helpPage } from '../help/layout.ts';
import { commandAt, storedTree } from '../help/stored-tree.ts';
import { isTopicName } from '../help/topic-names.ts';
import { createLaunch, type Launch } from './invocation.ts';

export { processSystem };

/** The commands as the build writes them down; loads every command. */
export async function wholeTree(): Promise<CommandTree> {
  return (await import('./program.ts')).wholeTree();
}

/** Runs one command line, without the program's own name, and answers with its exit code. Never exits, never throws. */
export async function main(argv: readonly string[], system: System): Promise<number> {
  const launch = createLaunch(argv, system);
  system.onCrash(launch.fail);
  try {
    const text = argv[0] === '__complete' ? await answerTab(argv.slice(1), system) : storedText(argv);
    if (text !== undefined) await launch.say(text);
    else await (await import('./program.ts')).runProgram(argv, launch);
    return 0;
  } catch (error) {
    return await launch.fail(partGone(error, launch.sent) ?? error);
  } finally {
    await launch.release();
  }
}

/**
 * The text for a line that asks only for the version or for the help page of a command, without loading a command (B98). Every
 * other line is parsed, and ends in the same text where it asks for help.
 */
function storedText(argv: readonly string[]): string | undefined {
  const [first, ...rest] = argv;
  if (rest.length === 0 && (first === '--version' || first === '-V')) return `linkctl ${version}\n`;
  const words = helpWords(argv);
  if (!words || isTopicName(words.join(' '))) return undefined;
  const root = storedTree();
  const command = root && commandAt(root, words);
  return command && helpPage(command, root);
}

function helpWords(argv: readonly string[]): readonly string[] | undefined {
  const last = argv.at(-1);
  if (last === '--help' || last === '-h') return argv.slice(0, -1);
  return argv.length === 0 || argv[0] === 'help' ? argv.slice(1) : undefined;
}

/** The answer to a shell at TAB. Whatever fails, the exit code is 0 and the terminal shows no line of its own (B93). */
async function answerTab(words: readonly string[], system: System): Promise<string> {
  try {
    const tree = storedTree() ?? (await wholeTree());
    return answerShell(tree, words, system);
  } catch (error) {
    system.stderr.write(`error: ${messageOf(error)}\n`);
    return ':1\n';
  }
}

/**
 * The error to report where a file of the program that is loaded only now is gone, because two builds replaced it meanwhile (D43). Once a
 * change was sent, nobody can say what became of it; without a record of the rest, the same command could make it twice.
 */
function partGone(error: unknown, sent: Launch['sent']): CliError | undefined {
  const { code, path, requireStack } = Object(error) as NodeJS.ErrnoException & { readonly requireStack?: readonly string[] };
  const isMissing = code === 'MODULE_NOT_FOUND' || code === 'ENOENT';
  if (!isMissing || !(path ?? requireStack?.[0])?.startsWith(import.meta.dirname)) return undefined;
  const updated = 'linkctl was updated while this command was running';
  if (!sent.change) return new LocalError(updated, { cause: error, hint: 'run the same command again' });
  return new UnknownOutcomeError(`${updated}: the outcome of its changes is unknown`, {
    cause: error,
    hint: 'check with linkctl list before repeating the command',
  });
}
