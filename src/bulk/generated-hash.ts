/** Lower case, without what is mistaken for something else: no 0, o, 1, i, l. 31 symbols, 12 of them: 59 bits. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxyz';

const length = 12;

/** Bytes at and above it would favour the first symbols. */
const fairBound = 256 - (256 % alphabet.length);

/** Random bytes that are fetched together: asking for few at a time costs more than all the rest of a row. */
const poolBytes = 4096;

/** Makes custom hashes for rows without one (RELIABILITY.md 1.2). */
export function hashGenerator(randomBytes: (count: number) => Uint8Array): () => string {
  let pool: Uint8Array = new Uint8Array();
  let next = 0;
  const symbol = (): string => {
    for (;;) {
      if (next === pool.length) {
        pool = randomBytes(poolBytes);
        next = 0;
      }
      const byte = pool[next] ?? fairBound;
      next += 1;
      if (byte < fairBound) return alphabet[byte % alphabet.length] ?? '';
    }
  };
  return () => {
    let hash = '';
    while (hash.length < length) hash += symbol();
    return hash;
  };
}
