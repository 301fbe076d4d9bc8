/** Texts that may be there more than once. */
export interface Suspects {
  /** How many there are. */
  readonly count: number;
  has(text: string): boolean;
}

/**
 * Tells which of millions of texts may be there more than once, at 8 bytes a text: each leaves a fingerprint, and these are sorted
 * in the end. What is not suspected is there once; what is has to be looked at again, wrongly in one of 300 files of 5 million
 * texts. Looking each up in a table as it comes would wait for memory every time, for longer than the rest of a row takes.
 */
export class SuspectSearch {
  readonly #full: Float64Array[] = [];
  #open = new Float64Array(firstLength);
  #count = 0;

  add(text: string): void {
    if (this.#count === this.#open.length) {
      this.#full.push(this.#open);
      this.#open = new Float64Array(furtherLength);
      this.#count = 0;
    }
    this.#open[this.#count] = fingerprintOf(text);
    this.#count += 1;
  }

  /** Of all that were added. */
  suspects(): Suspects {
    const fingerprints = this.#sorted();
    const twice = new Set<number>();
    let last = -1;
    for (const fingerprint of fingerprints) {
      if (fingerprint === last) twice.add(fingerprint);
      last = fingerprint;
    }
    return { count: twice.size, has: (text) => twice.size > 0 && twice.has(fingerprintOf(text)) };
  }

  #sorted(): Float64Array {
    const parts = [...this.#full, this.#open.subarray(0, this.#count)];
    const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
    let offset = 0;
    for (const part of parts) {
      all.set(part, offset);
      offset += part.length;
    }
    return all.sort();
  }
}

// 32 KiB are enough for most files; after them 1 MiB at a time.
const firstLength = 2 ** 12;
const furtherLength = 2 ** 17;

/** 52 bits, as a whole number. */
function fingerprintOf(text: string): number {
  let one = 0x811c9dc5;
  let other = 0x9747b28c;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x85ebca6b) + 0x2545f491;
  }
  return (mixed(other) % 2 ** 20) * 2 ** 32 + mixed(one);
}

/** The final mix of MurmurHash3, after which every bit depends on every other. */
function mixed(value: number): number {
  let mix = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
}
