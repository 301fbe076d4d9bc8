import type { StoredDomain } from './store.ts';

/** Excludes characters that are easily confused. */
const alphabet = '23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ';

/** 56^6 is about 30 billion hashes. */
const randomLength = 6;

/** Enough random bytes for 170 hashes. */
const poolSize = 170 * randomLength;

/** Generates candidates for one batch. The caller skips those in use. */
export interface HashSource {
  readonly next: () => string;
  /** The next number of an incremental domain, to be read before and stored with the batch. */
  sequence: number;
}

export function hashSource({ hashGeneration }: StoredDomain, random: (size: number) => Uint8Array): HashSource {
  const source: HashSource = {
    sequence: 0,
    next: hashGeneration === 'incremental' ? () => encoded(source.sequence++) : randomHashes(random),
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

function randomHashes(random: (size: number) => Uint8Array): () => string {
  let pool: Uint8Array = new Uint8Array();
  let used = 0;
  const nextSymbol = (): string => {
    for (;;) {
      if (used === pool.length) {
        pool = random(poolSize);
        used = 0;
      }
      const byte = pool[used++] ?? 0;
      // Rejects bytes above the last whole multiple, which would favour the first symbols.
      if (byte < 256 - (256 % alphabet.length)) return alphabet.charAt(byte % alphabet.length);
    }
  };
  return () => Array.from({ length: randomLength }, nextSymbol).join('');
}
