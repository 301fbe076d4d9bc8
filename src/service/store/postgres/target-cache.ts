import type { Retargeted } from '../rows/account-store.ts';
import type { StoredDomain, Target } from '../store.ts';
import { withTimeout } from '../timeout.ts';

/** Milliseconds for which a target is cached, that is, until an edit by another process is visible. */
const ttl = 1000;

/** Milliseconds that a visitor of a known link waits for a newer target. */
const maxWait = 25;

/** About 20 MB of targets. */
const maxEntries = 50_000;

interface Entry {
  readonly target: Target;
  readonly readAt: number;
}

/** Caches the targets of links. Unknown links are not cached, because they may have just been created. */
export class TargetCache {
  readonly #entries = new Map<string, Entry>();
  readonly #reading = new Map<string, Promise<Target | undefined>>();

  /**
   * Returns the cached target or reads it. If reading fails or takes long, returns the expired target, because an old destination is better
   * than none. Targets with a click limit are never cached, since every click changes them.
   */
  async find(domain: StoredDomain, hash: string, read: () => Promise<Target | undefined>): Promise<Target | undefined> {
    const key = `${domain.id}/${hash}`;
    const known = this.#entries.get(key);
    if (!known) return this.#read(key, read);
    if (known.readAt > performance.now() - ttl) return known.target;
    return withTimeout(
      maxWait,
      this.#read(key, read).catch(() => known.target),
      known.target,
    );
  }

  /** Call after an edit or deletion by this process. Also discards pending reads. */
  invalidate(retargeted: Retargeted): void {
    if (retargeted === 'none') return;
    if (retargeted === 'any') {
      this.#entries.clear();
      this.#reading.clear();
      return;
    }
    for (const hash of retargeted.hashes) {
      this.#entries.delete(`${retargeted.domain.id}/${hash}`);
      this.#reading.delete(`${retargeted.domain.id}/${hash}`);
    }
  }

  /** Concurrent visits of a link share one read. */
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
    // Reinserts the entry, so that the first ones are the oldest.
    this.#entries.delete(key);
    if (target?.maxClicks === 0) this.#entries.set(key, { target, readAt });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > maxEntries && oldest !== undefined) this.#entries.delete(oldest);
  }
}
