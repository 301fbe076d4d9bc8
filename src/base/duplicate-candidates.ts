import { integerPrint } from './fingerprint.ts';

export interface DuplicateCandidates {
  readonly count: number;
  has(text: string): boolean;
  /** Index of a candidate, or -1 if the text occurs once. */
  indexOf(text: string): number;
  occurrences(index: number): number;
}

/**
 * Finds candidates for duplicates among millions of texts in 8 bytes per text: it sorts fingerprints at the end. Candidates must be
 * compared in full, because fingerprints can collide. A hash table would be slower, because each look-up waits for memory.
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
    this.#open[this.#count] = integerPrint(text);
    this.#count += 1;
  }

  /** Call it once, after the last `add`. Sorts in place, because a copy would double the memory. */
  candidates(): DuplicateCandidates {
    const parts = [...this.#full.splice(0), this.#open.subarray(0, this.#count)].map((part) => part.sort());
    this.#open = new Float64Array(0);
    this.#count = 0;
    let count = 0;
    for (const _ of repeated(parts)) count += 1;
    const prints = new Float64Array(count);
    const occurrences = new Uint32Array(count);
    let place = 0;
    for (const [print, times] of repeated(parts)) {
      prints[place] = print;
      occurrences[place] = times;
      place += 1;
    }
    const indexOf = (text: string): number => (count === 0 ? -1 : indexIn(integerPrint(text), prints));
    return { count, has: (text) => indexOf(text) !== -1, indexOf, occurrences: (index) => occurrences[index] ?? 0 };
  }
}

/** Yields numbers that occur more than once in the sorted lists, with their number of occurrences. */
function* repeated(lists: readonly Float64Array[]): Generator<readonly [number: number, times: number]> {
  let last = -1;
  let times = 0;
  for (const number of merged(lists)) {
    if (number === last) {
      times += 1;
      continue;
    }
    if (times > 1) yield [last, times];
    last = number;
    times = 1;
  }
  if (times > 1) yield [last, times];
}

/** Binary search; -1 if the number is missing. */
function indexIn(number: number, sorted: Float64Array): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? 0) < number) from = middle + 1;
    else to = middle;
  }
  return sorted[from] === number ? from : -1;
}

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

// 32 KiB are enough for most files. Later parts have 8 MiB, so that few lists are merged.
const firstLength = 2 ** 12;
const furtherLength = 2 ** 20;
