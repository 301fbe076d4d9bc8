import { type Fingerprint, fingerprintOf } from './fingerprint.ts';

/** In keys: more than most commands have, and than a page of a listing. */
const condensedAbove = 1000;

/** Remembers texts. A few are kept as they are: to compute fingerprints takes code that has just started longer than to print the rows. */
export class SeenKeys {
  readonly #few = new Set<string>();
  readonly #onlyNewest: boolean;
  #many: ManyKeys | undefined;

  /** `onlyNewest`: forgets keys after 98,304 others, so that the memory is bounded. */
  constructor({ onlyNewest = false } = {}) {
    this.#onlyNewest = onlyNewest;
  }

  has(key: string): boolean {
    return this.#many?.has(key) ?? this.#few.has(key);
  }

  /** Returns true if the key is new. */
  add(key: string): boolean {
    if (this.#many) return this.#many.add(key);
    if (this.#few.has(key)) return false;
    this.#few.add(key);
    if (this.#few.size > condensedAbove) this.#condense();
    return true;
  }

  #condense(): void {
    this.#many = new ManyKeys(this.#onlyNewest);
    for (const key of this.#few) this.#many.add(key);
    this.#few.clear();
  }
}

/**
 * Needs about 8 bytes per key, so millions of rows fit in memory. With five million keys, the chance to mistake a new key for a known one
 * is one in a million. Full tables are kept and another one is added, so nothing is copied.
 */
class ManyKeys {
  readonly #full: Table[] = [];
  readonly #onlyNewest: boolean;
  #open = createTable(firstSlots);
  #size = 0;

  constructor(onlyNewest: boolean) {
    this.#onlyNewest = onlyNewest;
  }

  has(key: string): boolean {
    const fingerprint = fingerprintOf(key);
    return [...this.#full, this.#open].some((table) => table.low[slotOf(table, fingerprint)] !== 0);
  }

  add(key: string): boolean {
    const fingerprint = fingerprintOf(key);
    for (const table of this.#full) {
      if (table.low[slotOf(table, fingerprint)] !== 0) return false;
    }
    const { low, high } = this.#open;
    const slot = slotOf(this.#open, fingerprint);
    if (low[slot] !== 0) return false;
    low[slot] = filled(fingerprint.low);
    high[slot] = fingerprint.high >>> 16;
    this.#size += 1;
    if (this.#size * 4 > low.length * 3) this.#begin();
    return true;
  }

  #begin(): void {
    const slots = this.#open.low.length;
    if (this.#onlyNewest && slots === newestSlots) this.#full.length = 0;
    this.#full.push(this.#open);
    this.#open = createTable(Math.min(slots * 4, this.#onlyNewest ? newestSlots : maxSlots));
    this.#size = 0;
  }
}

/** Stores 48 bits of each fingerprint; the other 16 determine the first slot. */
interface Table {
  readonly low: Uint32Array;
  readonly high: Uint16Array;
}

/** The first table has 24 KiB, the largest have 6 MiB; with `onlyNewest`, 768 KiB. */
const firstSlots = 2 ** 12;
const newestSlots = 2 ** 17;
const maxSlots = 2 ** 20;

function createTable(slots: number): Table {
  return { low: new Uint32Array(slots), high: new Uint16Array(slots) };
}

/** 0 marks an empty slot. */
function filled(low: number): number {
  return low || 1;
}

/** Returns the slot of the fingerprint or the empty slot for it. */
function slotOf(table: Table, { high, low }: Fingerprint): number {
  const mask = table.low.length - 1;
  const upper = high >>> 16;
  const wanted = filled(low);
  let slot = high & mask;
  for (let taken = table.low[slot]; taken !== 0; taken = table.low[slot]) {
    if (taken === wanted && table.high[slot] === upper) return slot;
    slot = (slot + 1) & mask;
  }
  return slot;
}
