/**
 * Removes the sections of a 64-bit ELF program that are not loaded when it runs, as `strip` does, for any processor: the names of functions
 * are a seventh of Node. Loaded sections are at the beginning of the file and stay in place; the section table behind them is rewritten.
 */
export function stripped(program) {
  const start = Number(program.readBigUInt64LE(0x28));
  const [size, count, namesAt] = [0x3a, 0x3c, 0x3e].map((offset) => program.readUInt16LE(offset));
  const sections = Array.from({ length: count }, (_, nth) => {
    const header = Buffer.from(program.subarray(start + nth * size, start + (nth + 1) * size));
    const [flags, offset, length] = [0x08, 0x18, 0x20].map((place) => Number(header.readBigUInt64LE(place)));
    return { nth, header, type: header.readUInt32LE(4), isLoaded: (flags & 2) > 0, names: (flags & 0x40) > 0, offset, length };
  });
  const kept = sections.filter(({ nth, isLoaded }) => nth === 0 || nth === namesAt || isLoaded);
  // Type 8 sections (zero-initialized variables) have no bytes in the file.
  const ends = kept.map(({ isLoaded, type, offset, length }) => (isLoaded && type !== 8 ? offset + length : 0));
  const end = Math.max(...ends);
  const texts = sections[namesAt];
  texts.header.writeBigUInt64LE(BigInt(end), 0x18);
  const padding = Buffer.alloc(-(end + texts.length) & 7);
  const placeOf = (nth) =>
    Math.max(
      0,
      kept.findIndex((section) => section.nth === nth),
    );
  for (const { header, names } of kept) {
    // Sections refer to others by index: a table to its texts, and relocations to their targets.
    for (const link of names ? [0x28, 0x2c] : [0x28]) header.writeUInt32LE(placeOf(header.readUInt32LE(link)), link);
  }
  const head = Buffer.from(program.subarray(0, end));
  head.writeBigUInt64LE(BigInt(end + texts.length + padding.length), 0x28);
  head.writeUInt16LE(kept.length, 0x3c);
  head.writeUInt16LE(placeOf(namesAt), 0x3e);
  const bytes = program.subarray(texts.offset, texts.offset + texts.length);
  return Buffer.concat([head, bytes, padding, ...kept.map(({ header }) => header)]);
}
