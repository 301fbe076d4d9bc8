import type { FileHandle } from 'node:fs/promises';
import type { Verdict } from '../../check/verdict.ts';
import { isSettled, type RunState } from '../journal/journal-state.ts';
import { damaged, type LineLocation, openToRead, readLineAt } from '../journal/line-reader.ts';

/** Finds the verdict of each destination in the journal: 12 bytes a link, and the verdicts themselves stay on the disk. */
export class RecordedVerdicts {
  readonly #path: string;
  readonly #state: RunState;
  readonly #offsets: Float64Array;
  readonly #lengths: Uint32Array;
  #file: Promise<FileHandle> | undefined;

  constructor(path: string, state: RunState, count: number) {
    this.#path = path;
    this.#state = state;
    this.#offsets = new Float64Array(count);
    this.#lengths = new Uint32Array(count);
  }

  add(destination: number, { offset, length }: LineLocation): void {
    this.#offsets[destination] = offset;
    this.#lengths[destination] = length;
  }

  has(destination: number): boolean {
    return this.#lengths[destination] !== 0 || isSettled(this.#state.stateOf(destination));
  }

  /** Undefined where there is none. */
  async read(destination: number): Promise<Verdict | undefined> {
    if (!this.has(destination)) return undefined;
    const length = this.#lengths[destination] ?? 0;
    const own = { offset: this.#offsets[destination] ?? 0, length };
    return await this.#readAt(length === 0 ? this.#state.locationOf(destination) : own);
  }

  async #readAt(location: LineLocation): Promise<Verdict> {
    this.#file ??= openToRead(this.#path);
    const line = await readLineAt(await this.#file, location);
    if (line.type !== 'checked') throw damaged(this.#path, `byte ${location.offset}`);
    return line.verdict;
  }

  async close(): Promise<void> {
    await (await this.#file?.catch(() => undefined))?.close();
  }
}
