import { withTimeout } from './timeout.ts';

/** Milliseconds for which a value is cached, that is, until a change by another process is visible. */
const ttl = 1000;

/** Milliseconds that a request waits for a newer value. */
const maxWait = 25;

/** About 20 MB of targets of links. */
const maxEntries = 50_000;

interface Entry<Value> {
  readonly value: Value;
  readonly readAt: number;
}

type Read<Value> = () => Promise<Value>;

/**
 * Caches what a visit needs, because reading it would take a third of its time. If reading fails or takes long, a value is older, because
 * an old destination is better than none.
 */
export class ReadCache<Value> {
  readonly #isKept: (value: Value) => boolean;
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #reading = new Map<string, Promise<Value>>();

  constructor(isKept: (value: Value) => boolean = () => true) {
    this.#isKept = isKept;
  }

  /** Returns the cached value or reads it. */
  async find(key: string, read: Read<Value>): Promise<Value> {
    const known = this.#entries.get(key);
    if (!known) return this.renewed(key, read);
    if (performance.now() < known.readAt + ttl) return known.value;
    return withTimeout(
      maxWait,
      this.renewed(key, read).catch(() => known.value),
      known.value,
    );
  }

  /** Reads the current value; concurrent callers share one read. */
  renewed(key: string, read: Read<Value>): Promise<Value> {
    const underWay = this.#reading.get(key);
    if (underWay) return underWay;
    const readAt = performance.now();
    const reading: Promise<Value> = read()
      .then((value) => {
        if (this.#reading.get(key) === reading) this.#keep(key, { value, readAt });
        return value;
      })
      .finally(() => {
        if (this.#reading.get(key) === reading) this.#reading.delete(key);
      });
    this.#reading.set(key, reading);
    return reading;
  }

  /** Also discards pending reads. */
  forget(keys: Iterable<string> = [...this.#entries.keys(), ...this.#reading.keys()]): void {
    for (const key of keys) {
      this.#entries.delete(key);
      this.#reading.delete(key);
    }
  }

  #keep(key: string, entry: Entry<Value>): void {
    // Reinserts the entry, so that the first ones are the oldest.
    this.#entries.delete(key);
    if (this.#isKept(entry.value)) this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > maxEntries && oldest !== undefined) this.#entries.delete(oldest);
  }
}
