import { type ChildProcess, spawn } from 'node:child_process';
import { AuthError, messageOf } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { errorCode } from '../files/file-error.ts';

/** Half a second less than 10 s, so that the whole command ends within 10 s. */
const limitMilliseconds = 9_500;
const limitBytes = 64 * 1024;

/**
 * Runs without shell and stdin. stderr goes to the terminal only, for questions of a password manager, because it may contain the key. The
 * error names only the program: its arguments may be secrets. Throws `AuthError`.
 */
export async function outputOfKeyCommand(command: readonly string[], system: System): Promise<string> {
  const [program = '', ...argv] = command;
  const child = spawn(program, argv, {
    stdio: ['ignore', 'pipe', system.stderr.isTTY ? 'inherit' : 'ignore'],
    env: environmentOfChildren(system.env),
    windowsHide: true,
  });
  const finished = new AbortController();
  try {
    return await Promise.race([outputOf(child), timeOut(system, finished.signal)]);
  } catch (error) {
    throw failure(program, error);
  } finally {
    finished.abort();
    release(child);
  }
}

/** Removes our API key from the environment. */
function environmentOfChildren(env: System['env']): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.toUpperCase() !== 'LINKCTL_API_KEY'));
}

async function outputOf(child: ChildProcess): Promise<string> {
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`ended with ${signal ?? `exit code ${code}`}`)),
    );
  });
  // A failure to start is handled after the output was read.
  ended.catch(() => undefined);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limitBytes) throw new Error(`printed more than ${limitBytes / 1024} KiB`);
  }
  await ended;
  return Buffer.concat(chunks).toString('utf8');
}

async function timeOut(system: System, signal: AbortSignal): Promise<never> {
  await system.sleep(limitMilliseconds, signal);
  throw new Error(`did not finish within ${Math.ceil(limitMilliseconds / 1000)} s`);
}

/** Its own child processes may hold stdout open; we do not wait for them. */
function release(child: ChildProcess): void {
  child.kill('SIGKILL');
  child.stdout?.destroy();
  child.unref();
}

function failure(program: string, error: unknown): AuthError {
  const reasons: { readonly [code: string]: string } = { ENOENT: 'was not found', EACCES: 'is not executable' };
  const reason = reasons[errorCode(error) ?? ''] ?? messageOf(error);
  return new AuthError(`api_key_command: ${program} ${reason}`, {
    hint: 'run the command manually; it must print only the key on stdout',
  });
}
