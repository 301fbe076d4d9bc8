import { fingerprint } from './fingerprint.ts';

/** Which hashes a run was given already, in 12 bytes a row however long they are. */
export interface GivenHashes {
  /** Whether the hash was given before; it is from now on. */
  seen(hash: string): boolean;
}

/** `rows`: more hashes will not come. Two hashes are taken for one with a chance of one in 2^53 each. */
export function givenHashes(rows: number): GivenHashes {
  // 0 is an empty slot, and no fingerprint.
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
