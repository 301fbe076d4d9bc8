/** Which hashes a run was given already, in 12 bytes a row however long they are. */
export interface GivenHashes {
  /** Whether the hash was given before; it is from now on. */
  seen(hash: string): boolean;
}

/** `rows`: more hashes will not come. Two hashes are taken for one with a chance of one in 2^53 each. */
export function givenHashes(rows: number): GivenHashes {
  const slots = new Float64Array(Math.ceil(rows * 1.5) + 8);
  return {
    seen(hash) {
      const print = fingerprint(hash);
      let slot = print % slots.length;
      while (slots[slot] !== 0) {
        if (slots[slot] === print) return true;
        slot = (slot + 1) % slots.length;
      }
      slots[slot] = print;
      return false;
    },
  };
}

/** Two FNV-1a sums side by side, 53 bits of them; never 0, which is an empty slot. */
function fingerprint(text: string): number {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let position = 0; position < text.length; position += 1) {
    const code = text.charCodeAt(position);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b);
  }
  return (low >>> 0) * 2 ** 21 + (high >>> 11) + 1;
}
