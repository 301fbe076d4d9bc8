/**
 * Tells which texts may have been seen before, at 4 bytes a text: tables of fingerprints. What it lets pass was never seen;
 * what it suspects has to be looked at again, wrongly in one of 50 files of 5 million texts.
 */
export class SuspectTables {
  readonly #full: Uint32Array[] = [];
  #open = new Uint32Array(firstSlots);
  #count = 0;

  /** Whether the text may have been seen; it has been, from now on. */
  suspects(text: string): boolean {
    let one = 0x811c9dc5;
    let other = 0x9747b28c;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      one = Math.imul(one ^ code, 0x01000193);
      other = Math.imul(other ^ code, 0x85ebca6b) + 0x2545f491;
    }
    const place = mixed(one);
    // An empty slot holds 0.
    const fingerprint = mixed(other) || 1;
    for (const table of this.#full) {
      if (table[slotOf(table, place, fingerprint)] === fingerprint) return true;
    }
    const slot = slotOf(this.#open, place, fingerprint);
    if (this.#open[slot] === fingerprint) return true;
    this.#open[slot] = fingerprint;
    this.#count += 1;
    if (this.#count > this.#open.length * 0.8) this.#begin();
    return false;
  }

  #begin(): void {
    this.#full.push(this.#open);
    this.#open = new Uint32Array(furtherSlots);
    this.#count = 0;
  }
}

// 16 KiB are enough for most files; after them 32 MiB, the same for 10,000 texts as for 6 million.
const firstSlots = 2 ** 12;
const furtherSlots = 2 ** 23;

/** Where the fingerprint is, or would be put. */
function slotOf(table: Uint32Array, place: number, fingerprint: number): number {
  const mask = table.length - 1;
  let slot = place & mask;
  for (let held = table[slot]; held !== 0 && held !== fingerprint; held = table[slot]) slot = (slot + 1) & mask;
  return slot;
}

/** The final mix of MurmurHash3, after which every bit depends on every other. */
function mixed(value: number): number {
  let mix = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
}
