import { writeSync } from 'node:fs';
import { errorCode } from './file-error.ts';

/** One call may write only a part, as on a nearly full disk. Without a position, writes where the last write ended. */
export function writeWhole(file: number, bytes: Uint8Array, position?: number): void {
  for (let done = 0; done < bytes.length; ) {
    const count = writePart(file, bytes, done, position);
    if (count === 0) throw new Error('the disk is full');
    done += count;
  }
}

/** A pipe that another program has made non-blocking fails while it is full. Waits until its reader has read. */
function writePart(file: number, bytes: Uint8Array, done: number, position?: number): number {
  for (;;) {
    try {
      return writeSync(file, bytes, done, bytes.length - done, position === undefined ? null : position + done);
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') throw error;
      pause(10);
    }
  }
}

/** Blocks the event loop, as the synchronous file operations around it do. */
export function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
