import type { System } from '../base/system.ts';
import { openTemporaryFile } from '../files/temporary-file.ts';

/**
 * Rows that were checked, kept on the disk until they are sent: nothing is parsed twice, and what goes out is what was checked.
 * Throws a LocalError where the disk does not take them or give them back.
 */
export interface KeptRows<Row> {
  add(rows: readonly Row[]): void;
  /** As they were added; as often as needed. */
  read(): Generator<Row[]>;
  close(): void;
}

export function keepRows<Row>(folder: string, system: Pick<System, 'randomBytes'>): KeptRows<Row> {
  const file = openTemporaryFile(folder, 'the checked rows', roomHint, system);
  const lengths: number[] = [];
  return {
    add(rows) {
      const bytes = Buffer.from(JSON.stringify(rows));
      file.append(bytes);
      lengths.push(bytes.length);
    },
    *read() {
      let offset = 0;
      for (const length of lengths) {
        yield JSON.parse(file.readAt(offset, length).toString());
        offset += length;
      }
    },
    close: file.close,
  };
}

const roomHint = 'set XDG_STATE_HOME to a folder that can be written to, with twice the room of the input';
