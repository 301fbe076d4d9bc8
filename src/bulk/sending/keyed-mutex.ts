/**
 * Keeps two batches with a name in common from being under way at once: a long URL is never in two open batches. First
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
