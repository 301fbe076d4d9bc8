import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from 'esbuild';
import { cacheLabels } from '../../src/completion/label-storage.ts';
import { createTestSystem } from '../support/test-system.ts';
import { needs, type Tool } from '../support/tools.ts';

/** A label that would make a file if a shell ran it. */
export const hostileTag = '$(touch pwned)';

/** A home with the program in its path, two profiles, and what their servers listed lately. */
export interface ShellHome {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  write(path: string, text: string): Promise<void>;
  /** Types lines into a shell on a terminal, Enter after each, and answers with the words that `linkctl` got of every line. */
  typeInto(shell: readonly [Tool, ...string[]], lines: readonly string[]): Promise<string[][]>;
  /** What is in the home that was not put there. */
  has(path: string): boolean;
  remove(): Promise<void>;
}

/** For tests to use and to remove; the program is built anew, a second's work. */
export async function makeShellHome(): Promise<ShellHome> {
  const folder = await mkdtemp(join(tmpdir(), 'linkctl-shell-'));
  const env = {
    HOME: folder,
    ZDOTDIR: folder,
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    LANG: 'C.UTF-8',
    TERM: 'xterm',
  };
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  await buildProgram(join(folder, 'program'));
  await write('bin/linkctl', recorder);
  await chmod(join(folder, 'bin', 'linkctl'), 0o755);
  await write('.config/linkctl/config.json', JSON.stringify({ current_profile: 'work', profiles: { work: {}, hobby: {} } }));
  const system = createTestSystem({ env });
  cacheLabels('tags', [hostileTag, 'a:b=c', "it's here", 'promo', '例え'], { profile: 'work', system });
  cacheLabels('domains', ['s.ex', 'go.example'], { profile: 'hobby', system });
  return {
    folder,
    env,
    write,
    typeInto: (shell, lines) => typeInto(shell, lines, folder, env),
    has: (path) => existsSync(join(folder, path)),
    // A shell whose terminal went away may still write its history.
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  };
}

/** Answers to TAB come from the real program; any other line is written down, its words in brackets. */
const recorder = `#!/bin/sh
case $1 in
  __complete | completion) exec node "$HOME/program/run.js" "$@" ;;
esac
{ for word; do printf '[%s]' "$word"; done; echo; } >> "$HOME/record"
`;

async function buildProgram(outdir: string): Promise<void> {
  await build({
    stdin: {
      contents: `import { main, processSystem } from './src/cli/main.ts';
        process.exitCode = await main(process.argv.slice(2), processSystem());`,
      resolveDir: join(import.meta.dirname, '..', '..'),
      sourcefile: 'run.ts',
    },
    entryNames: 'run',
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['@photostructure/sqlite'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  await writeFile(join(outdir, 'package.json'), '{"type":"module"}');
}

async function typeInto(
  shell: readonly [Tool, ...string[]],
  lines: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<string[][]> {
  needs(shell[0], 'python3');
  const record = join(folder, 'record');
  await rm(record, { force: true });
  const terminal = spawn('python3', ['-c', 'import pty, sys; pty.spawn(sys.argv[1:])', ...shell], { cwd: folder, env });
  let shown = '';
  terminal.stdout.on('data', (chunk) => {
    shown += chunk;
  });
  try {
    await until(
      () => shown.includes('READY> '),
      terminal,
      () => shown,
    );
    for (const [index, line] of lines.entries()) {
      terminal.stdin.write(`${line}\r`);
      await until(
        () => recorded(record).length > index,
        terminal,
        () => shown,
      );
    }
    return recorded(record).map((line) => line.slice(1, -1).split(']['));
  } finally {
    terminal.kill('SIGKILL');
    terminal.stdin.destroy();
  }
}

function recorded(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}

async function until(holds: () => boolean, terminal: ChildProcess, shown: () => string): Promise<void> {
  for (const end = Date.now() + 100_000; !holds(); await delay(10)) {
    if (Date.now() > end || terminal.exitCode !== null) throw new Error(`the shell did not get there:\n${shown()}`);
  }
}
