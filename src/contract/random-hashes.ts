/** Random bytes are fetched for so many hashes: fetching a few at a time costs more than the rest of a row. */
const hashesAtOnce = 170;

/** Makes hashes of `length` random symbols. */
export function randomHashes(alphabet: string, length: number, randomBytes: (count: number) => Uint8Array): () => string {
  // Bytes from this value on are ignored, because they would favour the first symbols.
  const fairBound = 256 - (256 % alphabet.length);
  let pool: Uint8Array = new Uint8Array();
  let next = 0;
  const symbol = (): string => {
    for (;;) {
      if (next === pool.length) {
        pool = randomBytes(hashesAtOnce * length);
        next = 0;
      }
      const byte = pool[next++] ?? fairBound;
      if (byte < fairBound) return alphabet.charAt(byte % alphabet.length);
    }
  };
  return () => Array.from({ length }, symbol).join('');
}
