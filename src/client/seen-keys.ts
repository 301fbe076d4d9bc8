/**
 * Which keys were met before, in about 16 bytes a key: millions of rows are paged through with flat objects only. Two keys are
 * confused with a chance of one in a million at five million keys.
 */
export class SeenKeys {
  #high = new Uint32Array(1024);
  #low = new Uint32Array(1024);
  #size = 0;

  /** Whether the key is new; it is known from then on. */
  add(key: string): boolean {
    const [high, low] = fingerprint(key);
    if (!this.#insert(high, low)) return false;
    this.#size += 1;
    if (this.#size * 4 > this.#low.length * 3) this.#grow();
    return true;
  }

  #insert(high: number, low: number): boolean {
    const mask = this.#low.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const [takenHigh, takenLow] = [this.#high[slot] as number, this.#low[slot] as number];
      if (takenLow === 0) {
        this.#high[slot] = high;
        this.#low[slot] = low;
        return true;
      }
      if (takenLow === low && takenHigh === high) return false;
    }
  }

  #grow(): void {
    const [highs, lows] = [this.#high, this.#low];
    this.#high = new Uint32Array(highs.length * 2);
    this.#low = new Uint32Array(lows.length * 2);
    for (let i = 0; i < lows.length; i += 1) {
      if (lows[i] !== 0) this.#insert(highs[i] as number, lows[i] as number);
    }
  }
}

/** 64 bits in two halves (cyrb53's mixing); the lower half is never 0, which marks an empty slot. */
function fingerprint(key: string): [high: number, low: number] {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < key.length; i += 1) {
    const code = key.charCodeAt(i);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return [high >>> 0, low >>> 0 || 1];
}
