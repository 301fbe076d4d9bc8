import type { RowStatus } from '../results/row-outcome.ts';
import { damaged, readJournal } from './journal.ts';
import { isSound } from './line-soundness.ts';
import {
  type BeginLine,
  type IntentLine,
  indexesOf,
  type ReconcileLine,
  type ResultLine,
  statusLetters,
  type Watermark,
} from './lines.ts';

/**
 * Where a row stands by the journal alone. `free`: certainly not applied, it may be sent. `open` and `unknown` are in doubt: an
 * attempt of it may be on its way or applied (J6), whatever was said about a later one. The others are settled.
 */
export type RowState = Exclude<RowStatus, 'not_sent'> | 'free' | 'open';

/** Whether a row has a result in the journal: it was done, or refused, or taken and not applied. */
export function isSettled(state: RowState): boolean {
  return !unsettled.has(state);
}

const unsettled: ReadonlySet<RowState> = new Set(['free', 'open', 'unknown']);

/** Whether every row of a run is certainly not applied: nothing depends on it, and it stands in nobody's way. */
export function isUntouched({ counts, begin }: RunState): boolean {
  return (counts.get('free') ?? 0) === begin.input.rows;
}

/** A batch that was begun and not wholly settled. */
export interface OpenIntent {
  readonly batch: number;
  /** All rows of the intent, as its payload hash covers them. */
  readonly rows: readonly number[];
  /** Those without a result. */
  readonly unsettled: ReadonlySet<number>;
  readonly payload: string;
  readonly watermark: Watermark | undefined;
}

/** A run as its journal tells it (J3). At most 16 bytes for a finished row, however many rows there are. */
export interface RunState {
  readonly begin: BeginLine;
  /** Every row has its final status. */
  readonly complete: boolean;
  /** Why the last process ended; undefined where it was killed. */
  readonly lastEnd: string | undefined;
  /** Bytes of the journal that are whole. */
  readonly size: number;
  readonly nextBatch: number;
  readonly open: ReadonlyMap<number, OpenIntent>;
  /** Hashes generated for rows that have no final status: they are sent with these again (J9). */
  readonly keys: ReadonlyMap<number, string>;
  /** What stood at the hashes of rows that are renamed and have no final status, before their first attempt. */
  readonly before: ReadonlyMap<number, string>;
  readonly counts: ReadonlyMap<RowState, number>;
  stateOf(row: number): RowState;
  /** Where the result of a settled row stands. */
  placeOf(row: number): { readonly offset: number; readonly length: number };
}

const states: readonly RowState[] = [
  'free',
  'open',
  'created',
  'existing',
  'changed',
  'unchanged',
  'deleted',
  'reset',
  'failed',
  'unknown',
];
const codes = new Map(states.map((state, code) => [state, code]));
/** Beside the state of a row: an attempt of it may have been applied, and no evidence says otherwise. */
const inDoubt = 16;
const openCode = codes.get('open') ?? 0;
const unknownCode = codes.get('unknown') ?? 0;
const codeOfLetter = new Map(
  Object.entries(statusLetters).map(([status, letter]) => [letter, codes.get(status as RowState) ?? 0]),
);

/** Folds a journal into what is known. Throws `LocalError` where it is damaged, empty or begins twice. */
export async function foldJournal(path: string): Promise<RunState> {
  let fold: Fold | undefined;
  for await (const { line, offset, length } of readJournal(path)) {
    if (line.type === 'begin') {
      if (fold) throw damaged(path, 'a second beginning');
      if (!isRowCount(line.input?.rows)) throw damaged(path, `byte ${offset}`);
      fold = startFold(line);
    } else if (!fold) {
      throw damaged(path, 'no beginning');
    }
    if (!isSound(line, fold.begin.input.rows)) throw damaged(path, `byte ${offset}`);
    fold.size = offset + length;
    if (line.type === 'end') fold.lastEnd = line.reason;
    else if (line.type !== 'begin') fold.lastEnd = undefined;
    if (line.type === 'intent') applyIntent(fold, line);
    if (line.type === 'result') applyResult(fold, line, offset, length);
    if (line.type === 'unknown') applyUnknown(fold, [...indexesOf(line.rows)]);
    if (line.type === 'ambiguous') for (const row of indexesOf(line.rows)) watermark(fold, row);
    if (line.type === 'reconcile') applyEvidence(fold, line);
  }
  if (!fold) throw damaged(path, 'no beginning');
  return stateOf(fold);
}

/** More than a table of rows can be is no count of them. */
function isRowCount(rows: unknown): boolean {
  return Number.isSafeInteger(rows) && Number(rows) >= 0 && Number(rows) < 2 ** 32;
}

