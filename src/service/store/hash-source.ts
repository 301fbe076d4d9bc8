import { randomHashes } from '../../contract/random-hashes.ts';
import type { StoredDomain } from './store.ts';

/** Excludes characters that are easily confused. */
const alphabet = '23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ';

/** 56^6 is about 30 billion hashes. */
const randomLength = 6;

/** Generates candidates for one batch. The caller skips those in use. */
export interface HashSource {
  readonly next: () => string;
  /** The next number of an incremental domain, to be read before and stored with the batch. */
  sequence: number;
}

export function hashSource({ hashGeneration }: StoredDomain, random: (size: number) => Uint8Array): HashSource {
  const source: HashSource = {
    sequence: 0,
    next: hashGeneration === 'incremental' ? () => encoded(source.sequence++) : randomHashes(alphabet, randomLength, random),
  };
  return source;
}

/** Bijective: each number has one hash, and each text of the alphabet one number. */
function encoded(sequence: number): string {
  let hash = '';
  for (let rest = sequence + 1; rest > 0; rest = Math.floor((rest - 1) / alphabet.length)) {
    hash = alphabet.charAt((rest - 1) % alphabet.length) + hash;
  }
  return hash;
}
