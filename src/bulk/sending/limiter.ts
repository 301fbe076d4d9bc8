/** Limits how many batches are in flight; the limit follows what the server can take. */
export interface Limiter {
  /** Resolves when a place is free, with a function that frees it. Calling that again does nothing. */
  enter(): Promise<() => void>;
  readonly limit: number;
  /** The server asks to slow down. */
  throttled(): void;
  succeeded(): void;
}

/** Successes in a row after which one more is let in. */
const successesPerStep = 10;

/** Halves when the server asks to slow down, at least to 1, and grows by one after ten successes, to `maximum` at most. */
export function createLimiter(maximum: number): Limiter {
  let limit = maximum;
  let inside = 0;
  let successes = 0;
  const waiting: (() => void)[] = [];

  function admit(): void {
    while (inside < limit) {
      const next = waiting.shift();
      if (!next) return;
      inside += 1;
      next();
    }
  }

  return {
    get limit() {
      return limit;
    },
    async enter() {
      const admitted = new Promise<void>((resolve) => waiting.push(resolve));
      admit();
      await admitted;
      let isInside = true;
      return () => {
        if (!isInside) return;
        isInside = false;
        inside -= 1;
        admit();
      };
    },
    throttled() {
      limit = Math.max(1, Math.floor(limit / 2));
      successes = 0;
    },
    succeeded() {
      successes += 1;
      if (successes < successesPerStep || limit >= maximum) return;
      successes = 0;
      limit += 1;
      admit();
    },
  };
}

/**
 * Keeps two batches with a name in common from being under way at once: a long URL is never in two open batches (R 1.2). First
 * come, first served.
 */
export interface KeyedMutex {
  /** Resolves when none of the names is held, with a function that releases them. */
  hold(names: readonly string[]): Promise<() => void>;
}

export function createKeyedMutex(): KeyedMutex {
  const holders = new Map<string, Promise<void>>();
  return {
    async hold(names) {
      const own = new Set(names);
      const before = [...own].flatMap((name) => holders.get(name) ?? []);
      let free = (): void => {};
      const held = new Promise<void>((resolve) => {
        free = resolve;
      });
      for (const name of own) holders.set(name, held);
      await Promise.all(new Set(before));
      return () => {
        for (const name of own) if (holders.get(name) === held) holders.delete(name);
        free();
      };
    },
  };
}
