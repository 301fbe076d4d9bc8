import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expectNoSecret } from './canary.ts';
import { needs } from './tools.ts';

/** The program as users start it, as `build.ts` made it. */
export const programPath = process.env.LINKCTL_TEST_PROGRAM as string;

/** How it is started. `LINKCTL_TEST_EXECUTABLE` names the one executable of `npm run package` to be tested in its place. */
export const programCommand: readonly [string, ...string[]] = process.env.LINKCTL_TEST_EXECUTABLE
  ? [process.env.LINKCTL_TEST_EXECUTABLE]
  : [process.execPath, programPath];

/** The executable ignores `NODE_OPTIONS`, so no test can load code into it. */
export const isExecutable = Boolean(process.env.LINKCTL_TEST_EXECUTABLE);

/** Where its files lie. */
export const programFolder: string = currentBuild(join(dirname(programPath), '..', 'dist'));

/** Copies all builds, but no file of the code cache that another process is writing now. */
export function copyBuilds(to: string): void {
  cpSync(join(dirname(programPath), '..', 'dist'), to, { recursive: true, filter: (path) => !/\.cjs\.\d+$/.test(path) });
}

/** The folder of the build that runs now. */
export function currentBuild(dist: string): string {
  return join(dist, readFileSync(join(dist, 'current'), 'utf8'));
}

export interface Ended {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartedProgram {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Starts the built program as a process of its own, with nothing of this process's environment. */
export function startProgram(argv: readonly string[], env: Record<string, string>, stdin?: string): StartedProgram {
  const [program, ...first] = programCommand;
  const child = spawn(program, [...first, ...argv], {
    env,
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(stdin);
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, ...texts }));
  });
  return { process: child, ended: ended.then(withoutSecret) };
}

/** Resolves when the program has written this to stderr. To be called before anybody waits for anything else. */
export async function written({ stderr }: ChildProcess, text: string): Promise<void> {
  let seen = '';
  await new Promise<void>((resolve) => {
    stderr?.on('data', (more: string) => {
      seen += more;
      if (seen.includes(text)) resolve();
    });
  });
}

/** Runs it to its end. */
export function runProgram(argv: readonly string[], env: Record<string, string>, stdin?: string): Promise<Ended> {
  return startProgram(argv, env, stdin).ended;
}

/** Runs a line of bash in which `$linkctl` is the program, for pipes and redirections. */
export async function runShell(line: string, env: Record<string, string>): Promise<Ended> {
  needs('bash');
  const child = spawn('bash', ['-c', line], {
    env: { ...env, linkctl: programCommand.join(' ') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (text) => {
    stdout += text;
  });
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  const [code, signal] = await once(child, 'close');
  return withoutSecret({ code, signal, stdout, stderr });
}

function withoutSecret(ended: Ended): Ended {
  expectNoSecret(ended.stdout + ended.stderr);
  return ended;
}
