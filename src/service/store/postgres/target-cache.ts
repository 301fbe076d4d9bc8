import type { StoredDomain, Target } from '../store.ts';

/** Milliseconds for which a target is answered without asking: until an edit by another process is seen. */
const life = 1000;

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
  #changedAt = Number.NEGATIVE_INFINITY;

  /**
   * The target, read by `read` unless it was in the last second and nothing was changed since by this process. While it cannot be read, the
   * one that is known: for S5 an old destination is better than none, but not for links whose clicks are limited.
   */
  async find(domain: StoredDomain, hash: string, read: () => Promise<Target | undefined>): Promise<Target | undefined> {
    const key = `${domain.id}/${hash}`;
    const known = this.#entries.get(key);
    if (known && known.readAt > Math.max(this.#changedAt, performance.now() - life)) return known.target;
    try {
      return await this.#read(key, read);
    } catch (error) {
      if (known && known.target.maxClicks === 0) return known.target;
      throw error;
    }
  }

  /** This process changed something: what was read before does not count any more. */
  change(): void {
    this.#changedAt = performance.now();
    this.#reading.clear();
  }

  /** Visits of one link at the same time ask once. */
  #read(key: string, read: () => Promise<Target | undefined>): Promise<Target | undefined> {
    const underWay = this.#reading.get(key);
    if (underWay) return underWay;
    const readAt = performance.now();
    const reading = read()
      .then((target) => {
        this.#keep(key, target, readAt);
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
    if (target) this.#entries.set(key, { target, readAt });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > bound && oldest !== undefined) this.#entries.delete(oldest);
  }
}
