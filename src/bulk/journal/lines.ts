import { checksum } from '../../base/checksum.ts';
import type { Verdict } from '../../check/verdict.ts';
import type { Edition } from '../../contract/editions.ts';
import type { LinkKey } from '../../contract/link.ts';
import type { KnownRecord } from '../../contract/records.ts';
import type { MachineTime } from '../../files/process-mark.ts';
import type { LinkPrints, ValueColumns } from '../../link/prints.ts';
import type { ModeName } from '../operations/modes.ts';
import type { OperationKind } from '../operations/operation.ts';
import { doneKinds, type RowStatus } from '../results/row-outcome.ts';

/** The members of each line type. `fold.ts` applies them to the state of a run. The format on disk never changes. */
interface Lines {
  readonly begin: Begin;
  readonly intent: Intent;
  readonly result: Results;
  /** An attempt of these rows may have been applied, but no response confirms it. */
  readonly ambiguous: Doubt;
  /** The outcome of these rows is unknown, and no further reading can settle it. */
  readonly unknown: Unknown;
  readonly reconcile: Evidence;
  readonly signal: { readonly at: string };
  /** The verdict on a destination. `rows` are all links that lead there. */
  readonly checked: { readonly rows: Ranges; readonly verdict: Verdict };
  /** Run `by` undid this one, which is no longer resumed. `withdrawn` cancels this: run `by` is deleted and changed nothing. */
  readonly undone: { readonly by: string; readonly at: string; readonly withdrawn?: true };
  /** An undo did not find all that rows in doubt may have made. From then on, somebody else may have made it. */
  readonly missed: { readonly at: string };
  /** The result was printed. From then on, the same command starts a new run. */
  readonly shown: { readonly at: string };
  /** Before-images of a batch, in a separate file unless the run's record is a single file. */
  readonly before: Befores;
  /** `complete`: every row has its final status. With any other reason, the run can be resumed. A resume repeats the reason, with `order`. */
  readonly end: {
    readonly reason: string;
    readonly at: string;
    /** The same moment by a clock that nobody sets, if a later process waits for what was sent. */
    readonly clock?: MachineTime | undefined;
    /** The number of a resumed run from then on. */
    readonly order?: number | undefined;
    /** The number of tags, and of rows in doubt of an undone run, that the run should have changed, but left unchanged. */
    readonly kept?: number | undefined;
    /** The outputs of a resumed run from then on. */
    readonly outputs?: readonly string[] | undefined;
  };
}

export type LineType = keyof Lines;

export type JournalLine<T extends LineType = LineType> = { [K in T]: { readonly type: K } & Lines[K] }[T];

export type BeginLine = JournalLine<'begin'>;

export type ResultLine = JournalLine<'result'>;

/** A run that reverts a change or a redo is an undo. A run that reverts an undo is a redo. */
export type UndoDirection = 'undo' | 'redo';

/** The first line of a journal identifies the run. It never contains a credential. */
interface Begin {
  readonly version: 1;
  readonly run: string;
  /** Orders all runs without relying on a clock. Absent in runs of earlier versions. */
  readonly order?: number | undefined;
  /** `tags` changes tags instead of links, and `api` is an arbitrary call: neither has rows. `check` changes nothing. */
  readonly operation: OperationKind | 'tags' | 'api' | 'check';
  readonly mode?: ModeName | undefined;
  /** The command as shown in messages: `rewrite https://a.example -> https://b.example`. */
  readonly what?: string | undefined;
  /** Before-images of the links are kept, so that the run can be undone. */
  readonly undo?: boolean | undefined;
  readonly undoes?: string | undefined;
  /** Present if the run undoes another one. */
  readonly direction?: UndoDirection | undefined;
  /** The number of rows in doubt of the undone run that the plan leaves unchanged. A resumed run does not read their links again. */
  readonly kept?: number | undefined;
  readonly profile?: string | undefined;
  readonly server: string;
  readonly account: string;
  readonly edition: Edition;
  readonly domain?: string | undefined;
  readonly input: RecordedInput;
  /** Flags that affect what is sent for a row. A resumed run must have the same. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Absolute paths that the run may replace. */
  readonly outputs: readonly string[];
  readonly at: string;
}

