import type { System } from '../base/system.ts';
import { TemporaryFile } from '../files/temporary-file.ts';

const roomHint = 'set XDG_STATE_HOME to a writable folder with space for twice the input';

/**
 * Rows that were checked, kept on the disk until they are sent: nothing is parsed twice, and what goes out is what was checked.
 * Throws a LocalError where the disk does not take them or give them back.
 */
export class KeptRows<Row> {
  readonly #file: TemporaryFile;
  readonly #lengths: number[] = [];

  constructor(folder: string, system: Pick<System, 'randomBytes'>) {
    this.#file = new TemporaryFile(folder, 'the checked rows', roomHint, system);
  }

  add(rows: readonly Row[]): void {
    const bytes = Buffer.from(JSON.stringify(rows));
    this.#file.append(bytes);
    this.#lengths.push(bytes.length);
  }

  /** As they were added; as often as needed. */
  *read(): Generator<Row[]> {
    let offset = 0;
    for (const length of this.#lengths) {
      yield JSON.parse(this.#file.readAt(offset, length).toString());
      offset += length;
    }
  }

  close(): void {
    this.#file.close();
  }
}
