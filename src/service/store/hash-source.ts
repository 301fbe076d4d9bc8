import type { StoredDomain } from './store.ts';

/** Characters of generated hashes, without those that are easily confused. */
const alphabet = '23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ';

/** Hashes of a random domain: 56 to the 6th is 30 thousand millions. */
const randomLength = 6;

/** Bytes asked for at a time: 170 hashes. */
const poolSize = 170 * randomLength;

/** Candidates for one batch; the caller takes the next one when a candidate is in use. */
export interface HashSource {
  next(): string;
  /** The place of an incremental domain, to be stored with the batch. */
  readonly sequence: number;
}

export function hashSource(domain: StoredDomain, sequence: number, random: (size: number) => Uint8Array): HashSource {
  return domain.hashGeneration === 'incremental' ? incrementalSource(sequence) : randomSource(sequence, random);
}

function incrementalSource(start: number): HashSource {
  let sequence = start;
  return {
    next() {
      return encode(sequence++);
    },
    get sequence() {
      return sequence;
    },
  };
}

/** Bijective: every number has one hash and every string over the alphabet one number. */
function encode(sequence: number): string {
  let hash = '';
  for (let rest = sequence + 1; rest > 0; rest = Math.floor((rest - 1) / alphabet.length)) {
    hash = alphabet.charAt((rest - 1) % alphabet.length) + hash;
  }
  return hash;
}

function randomSource(sequence: number, random: (size: number) => Uint8Array): HashSource {
  let pool: Uint8Array = new Uint8Array();
  let used = 0;
  const nextSymbol = (): string => {
    for (;;) {
      if (used === pool.length) {
        pool = random(poolSize);
        used = 0;
      }
      const byte = pool[used++] ?? 0;
      // Bytes above the last whole multiple would favour the first symbols.
      if (byte < 256 - (256 % alphabet.length)) return alphabet.charAt(byte % alphabet.length);
    }
  };
  return { next: () => Array.from({ length: randomLength }, nextSymbol).join(''), sequence };
}
