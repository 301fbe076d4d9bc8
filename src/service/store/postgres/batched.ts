import { setImmediate as turn } from 'node:timers/promises';

/** Combines the reads of one turn of the event loop. `readAll` returns a value for each key. */
export function batched<Key, Value>(readAll: (keys: readonly Key[]) => Promise<readonly Value[]>): (key: Key) => Promise<Value> {
  let next: { readonly keys: Key[]; readonly values: Promise<readonly Value[]> } | undefined;
  const begin = () => {
    const keys: Key[] = [];
    const values = turn().then(() => {
      next = undefined;
      return readAll(keys);
    });
    return { keys, values };
  };
  return async (key) => {
    next ??= begin();
    const position = next.keys.push(key) - 1;
    return (await next.values)[position] as Value;
  };
}
