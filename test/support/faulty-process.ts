import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { buildChild } from './child-program.ts';
import type { FaultyOptions, FaultyServer, LoggedRequest } from './faulty-server.ts';
import type { Step } from './faulty-steps.ts';
import type { Manners } from './manners.ts';

/** One process with as many faulty servers as are wanted. */
export interface FaultyHost {
  start(options?: FaultyOptions): Promise<FaultyServer>;
  /** Ends the process and all of its servers. */
  close(): Promise<void>;
}

/** Starts a process for `startFaultyServer`, so that its servers neither share a clock nor a fate with the program under test. */
export async function startFaultyHost(): Promise<FaultyHost> {
  const program = await buildChild(new URL('faulty-child.ts', import.meta.url).pathname);
  const child = program.start([]);
  if (!child.stdout || !child.stderr) throw new Error('the faulty servers have no streams');
  child.stderr.pipe(process.stderr, { end: false });
  const [control] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    start: (options = {}) => startIn(control, options),
    async close() {
      const gone = once(child, 'close');
      child.kill();
      await gone;
      program.remove();
    },
  };
}

/** `startFaultyServer` in a process of its own. */
export async function startFaultyProcess(options: FaultyOptions = {}): Promise<FaultyServer> {
  const host = await startFaultyHost();
  return { ...(await host.start(options)), close: host.close, [Symbol.asyncDispose]: host.close };
}

async function startIn(control: string, options: FaultyOptions): Promise<FaultyServer> {
  const started = await fetch(control, { method: 'POST', body: JSON.stringify(options) });
  const { path, ...addresses } = (await started.json()) as Pick<FaultyServer, 'origin' | 'baseUrl' | 'sideDoor'> & {
    path: string;
  };
  const close = async (): Promise<void> => {
    await fetch(control + path, { method: 'DELETE' });
  };
  return {
    ...addresses,
    behave: async (manners: Manners) => {
      await fetch(control + path, { method: 'PUT', body: JSON.stringify(manners) });
    },
    script: async (steps: readonly Step[]) => {
      await fetch(control + path, { method: 'POST', body: JSON.stringify(steps) });
    },
    requests: async () => (await (await fetch(control + path)).json()) as LoggedRequest[],
    held: async (count = 1) => {
      await fetch(`${control}${path}/${count}`, { method: 'HEAD' });
    },
    release: async (count?: number) => {
      await fetch(`${control}${path}/${count ?? ''}`, { method: 'PATCH' });
    },
    catchUp: async () => {
      throw new Error('only a server of this process has a listing that lags without end');
    },
    settled: async ({ late = false } = {}) => {
      await fetch(`${control}${path}/${late ? 'late' : 'read'}`);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