/** Where the rows of a run come from. Names of files are absolute paths in the journal. */
export interface RecordedInput {
  /** The file, `stdin`, or the command. */
  readonly name: string;
  /** In hex: checksum of the file, of the typed rows, or of the command that lists the links. */
  readonly sha256: string;
  readonly rows: number;
  /** The bytes of a file with the rows. Absent in runs of earlier versions. */
  readonly size?: number | undefined;
  /** The file that names the listed links, if it can be read again. */
  readonly file?: Pick<RecordedInput, 'name' | 'sha256'> | undefined;
}

/** The properties of a command line that decide which run it resumes. */
export type RunIdentity = Pick<BeginLine, 'operation' | 'server' | 'account' | 'domain' | 'input' | 'options' | 'mode'>;

/** Announces a batch. It is synced to disk before the first byte of the batch is sent. */
interface Intent {
  readonly batch: number;
  /** Empty for a change of tags. */
  readonly rows: Ranges;
  readonly payload: string;
  /** One per row, if hashes are generated. */
  readonly keys?: readonly string[] | undefined;
  /** The watermark: in every intent of checked mode and in the first of keyed mode. `undo` needs the first. */
  readonly mark?: Watermark | undefined;
  /** One per row, if rows are renamed: the destination's fingerprint before the first attempt, `-` without a link, empty for other rows. */
  readonly before?: readonly string[] | undefined;
  /** One per row, with `--results`: the long URL before the change, empty if unknown. */
  readonly priorUrls?: readonly string[] | undefined;
}

/** Rows in doubt are in no list. */
interface Results {
  readonly batch: number;
  readonly rows: Ranges;
  /** One letter of `letterOf` per row. */
  readonly states: string;
  /** Edition A: the domain that these rows name. Default: the domain of the run. */
  readonly domain?: string | undefined;
  /** One per done row, in order. Absent if the responses contain no records. */
  readonly hashes?: readonly string[] | undefined;
  /** The common prefix of all short URLs of `hashes`, or the list of whole short URLs if there is none. */
  readonly shortUrls?: string | readonly string[] | undefined;
  /** Fingerprints of the long URLs of `hashes`, separated by spaces. `runs verify` and `undo` compare them. */
  readonly longUrls?: string | undefined;
  /** Fingerprints of the other fields, as returned by the server, if links were or may have been created. `runs verify` and `undo` compare them. */
  readonly values?: ValueColumns | undefined;
  /** Fingerprints of what the server gave to new links in fields that they did not ask for. */
  readonly given?: ValueColumns | undefined;
  /** One per done row: the long URL of an existing link if the row does not contain it, otherwise empty. */
  readonly destinations?: readonly string[] | undefined;
  readonly priorUrls?: readonly string[] | undefined;
  readonly errors?: readonly RecordedError[] | undefined;
  /** Positions, within the line, of rows that were matched by position alone. */
  readonly byPosition?: readonly number[] | undefined;
  /** Positions of rows whose links count as existing or are not as requested, but may be new. */
  readonly perhapsNew?: readonly number[] | undefined;
  /** Rows that were certainly not applied. */
  readonly released?: Ranges | undefined;
}

export type RecordedError = readonly [code: number, message: string, details?: string, taken?: TakenUrl];

/** The link of a row that was applied, but not as requested. */
export interface TakenUrl {
  readonly hash: string;
  readonly shortUrl: string;
  /** Absent if the row contains it. */
  readonly longUrl?: string | undefined;
  /** The link was there before, and the row did not change it. */
  readonly existed?: true | undefined;
  /** Fingerprints of its fields, as returned by the server. `undo` compares them. */
  readonly values?: LinkPrints | undefined;
}

/** Returns true if a row that does not count as created may have created a link. */
export function mayHaveCreated(line: ResultLine): boolean {
  return line.perhapsNew !== undefined || takenUrls(line).some(isOfRow);
}

