import { checkStatuses, isAskedLater, isVerdict } from '../../check/verdict.ts';
import type { RowState, RunState } from './journal-state.ts';
import { damaged, type LineLocation, readJournal } from './line-reader.ts';
import {
  type BeginLine,
  indexesOf,
  isOfRow,
  isRanges,
  type JournalLine,
  type LineType,
  mayHaveCreated,
  settledStatuses,
  sizeOf,
} from './lines.ts';
import { newState } from './new-run.ts';
import { isListOf, isSoundResult, statusesOf } from './recorded-results.ts';

/** Folds a journal into the state of its run. Throws `LocalError` if it is damaged, empty or has two begin lines. */
export async function foldJournal(path: string): Promise<RunState> {
  let fold: Fold | undefined;
  for await (const { line, ...location } of readJournal(path)) {
    if (line.type === 'begin') {
      if (fold) throw damaged(path, 'a second beginning');
      const rows = line.input?.rows;
      // Arrays cannot be longer.
      if (!Number.isSafeInteger(rows) || rows < 0 || rows >= 2 ** 32) throw damaged(path, `byte ${location.offset}`);
      fold = startFold(line);
    }
    if (!fold) throw damaged(path, 'no beginning');
    if (!isSound(line, fold.begin.input.rows)) throw damaged(path, `byte ${location.offset}`);
    apply(fold, line, location);
    fold.size = location.offset + location.length;
    if (!laterLines.has(line.type)) fold.lastEnd = line.type === 'end' ? line.reason : undefined;
  }
  if (!fold) throw damaged(path, 'no beginning');
  return stateOf(fold);
}

/** Lines about a run that is at rest. */
const laterLines: ReadonlySet<LineType> = new Set(['undone', 'missed', 'shown']);

/** Validates and applies one type of line. A correct checksum proves that a line is intact, not that its content is valid. */
interface LineKind<T extends LineType> {
  /** Returns false if the line is invalid for a run of `total` rows. */
  isSound?(line: JournalLine<T>, total: number): boolean;
  apply?(fold: Fold, line: JournalLine<T>, location: LineLocation): void;
}

const kinds: { readonly [T in LineType]: LineKind<T> } = {
  begin: { isSound: ({ kept = 0 }) => Number.isSafeInteger(kept) },
  intent: {
    isSound: ({ rows, keys, before, priorUrls }, total) =>
      isRanges(rows, total) && [keys, before, priorUrls].every((list) => list === undefined || isListOf(list, sizeOf(rows))),
    apply: addIntent,
  },
  result: { isSound: isSoundResult, apply: addResult },
  ambiguous: {
    isSound: ({ rows }, total) => isRanges(rows, total),
    apply: (fold, { rows }) => {
      for (const row of indexesOf(rows)) putInDoubt(fold, row);
    },
  },
  unknown: {
    isSound: ({ rows, details }, total) => isRanges(rows, total) && (details === undefined || isListOf(details, sizeOf(rows))),
    apply: (fold, line) => {
      const rows = indexesOf(line.rows);
      for (const row of rows) fold.codes[row] = unknownCode | inDoubt;
      for (const [position, details] of (line.details ?? []).entries()) fold.unknownDetails.set(rows[position] ?? -1, details);
      removeSettled(fold, rows);
    },
  },
  reconcile: {},
  checked: {
    isSound: ({ rows, verdict }, total) => isRanges(rows, total) && isVerdict(verdict),
    // A resumed check requests the destinations that could not be requested yet.
    apply: (fold, { rows, verdict }, location) =>
      settle(fold, indexesOf(rows), () => (isAskedLater(verdict) ? 'free' : verdict.status), location),
  },
  signal: {},
  undone: {
    apply: (fold, { by, withdrawn }) => {
      fold.undoneBy = withdrawn ? fold.undoneBy.filter((run) => run !== by) : [...fold.undoneBy, by];
    },
  },
  missed: {
    apply: (fold) => {
      fold.wasMissed = true;
    },
  },
  shown: {
    apply: (fold) => {
      fold.shown = true;
    },
  },
  before: {},
  end: {
    // A resumed run ends again, with a result that was not shown yet.
    isSound: ({ order = 0, kept = 0, outputs = [] }) => [order, kept].every(Number.isSafeInteger) && Array.isArray(outputs),
    apply: (fold, { order = fold.begin.order, kept = 0, outputs = fold.begin.outputs }) => {
      fold.shown = false;
      fold.kept = kept;
      fold.begin = { ...fold.begin, order, outputs };
    },
  },
};

function isSound<T extends LineType>(line: JournalLine<T>, total: number): boolean {
  return Object.hasOwn(kinds, line.type) && kinds[line.type].isSound?.(line, total) !== false;
}

function apply<T extends LineType>(fold: Fold, line: JournalLine<T>, location: LineLocation): void {
  kinds[line.type].apply?.(fold, line, location);
}

