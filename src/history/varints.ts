/** Numbers and texts one after the other, as small as they are. Numbers are integers up to 2^53. */
export class ByteWriter {
  #bytes = Buffer.alloc(4096);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** A number of at least 0: LEB128. */
  number(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** A number of either sign: zigzag. */
  difference(value: number): void {
    this.number(value < 0 ? -2 * value - 1 : 2 * value);
  }

  text(value: string): void {
    const size = Buffer.byteLength(value);
    this.number(size);
    this.#reserve(size);
    this.#length += this.#bytes.write(value, this.#length);
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  append(other: ByteWriter): void {
    this.#reserve(other.length);
    other.bytes().copy(this.#bytes, this.#length);
    this.#length += other.length;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#length + count));
    this.bytes().copy(larger);
    this.#bytes = larger;
  }
}

/** Reads what a `ByteWriter` wrote. Throws a RangeError where nothing is left. */
export class ByteReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  number(): number {
    const first = this.#byte();
    if (first < 128) return first;
    let value = first & 127;
    for (let scale = 128; ; scale *= 128) {
      const byte = this.#byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  difference(): number {
    const value = this.number();
    // Whole numbers of 32 bits are no garbage.
    if (value < 2 ** 31) return (value >>> 1) ^ -(value & 1);
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  text(): string {
    const size = this.number();
    const end = this.#position + size;
    if (end > this.#bytes.length) throw new RangeError('a text is cut off');
    const value = this.#bytes.toString('utf8', this.#position, end);
    this.#position = end;
    return value;
  }

  #byte(): number {
    const byte = this.#bytes[this.#position++];
    if (byte === undefined) throw new RangeError('a number is cut off');
    return byte;
  }
}
