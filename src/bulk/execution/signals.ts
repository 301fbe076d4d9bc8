import type { Execution } from './execution.ts';

/** Milliseconds that calls under way are given after a signal. */
const grace = 10_000;

/** Waits for the first signal: nothing new is started, and after a grace what is under way is given up. */
export function stopOnSignal({
  interrupt,
  system,
  stop,
  begun,
  abort,
}: Pick<Execution, 'interrupt' | 'system' | 'stop' | 'begun' | 'abort'>): () => void {
  if (!interrupt) return () => {};
  const finished = new AbortController();
  const interrupted = (): void => {
    stop.request({ kind: 'signal' });
    begun.journal.write({ type: 'signal', at: new Date(system.now()).toISOString() }).catch(() => undefined);
    system.sleep(grace, finished.signal).then(abort, () => undefined);
  };
  if (interrupt.aborted) interrupted();
  else interrupt.addEventListener('abort', interrupted, { once: true });
  return () => {
    interrupt.removeEventListener('abort', interrupted);
    finished.abort();
  };
}
