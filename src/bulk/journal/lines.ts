import { checksum } from '../../base/checksum.ts';
import type { Edition } from '../../contract/editions.ts';
import type { ModeName } from '../modes.ts';
import type { OperationKind } from '../operations/operation.ts';
import type { RowStatus } from '../results/row-outcome.ts';

/** Row indexes as runs of neighbours: `[[0, 999], [1003, 1003]]`, both ends included. */
export type Ranges = readonly (readonly [number, number])[];

/** What a run is; the first line of its journal, and never a credential. */
export interface BeginLine {
  readonly type: 'begin';
  readonly version: 1;
  readonly run: string;
  readonly operation: OperationKind;
  /** Shortening only. */
  readonly mode?: ModeName | undefined;
  readonly profile?: string | undefined;
  /** Origin and path of the API root. */
  readonly server: string;
  readonly account: string;
  readonly edition: Edition;
  readonly domain?: string | undefined;
  readonly input: { readonly name: string; readonly sha256: string; readonly rows: number };
  /** Whatever else decides what is sent: flags that fill in fields. A resumed run must have the same (J8). */
  readonly options: Readonly<Record<string, unknown>>;
  /** Absolute paths that the run may replace. */
  readonly outputs: readonly string[];
  /** ISO 8601. */
  readonly at: string;
}

/** Synced before a byte of its batch is sent (J1). */
export interface IntentLine {
  readonly type: 'intent';
  readonly batch: number;
  readonly rows: Ranges;
  /** First 16 hex digits of the SHA-256 of the payloads' JSON (J8). */
  readonly payload: string;
  /** One per row, where hashes are generated (J9). */
  readonly keys?: readonly string[] | undefined;
  /** Checked mode: where the listing stood (1.6). */
  readonly watermark?: Watermark | undefined;
  /** One per row, where rows are renamed: a print of where it led before the first attempt, or `-`; empty for other rows. */
  readonly before?: readonly string[] | undefined;
}

/** The newest hashes of the listing and how many records it counted. */
export interface Watermark {
  readonly known: readonly string[];
  readonly total?: number | undefined;
}

/** A letter of `ResultLine.states` for each status that a result can have. */
export const statusLetters: Readonly<Record<Exclude<RowStatus, 'unknown' | 'not_sent'>, string>> = {
  created: 'c',
  existing: 'e',
  changed: 'h',
  unchanged: 's',
  deleted: 'd',
  reset: 'r',
  failed: 'f',
};

/** What a server made of a row that it took, and not as it was asked to. */
export interface TakenUrl {
  readonly hash: string;
  readonly shortUrl: string;
  /** Where the row does not say it. */
  readonly longUrl?: string | undefined;
}

export type RecordedError = readonly [code: number, message: string, details?: string, taken?: TakenUrl];

/**
 * What became of rows of a batch. Rows of `released` were certainly not applied and are free again; those in doubt are in no line
 * until they are settled. The first version put them there too: `foldJournal` knows better.
 */
export interface ResultLine {
  readonly type: 'result';
  readonly batch: number;
  readonly rows: Ranges;
  /** A letter per row: `statusLetters`. */
  readonly states: string;
  /** Edition A: where these rows say themselves that they are; otherwise they are on the run's domain. */
  readonly domain?: string | undefined;
  /** One per done row, in order; absent where the calls answer without records. */
  readonly hashes?: readonly string[] | undefined;
  /** What stands before the hash in every short URL of `hashes`; or a whole short URL each, where it is not one. */
  readonly shortUrls?: string | readonly string[] | undefined;
  /** Fingerprints of the long URLs of `hashes`, separated by blanks: what `runs verify` compares. */
  readonly longUrls?: string | undefined;
  /** The long URLs themselves, one per done row, where a row does not say its own: an edit that leaves it alone. */
  readonly destinations?: readonly string[] | undefined;
  /** One per failed row, in order. */
  readonly errors?: readonly RecordedError[] | undefined;
  /** Positions, within the line, of rows that were matched by position alone (1.5 rule 5). */
  readonly byPosition?: readonly number[] | undefined;
  readonly released?: Ranges | undefined;
}

export interface UnknownLine {
  readonly type: 'unknown';
  readonly batch: number;
  readonly rows: Ranges;
  readonly reason: string;
}

export interface AmbiguousLine {
  readonly type: 'ambiguous';
  readonly batch: number;
  readonly rows: Ranges;
  readonly reason: string;
}

/** The evidence on which doubt was resolved, or was not. */
export interface ReconcileLine {
  readonly type: 'reconcile';
  readonly batch: number;
  readonly conclusive: boolean;
  readonly found: readonly string[];
  readonly total?: number | undefined;
}

export interface SignalLine {
  readonly type: 'signal';
  readonly at: string;
}

/** `complete`: every row has its final status; anything else can be resumed. */
export interface EndLine {
  readonly type: 'end';
  readonly reason: string;
  readonly at: string;
}

export type JournalLine =
  | BeginLine
  | IntentLine
  | ResultLine
  | UnknownLine
  | AmbiguousLine
  | ReconcileLine
  | SignalLine
  | EndLine;

/** `<first 16 hex of sha256(json)> <json>`, with its line end. */
export function encodeLine(line: JournalLine): Buffer {
  const json = JSON.stringify(line);
  return Buffer.from(`${checksum(json)} ${json}\n`);
}

/** Undefined for a line that is not whole. */
export function decodeLine(text: string): JournalLine | undefined {
  const json = text.slice(17);
  if (text[16] !== ' ' || text.slice(0, 16) !== checksum(json)) return undefined;
  try {
    const line: unknown = JSON.parse(json);
    return typeof line === 'object' && line !== null && 'type' in line ? (line as JournalLine) : undefined;
  } catch {
    return undefined;
  }
}

export function rangesOf(indexes: Iterable<number>): Ranges {
  const ranges: [number, number][] = [];
  for (const index of indexes) {
    const last = ranges.at(-1);
    if (last && last[1] + 1 === index) last[1] = index;
    else ranges.push([index, index]);
  }
  return ranges;
}

export function* indexesOf(ranges: Ranges): Generator<number> {
  for (const [first, last] of ranges) for (let index = first; index <= last; index += 1) yield index;
}

/** The hashes that rows of a line have: done ones, and failed ones that were taken all the same. */
export function hashesOf({ hashes = [], errors = [] }: ResultLine): readonly string[] {
  const taken = errors.flatMap(([, , , url]) => url?.hash ?? []);
  return taken.length === 0 ? hashes : [...hashes, ...taken];
}
