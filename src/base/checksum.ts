import { hash } from 'node:crypto';

/** In characters: what a command writes about one link. More is faster with Node's module, which takes some milliseconds to load. */
const nativeAbove = 4096;
let summed = 0;

/** Returns 16 hex digits of the SHA-256. */
export function checksum(text: string): string {
  summed += text.length;
  return (summed > nativeAbove ? hash('sha256', text) : sha256(text)).slice(0, 16);
}

/**
 * Returns the SHA-256 of a text in hex (FIPS 180-4). For a few short texts only: Node's own is many times as fast, but its module takes longer
 * to load than a kilobyte takes here. V8 interprets code that runs so seldom: it calls no functions, and sums are cut to 32 bits at once, because
 * a larger number would be an object.
 */
export function sha256(text: string): string {
  const blocks = padded(text);
  const words = new Int32Array(64);
  let state = initial;
  for (let position = 0; position < blocks.byteLength; position += 64) state = compressed(state, blocks, position, words);
  return state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Returns whole blocks of 64 bytes: the text, one bit, zeros, and the length in bits. */
function padded(text: string): DataView {
  const bytes = Buffer.from(text);
  const blocks = new Uint8Array(64 * Math.ceil((bytes.length + 9) / 64));
  blocks.set(bytes);
  blocks[bytes.length] = 0x80;
  const view = new DataView(blocks.buffer);
  view.setUint32(blocks.length - 4, 8 * bytes.length);
  return view;
}

type State = readonly [number, number, number, number, number, number, number, number];

/** `words` is overwritten: made once for all blocks of a text. */
function compressed(state: State, blocks: DataView, position: number, words: Int32Array): State {
  let [a, b, c, d, e, f, g, h] = state;
  for (let nth = 0; nth < 64; nth += 1) {
    let word: number;
    if (nth < 16) word = blocks.getInt32(position + 4 * nth);
    else {
      const one = words[nth - 15] as number;
      const two = words[nth - 2] as number;
      const early =
        ((words[nth - 16] as number) + (((one >>> 7) | (one << 25)) ^ ((one >>> 18) | (one << 14)) ^ (one >>> 3))) | 0;
      const late =
        ((words[nth - 7] as number) + (((two >>> 17) | (two << 15)) ^ ((two >>> 19) | (two << 13)) ^ (two >>> 10))) | 0;
      word = (early + late) | 0;
    }
    words[nth] = word;
    const mixed = (h + (((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7)))) | 0;
    const chosen = ((g ^ (e & (f ^ g))) + (constants[nth] as number)) | 0;
    const first = (((mixed + chosen) | 0) + word) | 0;
    const second =
      ((((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))) + ((a & (b | c)) | (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  const [s0, s1, s2, s3, s4, s5, s6, s7] = state;
  return [(s0 + a) | 0, (s1 + b) | 0, (s2 + c) | 0, (s3 + d) | 0, (s4 + e) | 0, (s5 + f) | 0, (s6 + g) | 0, (s7 + h) | 0];
}

/** The first 32 bits of the fractions of the square roots of the first eight primes, as signed numbers. */
const initial: State = [0x6a09e667, -0x4498517b, 0x3c6ef372, -0x5ab00ac6, 0x510e527f, -0x64fa9774, 0x1f83d9ab, 0x5be0cd19];

/** The same of the cube roots of the first 64 primes. */
const constants = [
  0x428a2f98, 0x71374491, -0x4a3f0431, -0x164a245b, 0x3956c25b, 0x59f111f1, -0x6dc07d5c, -0x54e3a12b, -0x27f85568, 0x12835b01,
  0x243185be, 0x550c7dc3, 0x72be5d74, -0x7f214e02, -0x6423f959, -0x3e640e8c, -0x1b64963f, -0x1041b87a, 0x0fc19dc6, 0x240ca1cc,
  0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, -0x67c1aeae, -0x57ce3993, -0x4ffcd838, -0x40a68039, -0x391ff40d, -0x2a586eb9,
  0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, -0x7e3d36d2, -0x6d8dd37b,
  -0x5d40175f, -0x57e599b5, -0x3db47490, -0x3893ae5d, -0x2e6d17e7, -0x2966f9dc, -0x0bf1ca7b, 0x106aa070, 0x19a4c116, 0x1e376c08,
  0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, -0x7b3787ec, -0x7338fdf8,
  -0x6f410006, -0x5baf9315, -0x41065c09, -0x398e870e,
];
