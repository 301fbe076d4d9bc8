import { setTimeout as delay } from 'node:timers/promises';
import { runProgram, startProgram } from '../support/built-program.ts';

interface Kills {
  readonly random: () => number;
  readonly most: number;
  /** Milliseconds within which a start is killed. */
  readonly within: number;
}

/**
 * Starts the program until it says that all is done, killed at random moments where `kills` says so. The codes of all starts; -9 where
 * one was killed. `done`: the codes of an end.
 */
export async function untilDone(
  argv: readonly string[],
  env: Record<string, string>,
  { kills, done = [0] }: { readonly kills?: Kills; readonly done?: readonly number[] } = {},
): Promise<number[]> {
  const codes: number[] = [];
  for (;;) {
    if (codes.length > 40) throw new Error(`${argv[0]} does not end: ${codes}`);
    if (!kills || codes.length >= kills.most) {
      const { code, stderr } = await runProgram(argv, env);
      if (code === null || ![...done, 8, 10].includes(code)) throw new Error(`exit ${code}: ${stderr}`);
      codes.push(code);
    } else codes.push(await killedStart(argv, env, kills));
    if (done.includes(codes.at(-1) ?? -9)) return codes;
  }
}

async function killedStart(argv: readonly string[], env: Record<string, string>, { random, within }: Kills): Promise<number> {
  const { process: child, ended } = startProgram(argv, env);
  const timer = setTimeout(() => child.kill('SIGKILL'), 300 + random() * within);
  const { code } = await ended;
  clearTimeout(timer);
  // What it sent at last is done.
  await delay(200);
  return code ?? -9;
}
