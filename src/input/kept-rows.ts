import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { System } from '../base/system.ts';
import { fileError } from '../files/file-error.ts';
import { TemporaryFile } from '../files/temporary-file.ts';

const roomHint = 'set XDG_STATE_HOME to a writable folder with space for twice the input';

/**
 * Rows that were checked or listed, kept on the disk until they are sent: nothing is parsed twice, and what goes out is what was
 * checked. Throws a LocalError where the disk does not take them or give them back.
 */
export class KeptRows<Row> {
  readonly #file: TemporaryFile;
  readonly #lengths: number[] = [];
  readonly #offsets: number[] = [];
  #end = 0;

  constructor(folder: string, system: Pick<System, 'randomBytes'>) {
    this.#file = new TemporaryFile(folder, 'the checked rows', roomHint, system);
  }

  add(rows: readonly Row[]): void {
    const bytes = Buffer.from(`${JSON.stringify(rows)}\n`);
    this.#file.append(bytes);
    this.#lengths.push(bytes.length);
    this.#offsets.push(this.#end);
    this.#end += bytes.length;
  }

  /** Those that were added together, as the nth. */
  at(nth: number): Row[] {
    return JSON.parse(this.#file.readAt(this.#offsets[nth] ?? this.#end, this.#lengths[nth] ?? 0).toString());
  }

  /** As they were added; as often as needed. */
  *read(): Generator<Row[]> {
    for (let nth = 0; nth < this.#offsets.length; nth += 1) yield this.at(nth);
  }

  /** The last that was added first. */
  *readBackwards(): Generator<Row[]> {
    for (let nth = this.#offsets.length - 1; nth >= 0; nth -= 1) yield this.at(nth).reverse();
  }

  /** Writes them to a new file, 0600; resolves when it is on the disk. */
  async copyTo(path: string): Promise<void> {
    await this.#file.copyTo(path);
  }

  close(): void {
    this.#file.close();
  }
}

/** The rows that `copyTo` has written. Throws a LocalError where they cannot be read. */
export async function* readKeptRows<Row>(path: string): AsyncGenerator<Row[]> {
  try {
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
      yield JSON.parse(line);
    }
  } catch (error) {
    throw fileError('read', path, error);
  }
}
