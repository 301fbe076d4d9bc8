import { createHash } from 'node:crypto';
import { fstatSync, readSync } from 'node:fs';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { LocalError } from '../base/errors.ts';
import { fingerprintOf } from '../base/fingerprint.ts';

export const blockKinds = { account: 1, part: 2, end: 3 } as const;

/** A block on the disk; its content is read where it is wanted. */
export interface Block {
  readonly kind: number;
  content(): Buffer;
}

const headLength = 17;
const sumStart = 9;
/** A longer block was never written. */
const mostBytes = 2 ** 26;

/** A block as it lies on the disk. */
export function encodeBlock(kind: number, content: Uint8Array): Buffer {
  const body = deflateRawSync(content);
  const head = Buffer.alloc(headLength);
  head[0] = kind;
  head.writeUInt32LE(body.length, 1);
  head.writeUInt32LE(headCheck(head), 5);
  sumOf(head, body).copy(head, sumStart);
  return Buffer.concat([head, body]);
}

/** How far a file of blocks is whole. */
interface WholePart {
  /** Bytes up to the end of the last reading. */
  readonly end: number;
  /** Bytes behind it: of a reading that was never finished. */
  readonly torn: number;
}

/**
 * Reads the whole file and compares every checksum. What lies behind the last end may be anything, as its writer was killed or lost its
 * power. Throws a `LocalError` for damage before it.
 */
export function wholePart(file: number, path: string): WholePart {
  const { size } = fstatSync(file);
  let end = 0;
  let bad: number | undefined;
  for (let offset = 0; ; ) {
    const head = bytesAt(file, offset, headLength);
    if (head.length < headLength) break;
    const length = head.readUInt32LE(1);
    if (head.readUInt32LE(5) !== headCheck(head) || length > mostBytes) {
      if (!isZero(file, offset)) throw damaged(path, bad ?? offset);
      break;
    }
    const body = bytesAt(file, offset + headLength, length);
    if (body.length < length) break;
    if (!sumOf(head, body).equals(head.subarray(sumStart))) bad ??= offset;
    offset += headLength + length;
    if (head[0] === blockKinds.part) continue;
    // A reading is synced before its end is written: before an end nothing may be missing.
    if (bad !== undefined) throw damaged(path, bad);
    end = offset;
  }
  return { end, torn: size - end };
}

/** The blocks up to `end`, which `wholePart` has found sound. */
export function* blocksIn(file: number, end: number): Generator<Block> {
  for (let offset = 0; offset < end; ) {
    const head = bytesAt(file, offset, headLength);
    const length = head.readUInt32LE(1);
    const start = offset + headLength;
    const content = () => inflateRawSync(bytesAt(file, start, length), { maxOutputLength: mostBytes });
    yield { kind: head[0] ?? 0, content };
    offset = start + length;
  }
}

function damaged(path: string, offset: number): LocalError {
  return new LocalError(`${path} is damaged at byte ${offset}`, {
    hint: 'restore it from a backup, or move it away: the next linkctl stats --record begins a new history',
  });
}

function bytesAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(Math.min(length, mostBytes));
  let done = 0;
  while (done < bytes.length) {
    const count = readSync(file, bytes, done, bytes.length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

/** After a power cut some file systems show zeros where nothing was written. */
function isZero(file: number, from: number): boolean {
  for (let offset = from; ; ) {
    const bytes = bytesAt(file, offset, 65_536);
    if (bytes.length === 0) return true;
    if (bytes.some((byte) => byte !== 0)) return false;
    offset += bytes.length;
  }
}

function headCheck(head: Buffer): number {
  return fingerprintOf(head.toString('latin1', 0, 5)).low;
}

function sumOf(head: Buffer, body: Buffer): Buffer {
  return createHash('sha256')
    .update(head.subarray(0, sumStart))
    .update(body)
    .digest()
    .subarray(0, headLength - sumStart);
}
