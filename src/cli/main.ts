import { LocalError } from '../base/errors.ts';
import { processSystem, type System } from '../base/system.ts';
import { answerShell } from '../completion/answer.ts';
import { storedTree } from '../completion/stored-tree.ts';
import { storedPage } from '../help/pages.ts';
import { createLaunch } from './invocation.ts';

export { processSystem };

/** For `bin/bundle.mjs`: the files that stand beside the program, by their names. */
export async function storedFiles(): Promise<Map<string, string>> {
  return (await import('./pages.ts')).storedFiles(processSystem());
}

/** For `bin/linkctl.js`: what to tell where a part of the program is gone that is loaded only now (D43). */
export function partGone(cause: unknown): LocalError {
  return new LocalError('linkctl was updated while this command was running', {
    cause,
    hint: 'run the same command again',
  });
}

/** Runs one command line, without the program's own name, and answers with its exit code. Never exits, never throws. */
export async function main(argv: readonly string[], system: System): Promise<number> {
  const launch = createLaunch(argv, system);
  system.onCrash(launch.fail);
  try {
    const text = argv[0] === '__complete' ? await answerTab(argv.slice(1), system) : storedPage(argv);
    if (text !== undefined) await launch.say(text);
    else await (await import('./program.ts')).runProgram(argv, launch);
    return 0;
  } catch (error) {
    return await launch.fail(error);
  } finally {
    await launch.release();
  }
}

/** What a shell hears at TAB. Nothing that goes wrong may end in another exit code or on a line of its own in the terminal (B93). */
async function answerTab(words: readonly string[], system: System): Promise<string> {
  try {
    const tree = storedTree() ?? (await (await import('./program.ts')).wholeTree());
    return answerShell(tree, words, system);
  } catch (error) {
    system.stderr.write(`error: ${(error as Error).message}\n`);
    return ':1\n';
  }
}
