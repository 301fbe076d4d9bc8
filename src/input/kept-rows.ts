import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { checksum } from '../base/checksum.ts';
import { LocalError } from '../base/errors.ts';
import { folderVariable, type System } from '../base/system.ts';
import { fileError } from '../files/file-error.ts';
import { TemporaryFile } from '../files/temporary-file.ts';

/**
 * Rows that were checked or listed, kept on the disk until they are sent: nothing is parsed twice, and what goes out is what was
 * checked. Throws a LocalError where the disk does not take them or give them back.
 */
export class KeptRows<Row> {
  readonly #file: TemporaryFile;
  readonly #lengths: number[] = [];
  readonly #offsets: number[] = [];
  #end = 0;

  constructor(folder: string, system: Pick<System, 'randomBytes' | 'platform'>) {
    const roomHint = `set ${folderVariable('state', system)} to a writable folder with space for twice the input`;
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
    return JSON.parse(this.#jsonAt(nth));
  }

  #jsonAt(nth: number): string {
    return this.#file.readAt(this.#offsets[nth] ?? this.#end, (this.#lengths[nth] ?? 1) - 1).toString();
  }

  /** As they were added; as often as needed. */
  *read(): Generator<Row[]> {
    for (let nth = 0; nth < this.#offsets.length; nth += 1) yield this.at(nth);
  }

  /** The last that was added first. */
  *readBackwards(): Generator<Row[]> {
    for (let nth = this.#offsets.length - 1; nth >= 0; nth -= 1) yield this.at(nth).reverse();
  }

  /** Writes them to a new file, 0600, which shows whether it is whole; resolves when it is on the disk. */
  async copyTo(path: string): Promise<void> {
    await this.#file.copyTo(path, this.#soundLines());
  }

  *#soundLines(): Generator<string> {
    let nth = 0;
    for (; nth < this.#offsets.length; nth += 1) yield soundLine(nth, this.#jsonAt(nth));
    yield soundLine(nth, end);
  }

  close(): void {
    this.#file.close();
  }
}

/** The last line, without which a file is not whole. */
const end = '"end"';

/** The checksum tells a line with a flipped byte, and one in another place, from the one that was written. */
function soundLine(nth: number, json: string): string {
  return `${checksum(`${nth} ${json}`)} ${json}\n`;
}

/** The rows that `copyTo` has written. Throws a LocalError where they cannot be read, or are not what was written. */
export async function* readKeptRows<Row>(path: string): AsyncGenerator<Row[]> {
  let nth = 0;
  let isWhole = false;
  try {
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
      const json = jsonOf(line, nth);
      if (isWhole || json === undefined) throw damaged(path);
      nth += 1;
      if (json === end) isWhole = true;
      else yield JSON.parse(json);
    }
  } catch (error) {
    throw fileError('read', path, error);
  }
  if (!isWhole) throw damaged(path);
}

function jsonOf(line: string, nth: number): string | undefined {
  const json = line.slice(17);
  return `${line}\n` === soundLine(nth, json) ? json : undefined;
}

function damaged(path: string): LocalError {
  return new LocalError(`${path} is damaged, or of another version of linkctl: nothing was sent`, {
    hint: 'to begin anew, discard the run: linkctl runs forget <run>',
  });
}
