import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { programFolder, type StartedProgram } from '../support/built-program.ts';

/** How many times shorter a wait is. Time-outs of the network and the clock are what they are. */
export const haste = 50;

/**
 * What `bin/linkctl.js` does, with a world in which waits are short: ten seconds before a listing is read back are 200 ms, and
 * nothing in the program itself is for tests.
 */
const start = `
  const [module, haste, ...argv] = process.argv.slice(1);
  const { main, processSystem } = require(module);
  const system = processSystem();
  const sleep = (milliseconds, signal) => system.sleep(milliseconds / Number(haste), signal);
  main(argv, { ...system, sleep }).then((code) => {
    process.exitCode = code;
  });
`;

/** The arguments for Node that run a built program, of which this is the folder, in a hurry. */
export function hurriedArguments(argv: readonly string[], program = programFolder): string[] {
  return ['--eval', start, '--', join(program, 'main.cjs'), String(haste), ...argv];
}

/** Starts the built program, in a hurry, as a process of its own. */
export function startHurried(argv: readonly string[], env: Record<string, string>, program?: string): StartedProgram {
  const child = spawn(process.execPath, hurriedArguments(argv, program), { env, stdio: ['ignore', 'pipe', 'pipe'] });
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
