import { execFile } from 'node:child_process';
import { type Ended, programCommand } from './built-program.ts';
import { needs } from './tools.ts';

/** What the kernel answers instead of doing it: `{ calls: ['fsync'], answer: 'error=ENOSYS', path: '/home/ann' }`. */
export interface Injection {
  readonly calls: readonly string[];
  readonly answer: string;
  /** Only calls about this file or folder; all without it. */
  readonly path?: string;
}

/** Runs the built program on a system that answers some calls as another would. Linux and strace. */
export async function runInjected(argv: readonly string[], env: Record<string, string>, injection: Injection): Promise<Ended> {
  needs('strace');
  // A question mark: not every processor has every call.
  const calls = injection.calls.map((call) => `?${call}`).join();
  const flags = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', `inject=${calls}:${injection.answer}`];
  const place = injection.path === undefined ? [] : ['-P', injection.path];
  return await new Promise((resolve, reject) => {
    execFile('strace', [...flags, ...place, ...programCommand, ...argv], { env }, (error, stdout, stderr) => {
      if (error && typeof error.code !== 'number') reject(error);
      else resolve({ code: error ? Number(error.code) : 0, signal: null, stdout, stderr });
    });
  });
}
