import { InterruptedError } from '../base/errors.ts';
import type { EndingSignal } from '../base/system.ts';
import type { Invocation } from './invocation.ts';

/** A signal or the end of `--max-time` lets the batches in flight finish. A second signal does not wait. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** Called with the first row of the run of this name. Before it nothing was sent, so an earlier signal ends the command at once. */
  listen(run: string): void;
  /** Returns the received signal, if any. */
  caught(): EndingSignal | undefined;
}

/** `parts` names the work in flight in messages. */
export function interruptible(
  { listenForSignals, deadline, streams, system }: Invocation,
  parts: 'batches' | 'requests',
): Interruption {
  const controller = new AbortController();
  const stop = (why: string, end: string): void => {
    controller.abort();
    void streams.messageNow(`${why}: waiting for the ${parts} in progress; ${end} stops immediately`);
  };
  let caught: EndingSignal | undefined;
  const listen = (run: string): void => {
    listenForSignals((signal) => {
      if (controller.signal.aborted) {
        // Not awaited: a reader that is blocked must not keep the process alive.
        void streams.messageNow(resumptionText(run));
        return system.dieOf(signal);
      }
      caught = signal;
      streams.hurry(new InterruptedError(signal));
      stop('interrupted', 'a second signal (Ctrl-C)');
    });
    const over = (): void => stop('--max-time reached', 'a signal');
    if (deadline.signal?.aborted) over();
    else deadline.signal?.addEventListener('abort', over, { once: true });
  };
  return { signal: controller.signal, listen, caught: () => caught };
}

export function resumptionText(run: string): string {
  return `to resume run ${run}, run the same command again`;
}
