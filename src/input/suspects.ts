/**
 * Tells which texts may have been seen before, in the same memory for ten or ten million of them: a Bloom filter. What it
 * lets pass was never seen; what it suspects has to be looked at again.
 */
export class SuspectFilter {
  // 16 MiB: of 5 million texts one in 50,000 is suspected wrongly, of 20 million one in 100.
  readonly #bits = new Uint32Array(2 ** 22);

  /** Whether the text may have been seen; it has been, from now on. */
  suspects(text: string): boolean {
    let one = 0x811c9dc5;
    let other = 0x9747b28c;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      one = Math.imul(one ^ code, 0x01000193);
      other = Math.imul(other ^ code, 0x85ebca6b) + 0x2545f491;
    }
    return this.#mark(mixed(one), mixed(other));
  }

  /** All six bits lie in the 64 bytes that `block` chooses: one miss of the processor's cache for a text instead of six. */
  #mark(block: number, pattern: number): boolean {
    const start = (block & (this.#bits.length / wordsOfBlock - 1)) * wordsOfBlock;
    const step = (block >>> 23) | 1;
    let place = pattern;
    let seen = true;
    for (let probe = 0; probe < 6; probe += 1) {
      const word = start + ((place >>> 5) & (wordsOfBlock - 1));
      const bit = 1 << (place & 31);
      const before = this.#bits[word] ?? 0;
      if ((before & bit) === 0) {
        seen = false;
        this.#bits[word] = before | bit;
      }
      place = (place >>> 4) + Math.imul(step, probe + 1);
    }
    return seen;
  }
}

const wordsOfBlock = 16;

/** The final mix of MurmurHash3, after which every bit depends on every other. */
function mixed(value: number): number {
  let mix = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
}
