import { fingerprintOf } from '../base/fingerprint.ts';

/** Texts that may occur more than once. */
export interface DuplicateCandidates {
  /** How many there are. */
  readonly count: number;
  has(text: string): boolean;
}

/**
 * Finds which of millions of texts may occur more than once, at 8 bytes per text: it keeps a fingerprint of each and sorts these at
 * the end. All other texts occur once. A candidate must be compared in full: of 300 files of 5 million texts, one has a candidate by
 * chance. A hash table would be slower: each look-up waits for memory, longer than the rest of a row takes.
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
    this.#open[this.#count] = printOf(text);
    this.#count += 1;
  }

  /** Call it once, after the last `add`. It sorts in place, because a copy would take as much memory again. */
  candidates(): DuplicateCandidates {
    const parts = [...this.#full.splice(0), this.#open.subarray(0, this.#count)].map((part) => part.sort());
    this.#open = new Float64Array(0);
    this.#count = 0;
    const twice = new Set<number>();
    let last = -1;
    for (const print of merged(parts)) {
      if (print === last) twice.add(print);
      last = print;
    }
    return { count: twice.size, has: (text) => twice.size > 0 && twice.has(printOf(text)) };
  }
}

/** The numbers of several sorted lists as one sorted list. */
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

// 32 KiB are enough for most files; after them 8 MiB at a time, so that not many lists are merged.
const firstLength = 2 ** 12;
const furtherLength = 2 ** 20;

/** 52 bits, as a whole number. */
function printOf(text: string): number {
  const { low, high } = fingerprintOf(text);
  return (high >>> 12) * 2 ** 32 + low;
}
