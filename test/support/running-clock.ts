/** Milliseconds by which each look at the clock is later than the one before. */
const step = 7;

/**
 * A clock that runs: whoever looks at it twice sees two times, as in the world, and a busy machine changes nothing. One that stood still would
 * hide that something reads the time twice and takes both for the same.
 */
export function runningClock(start: number): () => number {
  let time = start - step;
  return () => {
    time += step;
    return time;
  };
}
