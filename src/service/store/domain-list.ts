import type { StoredDomain } from './store.ts';
import { withinMoment } from './timeout.ts';

/** Milliseconds for which domains are kept: to read them for each visit would take a third of its time. */
const life = 1000;

/** Milliseconds that anybody waits for newer ones. */
const patience = 25;

/** The domains of the account, up to a second old, or older while they cannot be read. */
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
    if (performance.now() - this.#readAt < life) return known;
    return withinMoment(
      patience,
      this.renewed().catch(() => known),
      known,
    );
  }

  /** As they are now. */
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
