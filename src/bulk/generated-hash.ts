/** Lower case, without what is mistaken for something else: no 0, o, 1, i, l. 31 symbols, 12 of them: 59 bits. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxyz';

const length = 12;

/** Bytes at and above it would favour the first symbols. */
const fairBound = 256 - (256 % alphabet.length);

/** A fresh custom hash for a row without one (RELIABILITY.md 1.2). */
export function generateHash(randomBytes: (count: number) => Uint8Array): string {
  let hash = '';
  while (hash.length < length) {
    for (const byte of randomBytes(16)) {
      if (byte < fairBound && hash.length < length) hash += alphabet[byte % alphabet.length];
    }
  }
  return hash;
}
