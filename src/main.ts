import { createAction } from './action.ts';
import { runProgram } from './program.ts';
import type { System } from './system.ts';

export { processSystem } from './system.ts';

/** Runs one command line, without the program's own name, and answers with its exit code. Never exits, never throws. */
export async function main(argv: readonly string[], system: System): Promise<number> {
  const action = createAction(argv, system);
  try {
    await runProgram(argv, { ...action, system });
    return 0;
  } catch (error) {
    return await action.fail(error);
  } finally {
    await action.release();
  }
}
