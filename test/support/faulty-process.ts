import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { buildChild } from './child-program.ts';
import type { FaultyOptions, FaultyServer, LoggedRequest } from './faulty-server.ts';
import type { Step } from './faulty-steps.ts';

/** `startFaultyServer` in a process of its own, so that it neither shares a clock nor a fate with the program under test. */
export async function startFaultyProcess(options: FaultyOptions = {}): Promise<FaultyServer> {
  const program = await buildChild(new URL('faulty-child.ts', import.meta.url).pathname);
  const child = program.start([JSON.stringify(options)]);
  if (!child.stdout || !child.stderr) throw new Error('the faulty server has no streams');
  child.stderr.pipe(process.stderr, { end: false });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { origin, baseUrl, control } = JSON.parse(line) as { origin: string; baseUrl: string; control: string };
  const close = async (): Promise<void> => {
    const gone = once(child, 'close');
    child.kill();
    await gone;
    program.remove();
  };
  return {
    origin,
    baseUrl,
    script: async (steps: readonly Step[]) => {
      await fetch(control, { method: 'POST', body: JSON.stringify(steps) });
    },
    requests: async () => (await (await fetch(control)).json()) as LoggedRequest[],
    close,
    [Symbol.asyncDispose]: close,
  };
}
