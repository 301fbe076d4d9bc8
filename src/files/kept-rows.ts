import { createReadStream } from 'node:fs';
import { basename, dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { checksum } from '../base/checksum.ts';
import { LocalError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { fileError } from './file-error.ts';
import { TemporaryFile } from './temporary-file.ts';

/**
 * Stores checked or listed rows on disk until they are sent, so that nothing is parsed twice and exactly the checked rows are sent. Throws
 * a LocalError if the disk fails.
 */
export class KeptRows<Row> {
  readonly #file: TemporaryFile;
  /** Where each batch begins. */
  readonly #offsets: number[] = [];
  #end = 0;

  constructor(folder: string, system: Pick<System, 'randomBytes'>) {
    this.#file = new TemporaryFile(folder, 'the checked rows', system);
  }

  add(rows: readonly Row[]): void {
    const bytes = Buffer.from(`${JSON.stringify(rows)}\n`);
    this.#file.append(bytes);
    this.#offsets.push(this.#end);
    this.#end += bytes.length;
  }

  /** Returns the nth batch. */
  at(nth: number): Row[] {
    return JSON.parse(this.#jsonAt(nth));
  }

  #jsonAt(nth: number): string {
    const [begin = this.#end, end = this.#end] = this.#offsets.slice(nth, nth + 2);
    return this.#file.readAt(begin, end - begin - 1).toString();
  }

  /** Can be called repeatedly. */
  *read(): Generator<Row[]> {
    for (let nth = 0; nth < this.#offsets.length; nth += 1) yield this.at(nth);
  }

  /** Yields the last row first. */
  *readBackwards(): Generator<Row[]> {
    for (let nth = this.#offsets.length - 1; nth >= 0; nth -= 1) yield this.at(nth).reverse();
  }

  /** Writes the rows to a new file with mode 0600 whose completeness can be verified; resolves when it is synced. */
  async copyTo(path: string): Promise<void> {
    await this.#file.copyTo(path, this.#checksumLines());
  }

  *#checksumLines(): Generator<string> {
    let nth = 0;
    for (; nth < this.#offsets.length; nth += 1) yield checksumLine(nth, this.#jsonAt(nth));
    yield checksumLine(nth, end);
  }

  close(): void {
    this.#file.close();
  }
}

/** Rows per page of a list: reading one row reads its page. Most lists are read in their order. */
const pageLength = 32;

/** Collects rows on disk, to read any of them. */
export function keptList<Row>(kept: KeptRows<Row>) {
  let page: Row[] = [];
  let open: { readonly nth: number; readonly rows: readonly Row[] } | undefined;
  let count = 0;
  const flush = (): void => {
    if (page.length > 0) kept.add(page);
    page = [];
  };
  return {
    add(row: Row): void {
      count += 1;
      if (page.push(row) === pageLength) flush();
    },
    /** No row may be added afterwards. */
    list() {
      flush();
      return {
        count,
        at(index: number): Row {
          const nth = Math.floor(index / pageLength);
          if (open?.nth !== nth) open = { nth, rows: kept.at(nth) };
          const row = open.rows[index % pageLength];
          if (!row) throw new RangeError(`there is no row ${index}`);
          return row;
        },
        *all(): Generator<Row> {
          for (const rows of kept.read()) yield* rows;
        },
        copyTo: (path: string): Promise<void> => kept.copyTo(path),
      };
    },
  };
}

/** A file without this last line is incomplete. */
const end = '"end"';

/** The checksum covers the line number, so it detects changed and moved lines. */
function checksumLine(nth: number, json: string): string {
  return `${checksum(`${nth} ${json}`)} ${json}\n`;
}

/** Reads a file of `copyTo`. Throws a LocalError if it is unreadable or damaged. */
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
  return `${line}\n` === checksumLine(nth, json) ? json : undefined;
}

function damaged(path: string): LocalError {
  return new LocalError(`${path} is damaged, or of another version of linkctl: nothing was sent`, {
    // The folder of a run has its name.
    hint: `to start over, discard the run: linkctl runs forget ${basename(dirname(path))}`,
  });
}
