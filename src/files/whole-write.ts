import { writeSync } from 'node:fs';

/** Writes all of the bytes: one call may take only a part, as on a nearly full disk (RELIABILITY.md 0.1). */
export function writeWhole(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const count = writeSync(file, bytes, done);
    if (count === 0) throw new Error('the disk takes no more');
    done += count;
  }
}
