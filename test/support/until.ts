import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds after which it will not come any more; less than a test has, so that the failure says what was missing. */
const patience = 100_000;

/** Waits for an event instead of a time, however busy the machine is. `what` completes the sentence of the failure. */
export async function until(condition: () => boolean | Promise<boolean>, what: string | (() => string)): Promise<void> {
  const end = performance.now() + patience;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not within ${patience / 1000} s: ${typeof what === 'string' ? what : what()}`);
    await delay(5);
  }
}
