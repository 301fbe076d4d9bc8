import { closeSync, mkdirSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { LocalError } from '../errors.ts';
import { fileError } from '../files/file-error.ts';
import { writeWhole } from '../files/whole-write.ts';
import type { System } from '../system.ts';

/**
 * Rows that were checked, kept on the disk until they are sent: nothing is parsed twice, and what goes out is what was looked at.
 * Throws a LocalError where the disk does not take them or give them back.
 */
export interface KeptRows<Row> {
  add(rows: readonly Row[]): void;
  /** As they were added; as often as needed. */
  read(): Generator<Row[]>;
  close(): void;
}

/** The file has no name, so that nothing of it outlives the process, not even kill -9. */
export function keepRows<Row>(folder: string, { randomBytes }: Pick<System, 'randomBytes'>): KeptRows<Row> {
  const path = join(folder, `rows-${Buffer.from(randomBytes(8)).toString('hex')}`);
  const file = attempt('write', path, () => openUnnamed(folder, path));
  const lengths: number[] = [];
  return {
    add(rows) {
      const bytes = Buffer.from(JSON.stringify(rows));
      attempt('write', path, () => writeWhole(file, bytes));
      lengths.push(bytes.length);
    },
    *read() {
      let offset = 0;
      for (const length of lengths) {
        const start = offset;
        yield JSON.parse(attempt('read', path, () => textAt(file, start, length))) as Row[];
        offset += length;
      }
    },
    close: () => closeSync(file),
  };
}

function openUnnamed(folder: string, path: string): number {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = openSync(path, 'wx+', 0o600);
  rmSync(path);
  return file;
}

function textAt(file: number, offset: number, length: number): string {
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const count = readSync(file, bytes, done, length - done, offset + done);
    if (count === 0) throw new LocalError('the rows that were checked are not on the disk any more');
    done += count;
  }
  return bytes.toString();
}

function attempt<Result>(action: 'read' | 'write', path: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    throw fileError(action, path, error);
  }
}
