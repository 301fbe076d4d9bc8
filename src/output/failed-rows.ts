import type { CliError } from '../base/errors.ts';
import { codeMark, printError, printHint } from './failures.ts';
import type { Streams } from './streams.ts';

/** Failures of single rows as they come, the first of each kind (B50); a million of them take no more memory than a hundred. */
export interface FailedRows {
  report(failure: CliError): Promise<void>;
  /** How many more there were, and the hints. */
  end(): Promise<void>;
}

interface Group {
  readonly mark: string;
  readonly hint: string | undefined;
  count: number;
}

/** Lines of one kind. */
const reportedEach = 5;
/** Kinds that are kept apart by the server's code; a server may make up codes without end. */
const groupsKept = 50;

export function createFailedRows(streams: Streams, failuresIn: string | undefined): FailedRows {
  const groups = new Map<string, Group>();
  const groupOf = ({ kind, apiCode, hint }: CliError): Group => {
    const exact = `${kind} ${apiCode ?? ''}`;
    const key = groups.has(exact) || groups.size < groupsKept ? exact : kind;
    const group = groups.get(key) ?? { mark: key === kind ? '' : codeMark(apiCode), hint, count: 0 };
    groups.set(key, group);
    return group;
  };
  return {
    async report(failure) {
      const group = groupOf(failure);
      group.count += 1;
      if (group.count <= reportedEach) await printError(failure, streams, await streams.paint('stderr'));
    },
    async end() {
      const where = failuresIn === undefined ? '' : ` (see ${failuresIn})`;
      for (const { count, mark } of groups.values()) {
        if (count > reportedEach)
          await streams.message(`${streams.glyphs.ellipsis} and ${count - reportedEach} more${mark}${where}`);
      }
      const hints = new Set([...groups.values()].flatMap(({ hint }) => hint ?? []));
      for (const hint of hints) await printHint(hint, streams, await streams.paint('stderr'));
    },
  };
}
