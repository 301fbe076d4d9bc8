/** Texts that may be there more than once. */
export interface DuplicateCandidates {
  /** How many there are. */
  readonly count: number;
  has(text: string): boolean;
}

/**
 * Tells which of millions of texts may be there more than once, at 8 bytes a text: each leaves a fingerprint, and these are sorted
 * in the end. What is not suspected is there once; what is has to be looked at again, wrongly in one of 300 files of 5 million
 * texts. Looking each up in a table as it comes would wait for memory every time, for longer than the rest of a row takes.
 */
export class DuplicateCandidateSearch {
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

  /** Of all that were added; nothing more can be. Sorted where they are, as a copy would take as much memory again. */
  candidates(): DuplicateCandidates {
    const parts = [...this.#full.splice(0), this.#open.subarray(0, this.#count)].map((part) => part.sort());
    this.#open = new Float64Array(0);
    this.#count = 0;
    const twice = new Set<number>();
    let last = -1;
    for (const fingerprint of merged(parts)) {
      if (fingerprint === last) twice.add(fingerprint);
      last = fingerprint;
    }
    return { count: twice.size, has: (text) => twice.size > 0 && twice.has(fingerprintOf(text)) };
  }
}

/** The numbers of several sorted lists in their order. */
function* merged(lists: readonly Float64Array[]): Generator<number> {
  const places = lists.map(() => 0);
  for (;;) {
    let least = Number.POSITIVE_INFINITY;
    let from = -1;
    for (let index = 0; index < lists.length; index += 1) {
      const number = lists[index]?.[places[index] ?? 0];
      if (number === undefined || number >= least) continue;
      least = number;
      from = index;
    }
    if (from === -1) return;
    places[from] = (places[from] ?? 0) + 1;
    yield least;
  }
}

// 32 KiB are enough for most files; after them 8 MiB at a time, so that few lists are merged.
const firstLength = 2 ** 12;
const furtherLength = 2 ** 20;

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