/** Returns true if the row made or changed this link, although not as requested. */
export function isOfRow(taken: TakenUrl | undefined): taken is TakenUrl {
  return taken !== undefined && !taken.existed;
}

/** Returns the links of rows that were applied, but not as requested. Such rows count as failed. */
export function takenUrls({ errors = [] }: Pick<Results, 'errors'>): TakenUrl[] {
  return errors.flatMap(([, , , taken]) => taken ?? []);
}

interface Doubt {
  readonly batch: number;
  readonly rows: Ranges;
  readonly reason: string;
}

/** Rows whose outcome stays unknown. */
interface Unknown {
  readonly batch: number;
  readonly rows: Ranges;
  /** One per row, if any has some: the links that it possibly created. */
  readonly details?: readonly string[] | undefined;
}

/** One entry per row in each list. */
interface Befores {
  readonly rows: readonly number[];
  readonly payloads: readonly LinkKey[];
  /** Null if no link had the hash before the batch, even if another row of the batch moves one there. */
  readonly records: readonly (KnownRecord | null)[];
  /** The rows were in doubt: what differs from the image before was set by an attempt of the run or by somebody else. */
  readonly inDoubt?: true | undefined;
}

/** The evidence on a batch in doubt, conclusive or not. Batch 0 is for records that belong to no row. */
interface Evidence {
  readonly batch: number;
  readonly conclusive: boolean;
  readonly found: readonly string[];
  readonly total?: number | undefined;
}

/** Returns `<checksum of json> <json>` and a line feed. */
export function encodeLine(line: JournalLine): Buffer {
  const json = JSON.stringify(line);
  return Buffer.from(`${checksum(json)} ${json}\n`);
}

/** Returns undefined for a torn or corrupt line. `foldJournal` validates the content. */
export function decodeLine(text: string): JournalLine | undefined {
  const json = text.slice(17);
  if (text[16] !== ' ' || text.slice(0, 16) !== checksum(json)) return undefined;
  try {
    const line: JournalLine | null = JSON.parse(json);
    return typeof line === 'object' && line && 'type' in line ? line : undefined;
  } catch {
    return undefined;
  }
}

export type SettledStatus = Exclude<RowStatus, 'unknown' | 'not_sent'>;

export const letterOf: Readonly<Record<SettledStatus, string>> = {
  created: 'c',
  existing: 'e',
  changed: 'h',
  unchanged: 's',
  deleted: 'd',
  reset: 'r',
  skipped: 'k',
  failed: 'f',
};

export const changedStatuses: readonly SettledStatus[] = ['created', 'changed', 'deleted', 'reset'];

export const settledStatuses: readonly SettledStatus[] = [...doneKinds, 'failed'];

/** The newest hashes of the listing, and the number of links that it counted. */
export interface Watermark {
  readonly known: readonly string[];
  readonly total?: number | undefined;
}

/** Row indexes as inclusive ranges: `[[0, 999], [1003, 1003]]`. */
type Ranges = readonly (readonly [number, number])[];

export function rangesOf(rows: Iterable<{ readonly index: number }>): Ranges {
  const ranges: [number, number][] = [];
  for (const { index } of rows) {
    const last = ranges.at(-1);
    if (last && last[1] + 1 === index) last[1] = index;
    else ranges.push([index, index]);
  }
  return ranges;
}

export function indexesOf(ranges: Ranges): number[] {
  const indexes: number[] = [];
  for (const [first, last] of ranges) for (let index = first; index <= last; index += 1) indexes.push(index);
  return indexes;
}

export function sizeOf(ranges: Ranges): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

export function isRanges(value: unknown, total: number): value is Ranges {
  const isRange = (range: unknown): boolean =>
    Array.isArray(range) &&
    range.length === 2 &&
    range.every(Number.isSafeInteger) &&
    range[0] >= 0 &&
    range[0] <= range[1] &&
    range[1] < total;
  return Array.isArray(value) && value.every(isRange);
}