const states: readonly RowState[] = [...new Set<RowState>(['free', 'open', 'unknown', ...settledStatuses, ...checkStatuses])];
const freeCode = states.indexOf('free');
const openCode = states.indexOf('open');
const unknownCode = states.indexOf('unknown');
const codeOf = new Map(states.map((state, code) => [state, code]));
/** Flag in the code of a row's state: an attempt may have been applied, and no evidence disproves it. */
const inDoubt = 128;
/** Flag of a failed row: a part of it may have been applied. */
const partly = 64;

/** The state of a run up to the last line that was read. */
type Fold = ReturnType<typeof startFold>;

function startFold(begin: BeginLine) {
  const { rows } = begin.input;
  return {
    ...newState(begin),
    /** For each row, its index in `states` and the flag `inDoubt`. */
    codes: new Uint8Array(rows),
    /** For each row, the ordinal of its result line. */
    results: new Uint32Array(rows),
    /** Offset and length of each result line, alternating. */
    locations: [] as number[],
  };
}

/** Puts rows in doubt that are sent again although their last attempt has no result. */
function addIntent(fold: Fold, { batch, rows, payload, keys, mark, before, priorUrls }: JournalLine<'intent'>): void {
  fold.mark ??= mark;
  const indexes = indexesOf(rows);
  fold.nextBatch = Math.max(fold.nextBatch, batch + 1);
  // Without rows, it announces a change of tags.
  if (indexes.length === 0) fold.mayHaveChangedMore = true;
  else fold.open.set(batch, { batch, rows: indexes, unsettled: new Set(indexes), payload });
  for (const [position, row] of indexes.entries()) {
    if (fold.codes[row] === openCode) putInDoubt(fold, row);
    fold.codes[row] = openCode | ((fold.codes[row] ?? 0) & inDoubt);
    const key = keys?.[position];
    if (key !== undefined) fold.keys.set(row, key);
    const fingerprint = before?.[position];
    if (fingerprint && !fold.priorDestinations.has(row)) fold.priorDestinations.set(row, fingerprint);
    const priorUrl = priorUrls?.[position];
    if (priorUrl) fold.priorUrls.set(row, priorUrl);
  }
}

function addResult(fold: Fold, line: JournalLine<'result'>, location: LineLocation): void {
  const rows = indexesOf(line.rows);
  const statuses = statusesOf(line);
  const failed = line.errors ? rows.filter((_, position) => statuses[position] === 'failed') : [];
  const applied = failed.filter((row, nth) => isOfRow(line.errors?.[nth]?.[3]) || isFlagged(fold, row, inDoubt));
  settle(fold, rows, (position) => statuses[position] ?? 'free', location);
  for (const row of applied) fold.codes[row] = (fold.codes[row] ?? 0) | partly;
  fold.mayHaveChangedMore ||= mayHaveCreated(line) || applied.length > 0;
  for (const undo of fold.undoneBy) fold.outgrown.add(undo);
  for (const row of rows) {
    fold.keys.delete(row);
    if (fold.priorDestinations.size > 0) fold.priorDestinations.delete(row);
    if (fold.priorUrls.size > 0) fold.priorUrls.delete(row);
  }
  fold.given = line.given ?? fold.given;
  const freed = indexesOf(line.released ?? []);
  for (const row of freed) fold.codes[row] = freeCode;
  removeSettled(fold, [...rows, ...freed]);
}

function settle(
  fold: Fold,
  rows: readonly number[],
  statusOf: (position: number) => RowState,
  { offset, length }: LineLocation,
): void {
  const ordinal = fold.locations.length / 2;
  for (const [position, row] of rows.entries()) {
    fold.codes[row] = codeOf.get(statusOf(position)) ?? freeCode;
    fold.results[row] = ordinal;
  }
  if (rows.length > 0) fold.locations.push(offset, length);
}

function isFlagged({ codes }: Pick<Fold, 'codes'>, row: number, flag: number): boolean {
  return ((codes[row] ?? 0) & flag) !== 0;
}

function putInDoubt({ codes }: Fold, row: number): void {
  codes[row] = (codes[row] ?? 0) | inDoubt;
}

/** Removes settled rows from all open batches, because a row that was sent again is in several. */
function removeSettled({ open }: Fold, rows: readonly number[]): void {
  for (const [batch, { unsettled }] of open) {
    for (const row of rows) unsettled.delete(row);
    if (unsettled.size === 0) open.delete(batch);
  }
}

function stateOf({ codes, results, locations, ...known }: Fold): RunState {
  const state = (row: number): RowState => states[(codes[row] ?? 0) & ~(inDoubt | partly)] ?? 'free';
  const counts = new Map<RowState, number>();
  for (let row = 0; row < codes.length; row += 1) counts.set(state(row), (counts.get(state(row)) ?? 0) + 1);
  return {
    ...known,
    complete: known.lastEnd === 'complete',
    counts,
    stateOf: state,
    mayBePartlyApplied: (row) => isFlagged({ codes }, row, partly),
    locationOf: (row) => {
      const ordinal = results[row] ?? 0;
      return { offset: locations[ordinal * 2] ?? 0, length: locations[ordinal * 2 + 1] ?? 0 };
    },
  };
}
