import type { RunInput, RunRow } from './run-plan.ts';
import type { Stop } from './sending/stop.ts';

/** Rows that are told together when they are lost. */
const lostTogether = 1000;

/**
 * Every row of the input once, whatever happens (R-X9). Where rows cannot be read any more the run stops, and they are told
 * without their values.
 */
export async function* everyRow({ open, rows }: RunInput, stop: Stop): AsyncGenerator<readonly RunRow[]> {
  let read = 0;
  try {
    for await (const some of open()) {
      read += some.length;
      yield some;
    }
  } catch (error) {
    stop.because(error);
  }
  for (; read < rows; read += lostTogether) {
    yield Array.from({ length: Math.min(lostTogether, rows - read) }, () => ({ line: undefined, item: {} }));
  }
}

/** F65: a run whose file is another one meanwhile could not be gone on with, so nothing more is sent. */
export async function stopWhenChanged({ change }: RunInput, stop: Stop): Promise<void> {
  const error = stop.reason ? undefined : await change?.();
  if (error) stop.because(error);
}
