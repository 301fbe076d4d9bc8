import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type KnownHead, KnownLinks } from './known-links.ts';

/** To which readings it belongs: their length, and their last bytes, which hold when the last one was made. */
interface KnownPlace {
  readonly end: number;
  readonly lastBytes: string;
}

const sumLength = 32;

/**
 * Keeps what `KnownLinks` holds in a file of its own, so that a recorder need not read a year of readings. It can be deleted at any time: a
 * file that is missing, torn or of other readings is made again from the readings.
 */
export function saveKnown(path: string, known: KnownLinks, place: KnownPlace): void {
  const head = Buffer.from(JSON.stringify({ ...place, ...known.head() }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  const body = Buffer.concat([length, head, ...known.columns()]);
  try {
    writeFileSync(path, Buffer.concat([sumOf(body), body]), { mode: 0o600 });
  } catch {
    rmSync(path, { force: true, recursive: true });
  }
}

/** Undefined where there is none of these readings. */
export function loadKnown(path: string, { end, lastBytes }: KnownPlace): KnownLinks | undefined {
  const bytes = read(path);
  if (bytes === undefined || bytes.length < sumLength + 4) return undefined;
  const body = bytes.subarray(sumLength);
  if (!sumOf(body).equals(bytes.subarray(0, sumLength))) return undefined;
  const columns = 4 + body.readUInt32LE(0);
  const head: KnownHead & KnownPlace = JSON.parse(body.toString('utf8', 4, columns));
  if (head.end !== end || head.lastBytes !== lastBytes) return undefined;
  return KnownLinks.of(head, body.subarray(columns));
}

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function sumOf(body: Buffer): Buffer {
  return createHash('sha256').update(body).digest();
}
