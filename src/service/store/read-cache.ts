import { UnfinishedImport } from './store-options.ts';
import { withTimeout } from './timeout.ts';

/** Milliseconds for which a value is cached, that is, until a change by another process is visible. */
const ttl = 1000;

/** Milliseconds that a request waits for a newer value. A visit needs two, of its domain and its link, and waits less than 25 ms for both. */
const maxWait = 12;

/** Milliseconds after which a value is too old, unless the database does not answer. */
const maxAge = 3000;

/** Milliseconds in which a database answers. A visit reads twice. */
const patience = 500;

/** About 20 MB of targets of links. */
const maxEntries = 50_000;

interface Entry<Value> {
  readonly value: Value;
  readonly readAt: number;
}

interface Reading<Value> {
  readonly value: Promise<Value>;
  readonly since: number;
}

type Read<Value> = () => Promise<Value>;

/**
 * Caches what a visit needs, because reading it would take a third of its time. While the database does not answer, a value may be of any age,
 * because an old destination is better than none.
 */
export class ReadCache<Value> {
  readonly #isKept: (value: Value) => boolean;
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #reading = new Map<string, Reading<Value>>();
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(isKept: (value: Value) => boolean = () => true) {
    this.#isKept = isKept;
  }

  /** Returns the cached value or reads it. */
  async find(key: string, read: Read<Value>): Promise<Value> {
    const known = this.#entries.get(key);
    if (!known) return this.renewed(key, read);
    const now = performance.now();
    if (now < known.readAt + ttl) return known.value;
    const wait = now < known.readAt + maxAge || this.#isUnanswered(now) ? maxWait : patience;
    const underWay = this.#reading.get(key);
    // Others have waited for it in vain.
    if (underWay && now > underWay.since + wait) return known.value;
    return withTimeout(
      wait,
      this.renewed(key, read).catch(() => known.value),
      known.value,
    );
  }

  /** Reads the current value; concurrent callers share one read. */
  renewed(key: string, read: Read<Value>): Promise<Value> {
    const underWay = this.#reading.get(key);
    if (underWay) return underWay.value;
    const since = performance.now();
    const value: Promise<Value> = read()
      .then(
        (value) => {
          if (this.#reading.get(key) === reading) this.#keep(key, { value, readAt: since });
          return value;
        },
        (error: unknown) => {
          // The database answers, and this value may not be among those that come.
          if (error instanceof UnfinishedImport) this.#entries.delete(key);
          else this.#failedAt = performance.now();
          throw error;
        },
      )
      .finally(() => {
        if (this.#reading.get(key) === reading) this.#reading.delete(key);
      });
    const reading: Reading<Value> = { value, since };
    this.#reading.set(key, reading);
    return value;
  }

  #isUnanswered(now: number): boolean {
    const [earliest] = this.#reading.values();
    return now < this.#failedAt + ttl || (earliest !== undefined && now > earliest.since + patience);
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
