import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Ended, programFolder, type StartedProgram } from '../support/built-program.ts';
import { createTestSystem } from '../support/test-system.ts';

/** How many times shorter a wait is. Time-outs of the network are what they are. */
export const haste = 50;

/** What a clock on the wall does while a program runs, in milliseconds. The clock that only grows does none of it. */
export interface WallClock {
  /** How far it is from the right time at the start. */
  readonly ahead: number;
  /** How far it is set, forward or back, at each wait. */
  readonly jump: number;
}

/**
 * What `bin/linkctl.js` does, with a world in which waits are short: ten seconds before a listing is read back are 200 ms, and both
 * clocks show the ten seconds afterwards. Nothing in the program itself is for tests.
 */
const start = `
  const [module, haste, ahead, jump, ...argv] = process.argv.slice(1);
  const { main, processSystem } = require(module);
  const system = processSystem();
  let skipped = 0;
  let wrong = Number(ahead);
  const elapsed = () => performance.now() + skipped;
  const now = () => Date.now() + Math.round(skipped + wrong);
  const sleep = async (milliseconds, signal) => {
    const end = elapsed() + milliseconds;
    await system.sleep(milliseconds / Number(haste), signal);
    skipped += Math.max(0, end - elapsed());
    wrong += Number(jump);
  };
  main(argv, { ...system, now, elapsed, sleep }).then((code) => {
    process.exitCode = code;
  });
`;

/** The arguments for Node that run a built program, of which this is the folder, in a hurry. */
export function hurriedArguments(
  argv: readonly string[],
  program = programFolder,
  { ahead, jump }: WallClock = { ahead: 0, jump: 0 },
): string[] {
  return ['--eval', start, '--', join(program, 'main.cjs'), String(haste), String(ahead), String(jump), ...argv];
}

/** Starts the built program, in a hurry, as a process of its own. */
export function startHurried(
  argv: readonly string[],
  env: Record<string, string>,
  program?: string,
  clock?: WallClock,
): StartedProgram {
  const child = spawn(process.execPath, hurriedArguments(argv, program, clock), { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  return {
    process: child,
    ended: new Promise((resolve) => {
      child.once('close', (code, signal) => resolve({ code, signal, ...texts }));
    }),
  };
}

const load = createRequire(import.meta.url);

/** The same in this process, which takes a fifth of the time: for what nobody kills. */
export async function runHurried(
  argv: readonly string[],
  env: Record<string, string>,
  program = programFolder,
  { ahead, jump }: WallClock = { ahead: 0, jump: 0 },
): Promise<Ended> {
  const { main } = load(join(program, 'main.cjs')) as typeof import('../../src/cli/main.ts');
  let skipped = 0;
  let wrong = ahead;
  const elapsed = (): number => performance.now() + skipped;
  const system = createTestSystem({
    env,
    elapsed,
    now: () => Date.now() + Math.round(skipped + wrong),
    async sleep(milliseconds, signal) {
      const end = elapsed() + milliseconds;
      await delay(milliseconds / haste, undefined, signal && { signal });
      skipped += Math.max(0, end - elapsed());
      wrong += jump;
    },
  });
  const code = await main(argv, system);
  return { code, signal: null, ...system.printed() };
}
