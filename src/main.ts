import { createAction } from './action.ts';
import { storedPage } from './help/pages.ts';
import { processSystem, type System } from './system.ts';

export { processSystem };

/** For `bin/bundle.mjs`: the pages that `storedPage` reads. */
export async function printedPages(): Promise<Map<string, string>> {
  return (await import('./pages.ts')).printedPages(processSystem());
}

/** Runs one command line, without the program's own name, and answers with its exit code. Never exits, never throws. */
export async function main(argv: readonly string[], system: System): Promise<number> {
  const action = createAction(argv, system);
  system.onCrash(action.fail);
  try {
    const page = storedPage(argv);
    if (page !== undefined) await action.say(page);
    else await (await import('./program.ts')).runProgram(argv, { ...action, system });
    return 0;
  } catch (error) {
    return await action.fail(error);
  } finally {
    await action.release();
  }
}
