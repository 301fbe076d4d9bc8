/**
 * Returns the SHA-256 of a text in hex (FIPS 180-4). For a few short texts only: Node's own is many times as fast, but its module takes longer
 * to load than a kilobyte takes here. Rotations are written out because V8 interprets code that runs so seldom, and calls would be slow.
 */
export function sha256(text: string): string {
  const state = Int32Array.from(initial);
  const blocks = padded(text);
  const words = new Int32Array(64);
  for (let position = 0; position < blocks.length; position += 64) {
    for (let nth = 0; nth < 16; nth += 1) words[nth] = blocks.readInt32BE(position + 4 * nth);
    extend(words);
    compress(state, words);
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Returns whole blocks of 64 bytes: the text, one bit, zeros, and the length in bits. */
function padded(text: string): Buffer {
  const size = Buffer.byteLength(text);
  const blocks = Buffer.alloc(64 * Math.ceil((size + 9) / 64));
  blocks.write(text);
  blocks[size] = 0x80;
  blocks.writeUInt32BE(8 * size, blocks.length - 4);
  return blocks;
}

function extend(words: Int32Array): void {
  for (let nth = 16; nth < 64; nth += 1) {
    const one = words[nth - 15] as number;
    const two = words[nth - 2] as number;
    words[nth] =
      (words[nth - 16] as number) +
      (((one >>> 7) | (one << 25)) ^ ((one >>> 18) | (one << 14)) ^ (one >>> 3)) +
      (words[nth - 7] as number) +
      (((two >>> 17) | (two << 15)) ^ ((two >>> 19) | (two << 13)) ^ (two >>> 10));
  }
}

function compress(state: Int32Array, words: Int32Array): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let nth = 0; nth < 64; nth += 1) {
    const one =
      (h +
        (((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))) +
        ((e & f) ^ (~e & g)) +
        (constants[nth] as number) +
        (words[nth] as number)) |
      0;
    const two = (((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  for (const [nth, word] of [a, b, c, d, e, f, g, h].entries()) state[nth] = (state[nth] as number) + word;
}

/** The first 32 bits of the fractions of the square roots of the first eight primes. */
const initial = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

/** The same of the cube roots of the first 64 primes. */
const constants = Int32Array.of(
  0x428a2f98,
  0x71374491,
  0xb5c0fbcf,
  0xe9b5dba5,
  0x3956c25b,
  0x59f111f1,
  0x923f82a4,
  0xab1c5ed5,
  0xd807aa98,
  0x12835b01,
  0x243185be,
  0x550c7dc3,
  0x72be5d74,
  0x80deb1fe,
  0x9bdc06a7,
  0xc19bf174,
  0xe49b69c1,
  0xefbe4786,
  0x0fc19dc6,
  0x240ca1cc,
  0x2de92c6f,
  0x4a7484aa,
  0x5cb0a9dc,
  0x76f988da,
  0x983e5152,
  0xa831c66d,
  0xb00327c8,
  0xbf597fc7,
  0xc6e00bf3,
  0xd5a79147,
  0x06ca6351,
  0x14292967,
  0x27b70a85,
  0x2e1b2138,
  0x4d2c6dfc,
  0x53380d13,
  0x650a7354,
  0x766a0abb,
  0x81c2c92e,
  0x92722c85,
  0xa2bfe8a1,
  0xa81a664b,
  0xc24b8b70,
  0xc76c51a3,
  0xd192e819,
  0xd6990624,
  0xf40e3585,
  0x106aa070,
  0x19a4c116,
  0x1e376c08,
  0x2748774c,
  0x34b0bcb5,
  0x391c0cb3,
  0x4ed8aa4a,
  0x5b9cca4f,
  0x682e6ff3,
  0x748f82ee,
  0x78a5636f,
  0x84c87814,
  0x8cc70208,
  0x90befffa,
  0xa4506ceb,
  0xbef9a3f7,
  0xc67178f2,
);
