import { checksum } from '../../base/checksum.ts';
import type { Verdict } from '../../check/verdict.ts';
import type { Edition } from '../../contract/editions.ts';
import type { LinkKey } from '../../contract/link.ts';
import type { ValueColumns } from '../../link/prints.ts';
import type { KnownRecord } from '../matching/row-verdict.ts';
import type { ModeName } from '../operations/modes.ts';
import type { OperationKind } from '../operations/operation.ts';
import { doneKinds, type RowStatus } from '../results/row-outcome.ts';

/** The content of each type of line. `fold.ts` has its effect on the state of a run. The form on disk never changes. */
interface Lines {
  readonly begin: Begin;
  readonly intent: Intent;
  readonly result: Results;
  /** An attempt of these rows may have been applied, and no answer says so. */
  readonly ambiguous: Doubt;
  /** It is not known whether these rows were applied, and no reading can show it any more. */
  readonly unknown: Doubt;
  readonly reconcile: Evidence;
  readonly signal: { readonly at: string };
  /** The verdict on a destination, with all links that lead there. */
  readonly checked: { readonly rows: Ranges; readonly verdict: Verdict };
  /** Another run undid this one: it is not resumed any more. `withdrawn`: that run was deleted before it changed anything. */
  readonly undone: { readonly by: string; readonly at: string; readonly withdrawn?: true };
  /** Its result was printed: from then on the same command begins anew. */
  readonly shown: { readonly at: string };
  /** Links as they were before a batch changed them; in a file of its own, unless the run's record is one file. */
  readonly before: Befores;
  /** `complete`: every row has its final status; anything else can be resumed. */
  readonly end: { readonly reason: string; readonly at: string };
}

export type LineType = keyof Lines;

export type JournalLine<T extends LineType = LineType> = { [K in T]: { readonly type: K } & Lines[K] }[T];

export type BeginLine = JournalLine<'begin'>;

export type ResultLine = JournalLine<'result'>;

/** A run that takes back a change is an undo; one that takes back an undo is a redo, and one that takes back a redo an undo. */
export type UndoDirection = 'undo' | 'redo';

/** The identity of a run: the first line of its journal. It never contains a credential. */
interface Begin {
  readonly version: 1;
  readonly run: string;
  /** Its place among all runs, which no clock decides. Runs of earlier versions have none. */
  readonly order?: number | undefined;
  /** `tags`: it changes tags themselves, `api`: nobody knows what; both have no rows. `check`: it changes nothing. */
  readonly operation: OperationKind | 'tags' | 'api' | 'check';
  readonly mode?: ModeName | undefined;
  readonly what?: string | undefined;
  readonly undo?: boolean | undefined;
  readonly undoes?: string | undefined;
  /** Of a run that undoes another one. Earlier builds said it in `what` alone. */
  readonly direction?: UndoDirection | undefined;
  readonly profile?: string | undefined;
  readonly server: string;
  readonly account: string;
  readonly edition: Edition;
  readonly domain?: string | undefined;
  readonly input: {
    readonly name: string;
    readonly sha256: string;
    readonly rows: number;
    /** The file that named the links, where they were listed. */
    readonly file?: { readonly name: string; readonly sha256: string } | undefined;
  };
  /** All else that decides what is sent: flags that fill in fields. A resumed run must have the same. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Absolute paths that the run may replace. */
  readonly outputs: readonly string[];
  readonly at: string;
}

/** All that makes two command lines the same run. */
export type RunIdentity = Pick<BeginLine, 'operation' | 'server' | 'account' | 'domain' | 'input' | 'options' | 'mode'>;

/** A batch that is about to be sent; synced before the first byte of it leaves. */
interface Intent {
  readonly batch: number;
  readonly rows: Ranges;
  readonly payload: string;
  /** One per row, where hashes are generated. */
  readonly keys?: readonly string[] | undefined;
  /** Checked mode: the watermark, by its name on disk. Keyed mode: in the first intent, for `undo`. */
  readonly mark?: Watermark | undefined;
  /** One per row, where rows are renamed: a fingerprint of where it led before the first attempt, or `-`; empty for other rows. */
  readonly before?: readonly string[] | undefined;
  /** The long URLs before the change, one per row, where results are asked for; empty where it is not known. */
  readonly priorUrls?: readonly string[] | undefined;
}

/** Rows of `released` were certainly not applied; those in doubt are in no line. The first version put them there: `foldJournal` does not believe it. */
interface Results {
  readonly batch: number;
  readonly rows: Ranges;
  /** A letter per row: `letterOf`. */
  readonly states: string;
  /** Edition A: the domain that these rows name; without it they are on the run's domain. */
  readonly domain?: string | undefined;
  /** One per done row, in order; absent where the calls answer without records. */
  readonly hashes?: readonly string[] | undefined;
  /** The text before the hash in every short URL of `hashes`; if that differs, a list of whole short URLs. */
  readonly shortUrls?: string | readonly string[] | undefined;
  /** Fingerprints of the long URLs of `hashes`, separated by blanks: what `runs verify` compares. */
  readonly longUrls?: string | undefined;
  /** Of links that were created, their other fields, as the server answered. `undo` compares both. */
  readonly values?: ValueColumns | undefined;
  /** The long URLs themselves, one per done row, where a row does not say its own: an edit that leaves it alone. */
  readonly destinations?: readonly string[] | undefined;
  readonly priorUrls?: readonly string[] | undefined;
  readonly errors?: readonly RecordedError[] | undefined;
  /** Positions, within the line, of rows that were matched by position alone. */
  readonly byPosition?: readonly number[] | undefined;
  readonly released?: Ranges | undefined;
}

export type RecordedError = readonly [code: number, message: string, details?: string, taken?: TakenUrl];

/** The link of a row that was made, but not as asked. */
export interface TakenUrl {
  readonly hash: string;
  readonly shortUrl: string;
  /** Only if the row does not give it. */
  readonly longUrl?: string | undefined;
}

interface Doubt {
  readonly batch: number;
  readonly rows: Ranges;
  readonly reason: string;
}

/** One entry per row in each list. */
interface Befores {
  readonly rows: readonly number[];
  readonly payloads: readonly LinkKey[];
  /** null for a link that did not exist, or did not until another row of the batch was applied. */
  readonly records: readonly (KnownRecord | null)[];
}

/** The evidence on which doubt was resolved, or was not. Batch 0 is none: of records that belong to no row. */
interface Evidence {
  readonly batch: number;
  readonly conclusive: boolean;
  readonly found: readonly string[];
  readonly total?: number | undefined;
}

/** `<checksum of json> <json>`, with its line end. */
export function encodeLine(line: JournalLine): Buffer {
  const json = JSON.stringify(line);
  return Buffer.from(`${checksum(json)} ${json}\n`);
}

/** Undefined for a line that is not whole. Whether a whole one makes sense, `foldJournal` says. */
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

/** Of rows whose links were changed. */
export const changedStatuses: readonly SettledStatus[] = ['created', 'changed', 'deleted', 'reset'];

export const settledStatuses: readonly SettledStatus[] = [...doneKinds, 'failed'];

/** The newest hashes of the listing and how many records it counted. */
export interface Watermark {
  readonly known: readonly string[];
  readonly total?: number | undefined;
}

/** Row indexes as runs of neighbours: `[[0, 999], [1003, 1003]]`, both ends included. */
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
