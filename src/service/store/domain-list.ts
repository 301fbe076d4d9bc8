import type { StoredDomain } from './store.ts';
import { withTimeout } from './timeout.ts';

/** Milliseconds for which domains are cached, because reading them would take a third of the time of a visit. */
const ttl = 1000;

/** Milliseconds that a request waits for newer domains. */
const maxWait = 25;

/** A cache of the domains of the account that is up to a second old, or older while they cannot be read. */
export class DomainList {
  readonly #read: () => Promise<readonly StoredDomain[]>;
  #known: readonly StoredDomain[] | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<readonly StoredDomain[]> | undefined;

  constructor(read: () => Promise<readonly StoredDomain[]>) {
    this.#read = read;
  }

  async list(): Promise<readonly StoredDomain[]> {
    const known = this.#known;
    if (!known) return this.renewed();
    if (performance.now() - this.#readAt < ttl) return known;
    return withTimeout(
      maxWait,
      this.renewed().catch(() => known),
      known,
    );
  }

  /** Reads the current domains. */
  renewed(): Promise<readonly StoredDomain[]> {
    const started = performance.now();
    this.#reading ??= this.#read()
      .then((domains) => {
        [this.#known, this.#readAt] = [domains, started];
        return domains;
      })
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }
}
