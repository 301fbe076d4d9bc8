import type { StoredDomain, Target } from '../store.ts';
import { withinMoment } from '../timeout.ts';

/** Milliseconds for which a target is answered without asking: until an edit by another process is seen. */
const life = 1000;

/** Milliseconds that a visitor of a known link waits for a newer target. */
const patience = 25;

/** Targets kept: about 20 MB. */
const bound = 50_000;

interface Entry {
  readonly target: Target;
  readonly readAt: number;
}

/** Where links lead, as it was read. A link that is unknown is always asked for: it may just have been made. */
export class TargetCache {
  readonly #entries = new Map<string, Entry>();
  readonly #reading = new Map<string, Promise<Target | undefined>>();

  /**
   * The target, read by `read` unless it was in the last second. While it cannot be read, or takes long, the one that is known: an old
   * destination is better than none. One with a limit of clicks is never kept: it is another one after each click. What was read before this process
   * edited or deleted links does not count.
   */
  async find(domain: StoredDomain, hash: string, read: () => Promise<Target | undefined>): Promise<Target | undefined> {
    const key = `${domain.id}/${hash}`;
    const known = this.#entries.get(key);
    if (!known) return this.#read(key, read);
    if (known.readAt > performance.now() - life) return known.target;
    return withinMoment(
      patience,
      this.#read(key, read).catch(() => known.target),
      known.target,
    );
  }

  /** Links were edited or deleted by this process: these, or nobody knows which. What is being read of them is not kept either. */
  change(domain?: StoredDomain, hashes?: readonly string[]): void {
    if (!domain || !hashes) {
      this.#entries.clear();
      this.#reading.clear();
      return;
    }
    for (const hash of hashes) {
      this.#entries.delete(`${domain.id}/${hash}`);
      this.#reading.delete(`${domain.id}/${hash}`);
    }
  }

  /** Visits of one link at the same time ask once. */
  #read(key: string, read: () => Promise<Target | undefined>): Promise<Target | undefined> {
    const underWay = this.#reading.get(key);
    if (underWay) return underWay;
    const readAt = performance.now();
    const reading: Promise<Target | undefined> = read()
      .then((target) => {
        if (this.#reading.get(key) === reading) this.#keep(key, target, readAt);
        return target;
      })
      .finally(() => {
        if (this.#reading.get(key) === reading) this.#reading.delete(key);
      });
    this.#reading.set(key, reading);
    return reading;
  }

  #keep(key: string, target: Target | undefined, readAt: number): void {
    // At the end of the order again: the first ones are the oldest.
    this.#entries.delete(key);
    if (target?.maxClicks === 0) this.#entries.set(key, { target, readAt });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > bound && oldest !== undefined) this.#entries.delete(oldest);
  }
}
