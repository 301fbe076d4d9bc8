import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { TestRunner } from 'vitest';

/**
 * Programs that a machine with Node need not have. A test that needs one of them says so here, alone, and is skipped where it is
 * missing (D57): `skipped.ts` names it at the end. Where `CI` is set nothing may be missing, and the test fails.
 */
export type Tool =
  | 'bash'
  | 'bash-completion'
  | 'caddy'
  | 'chromium'
  | 'curl'
  | 'fish'
  | 'flock'
  | 'groff'
  | 'lintian'
  | 'nginx'
  | 'pgbouncer'
  | 'postgresql'
  | 'promtool'
  | 'ps'
  | 'python3'
  | 'strace'
  | 'systemd-analyze'
  | 'zsh';

/** To be called in a test, or by what it calls. Throws to leave the test. */
export function needs(...tools: readonly Tool[]): void {
  const missing = tools.filter((tool) => !isThere(tool));
  if (missing.length > 0) leave(`${missing.join(', ')} not installed`);
}

/** The same for what the machine itself does not allow. */
export function leave(reason: string): void {
  if (process.env.CI) throw new Error(`${reason}, and where CI is set no test is skipped`);
  TestRunner.getCurrentTest()?.context.skip(reason);
  throw new Error(`${reason}, and no test is under way that could be skipped`);
}

function isThere(tool: Tool): boolean {
  if (tool === 'postgresql') return postgresFolder() !== undefined;
  if (tool === 'bash-completion') return existsSync('/usr/share/bash-completion/bash_completion');
  return programIn(tool) !== undefined;
}

/** Where the programs of the database server are; Debian has those of each version in a folder of its own, not on the path. */
export function postgresFolder(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...(process.env.PATH ?? '').split(delimiter)];
  return folders.find((folder) => isProgram(join(folder, 'initdb')) && isProgram(join(folder, 'postgres')));
}

/** Servers may be where only root looks for programs. */
export function programIn(tool: Tool): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, tool)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
