import { damaged, readJournal } from './journal.ts';
import { type BeginLine, type IntentLine, indexesOf, type Mark, type ResultLine, statusLetters } from './journal-lines.ts';
import { isSound } from './line-soundness.ts';
import type { RowStatus } from './row-outcome.ts';

/** Where a row stands by the journal alone. `open`: its batch may be on its way or applied (J6). */
export type RowState = Exclude<RowStatus, 'not_sent'> | 'free' | 'open';

/** Whether a row has a result in the journal: it was done, or refused, or taken and not applied. */
export function isSettled(state: RowState): boolean {
  return !unsettled.has(state);
}

const unsettled: ReadonlySet<RowState> = new Set(['free', 'open', 'unknown']);

/** A batch that was begun and not wholly settled. */
export interface OpenIntent {
  readonly batch: number;
  /** All rows of the intent, as its payload hash covers them. */
  readonly rows: readonly number[];
  /** Those without a result. */
  readonly unsettled: ReadonlySet<number>;
  readonly payload: string;
  readonly mark: Mark | undefined;
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
  readonly counts: ReadonlyMap<RowState, number>;
  stateOf(row: number): RowState;
  /** Where the result of a settled row stands. */
  placeOf(row: number): { readonly offset: number; readonly length: number };
}

const states: readonly RowState[] = ['free', 'open', 'created', 'existing', 'changed', 'deleted', 'reset', 'failed', 'unknown'];
const codes = new Map(states.map((state, code) => [state, code]));
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
    if (line.type === 'unknown') settle(fold, [...indexesOf(line.rows)], 'unknown');
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
  /** Index in `states` of each row. */
  readonly codes: Uint8Array;
  /** Ordinal of the result line of each row. */
  readonly results: Uint32Array;
  /** Offset and length of each result line. */
  readonly places: number[];
  readonly open: Map<number, OpenIntent & { readonly unsettled: Set<number> }>;
  readonly keys: Map<number, string>;
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
    size: 0,
    nextBatch: 1,
    lastEnd: undefined,
  };
}

function applyIntent(fold: Fold, { batch, rows, payload, keys, mark }: IntentLine): void {
  const indexes = [...indexesOf(rows)];
  fold.nextBatch = Math.max(fold.nextBatch, batch + 1);
  fold.open.set(batch, { batch, rows: indexes, unsettled: new Set(indexes), payload, mark });
  for (const [position, row] of indexes.entries()) {
    fold.codes[row] = 1;
    const key = keys?.[position];
    if (key !== undefined) fold.keys.set(row, key);
  }
}

function applyResult(fold: Fold, line: ResultLine, offset: number, length: number): void {
  const ordinal = fold.places.length / 2;
  const rows = [...indexesOf(line.rows)];
  for (const [position, row] of rows.entries()) {
    fold.codes[row] = codeOfLetter.get(line.states[position] ?? '') ?? 0;
    fold.results[row] = ordinal;
    fold.keys.delete(row);
  }
  if (rows.length > 0) fold.places.push(offset, length);
  close(fold, rows);
  if (line.released) settle(fold, [...indexesOf(line.released)], 'free');
}

function settle(fold: Fold, rows: readonly number[], state: RowState): void {
  for (const row of rows) fold.codes[row] = codes.get(state) ?? 0;
  close(fold, rows);
}

/** A row that was sent again settles by its newer batch in the older ones too. */
function close({ open }: Fold, rows: readonly number[]): void {
  for (const [batch, { unsettled }] of open) {
    for (const row of rows) unsettled.delete(row);
    if (unsettled.size === 0) open.delete(batch);
  }
}

function stateOf(fold: Fold): RunState {
  const counts = new Map<RowState, number>();
  for (const code of fold.codes) {
    const state = states[code] ?? 'free';
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
    counts,
    stateOf: (row) => states[fold.codes[row] ?? 0] ?? 'free',
    placeOf: (row) => {
      const ordinal = fold.results[row] ?? 0;
      return { offset: fold.places[ordinal * 2] ?? 0, length: fold.places[ordinal * 2 + 1] ?? 0 };
    },
  };
}