interface Fold {
  readonly begin: BeginLine;
  /** Index in `states` of each row, and `inDoubt`. */
  readonly codes: Uint8Array;
  /** Ordinal of the result line of each row. */
  readonly results: Uint32Array;
  /** Offset and length of each result line. */
  readonly places: number[];
  readonly open: Map<number, OpenIntent & { readonly unsettled: Set<number> }>;
  readonly keys: Map<number, string>;
  readonly before: Map<number, string>;
  /** Batches of which a reading proved what they made (1.6). */
  readonly proven: Set<number>;
  size: number;
  nextBatch: number;
  lastEnd: string | undefined;
}

function startFold(begin: BeginLine): Fold {
  const { rows } = begin.input;
  return {
    begin,
    codes: new Uint8Array(rows),
    results: new Uint32Array(rows),
    places: [],
    open: new Map(),
    keys: new Map(),
    before: new Map(),
    proven: new Set(),
    size: 0,
    nextBatch: 1,
    lastEnd: undefined,
  };
}

/** A row whose last attempt has no result is in doubt from here on: an earlier process left it, or this one repeats it (J6). */
function applyIntent(fold: Fold, { batch, rows, payload, keys, before, watermark: listing }: IntentLine): void {
  const indexes = [...indexesOf(rows)];
  fold.nextBatch = Math.max(fold.nextBatch, batch + 1);
  fold.open.set(batch, { batch, rows: indexes, unsettled: new Set(indexes), payload, watermark: listing });
  for (const [position, row] of indexes.entries()) {
    if (fold.codes[row] === openCode || fold.codes[row] === unknownCode) watermark(fold, row);
    fold.codes[row] = openCode | ((fold.codes[row] ?? 0) & inDoubt);
    const key = keys?.[position];
    if (key !== undefined) fold.keys.set(row, key);
    const witness = before?.[position];
    if (witness && !fold.before.has(row)) fold.before.set(row, witness);
  }
}

function applyResult(fold: Fold, line: ResultLine, offset: number, length: number): void {
  const ordinal = fold.places.length / 2;
  const rows = [...indexesOf(line.rows)];
  for (const [position, row] of rows.entries()) {
    fold.codes[row] = codeOfLetter.get(line.states[position] ?? '') ?? 0;
    fold.results[row] = ordinal;
    fold.keys.delete(row);
    if (fold.before.size > 0) fold.before.delete(row);
  }
  if (rows.length > 0) fold.places.push(offset, length);
  close(fold, rows);
  if (line.released) release(fold, line.batch, [...indexesOf(line.released)]);
}

/** D2: the first version released rows in doubt as well, when their repetition was refused. Only evidence frees those. */
function release(fold: Fold, batch: number, rows: readonly number[]): void {
  const isProven = fold.proven.has(batch);
  const freed = rows.filter((row) => isProven || !isWatermarked(fold, row));
  for (const row of freed) fold.codes[row] = 0;
  close(fold, freed);
}

/** Batch 0 is none: records that belong to no row are kept in such lines too. */
function applyEvidence({ proven }: Fold, { batch, conclusive }: ReconcileLine): void {
  if (conclusive && batch !== 0) proven.add(batch);
  else proven.delete(batch);
}

function applyUnknown(fold: Fold, rows: readonly number[]): void {
  for (const row of rows) fold.codes[row] = unknownCode | inDoubt;
  close(fold, rows);
}

function watermark({ codes: ofRows }: Fold, row: number): void {
  ofRows[row] = (ofRows[row] ?? 0) | inDoubt;
}

function isWatermarked({ codes: ofRows }: Fold, row: number): boolean {
  return ((ofRows[row] ?? 0) & inDoubt) !== 0;
}

/** A row that was sent again settles by its newer batch in the older ones too. */
function close({ open }: Fold, rows: readonly number[]): void {
  for (const [batch, { unsettled }] of open) {
    for (const row of rows) unsettled.delete(row);
    if (unsettled.size === 0) open.delete(batch);
  }
}

function stateOfCode(code: number): RowState {
  return states[code & ~inDoubt] ?? 'free';
}

function stateOf(fold: Fold): RunState {
  const counts = new Map<RowState, number>();
  for (const code of fold.codes) {
    const state = stateOfCode(code);
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return {
    begin: fold.begin,
    complete: fold.lastEnd === 'complete',
    lastEnd: fold.lastEnd,
    size: fold.size,
    nextBatch: fold.nextBatch,
    open: fold.open,
    keys: fold.keys,
    before: fold.before,
    counts,
    stateOf: (row) => stateOfCode(fold.codes[row] ?? 0),
    placeOf: (row) => {
      const ordinal = fold.results[row] ?? 0;
      return { offset: fold.places[ordinal * 2] ?? 0, length: fold.places[ordinal * 2 + 1] ?? 0 };
    },
  };
}
