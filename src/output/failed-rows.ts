import type { CliError } from '../base/errors.ts';
import { codeMark, printError, printHint } from './failures.ts';
import type { Streams } from './streams.ts';

interface Group {
  readonly mark: string;
  readonly hint: string | undefined;
  count: number;
}

/** Lines of one kind. */
const reportedEach = 5;
/** Kinds that are kept apart by the server's code; a server may make up codes without end. */
const groupsKept = 50;

/** Failures of single rows as they come, the first of each kind (B50); a million of them take no more memory than a hundred. */
export class FailedRows {
  readonly #streams: Streams;
  readonly #failuresIn: string | undefined;
  readonly #groups = new Map<string, Group>();

  constructor(streams: Streams, failuresIn: string | undefined) {
    this.#streams = streams;
    this.#failuresIn = failuresIn;
  }

  async report(failure: CliError): Promise<void> {
    const group = this.#groupOf(failure);
    group.count += 1;
    if (group.count <= reportedEach) await printError(failure, this.#streams);
  }

  /** How many more there were, and the hints. */
  async end(): Promise<void> {
    const streams = this.#streams;
    const groups = [...this.#groups.values()];
    const where = this.#failuresIn === undefined ? '' : ` (see ${this.#failuresIn})`;
    for (const { count, mark } of groups) {
      if (count > reportedEach)
        await streams.message(`${streams.glyphs.ellipsis} and ${count - reportedEach} more${mark}${where}`);
    }
    const hints = new Set(groups.flatMap(({ hint }) => hint ?? []));
    for (const hint of hints) await printHint(hint, streams);
  }

  #groupOf({ kind, apiCode, hint }: CliError): Group {
    const exact = `${kind} ${apiCode ?? ''}`;
    const key = this.#groups.has(exact) || this.#groups.size < groupsKept ? exact : kind;
    const group = this.#groups.get(key) ?? { mark: key === kind ? '' : codeMark(apiCode), hint, count: 0 };
    this.#groups.set(key, group);
    return group;
  }
}
