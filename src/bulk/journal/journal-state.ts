import type { CheckStatus } from '../../check/verdict.ts';
import type { ValueColumns } from '../../link/prints.ts';
import type { RowStatus } from '../results/row-outcome.ts';
import type { LineLocation } from './line-reader.ts';
import { type BeginLine, changedStatuses, type Watermark } from './lines.ts';

/**
 * The state of a row according to the journal. `free`: certainly not applied, may be sent. `open` and `unknown`: in doubt; an attempt may
 * be in flight or applied, even if a later one was not. All others are settled; a `CheckStatus` is the result of a check.
 */
export type RowState = Exclude<RowStatus, 'not_sent'> | CheckStatus | 'free' | 'open';

/** Returns true if the journal has a result of the row: done, refused, or not applied as requested. */
export function isSettled(state: RowState): boolean {
  return state !== 'free' && !isInDoubt(state);
}

/** Returns the number of rows in these states. */
export function countOf({ counts }: Pick<RunState, 'counts'>, ...states: readonly RowState[]): number {
  return states.reduce((sum, state) => sum + (counts.get(state) ?? 0), 0);
}

export function settledCount(state: RunState): number {
  return state.begin.input.rows - countOf(state, 'free', 'open', 'unknown');
}

/** Returns the number of rows that the same command would send. A reset in doubt is not repeated. */
export function unsentCount(state: RunState): number {
  const { operation, input } = state.begin;
  return input.rows - settledCount(state) - (operation === 'reset' ? doubtfulCount(state) : 0);
}

/** Returns true if an attempt of the row may have been applied. */
export function isInDoubt(state: RowState): boolean {
  return state === 'open' || state === 'unknown';
}

/** Returns true if the run is complete and its result was shown or need not be. Otherwise the same command continues it. */
export function isOver({ complete, shown, begin }: RunState): boolean {
  return complete && (shown || !hasResult(begin));
}

/** False for a check, a call of `api`, and an undo without rows: each is simply done again. */
function hasResult(begin: BeginLine): boolean {
  const { operation, undoes } = begin;
  return operation !== 'check' && (!isRowless(begin) || (operation === 'tags' && undoes === undefined));
}

/** True for an undo that found all links as they should be, and changed none. */
export function foundAllUndone(begin: BeginLine): boolean {
  return begin.undoes !== undefined && begin.operation !== 'tags' && isRowless(begin);
}

/** True for a change of tags, a call of `api`, and an undo that found all links as they should be. */
function isRowless({ input }: BeginLine): boolean {
  return input.rows === 0;
}

export function mayHaveChanged(state: RunState): boolean {
  return state.mayHaveChangedMore || isRowless(state.begin) || countOf(state, 'open', 'unknown', ...changedStatuses) > 0;
}

/** Returns true if no row was applied and no tag added. Nothing depends on such a run, and it does not block another one. */
export function isUntouched(state: RunState): boolean {
  return countOf(state, 'free') === state.begin.input.rows && !state.mayHaveChangedMore;
}

export function doubtfulCount(state: RunState): number {
  return countOf(state, 'open', 'unknown');
}

/**
 * Returns the number of rows in doubt that get second links if another run sends them: in checked mode, they have nothing by which the server
 * would find the first ones.
 */
export function unrepeatableCount(state: RunState): number {
  return state.begin.mode === 'checked' ? doubtfulCount(state) : 0;
}

/** Returns the operation, but `apply` for a shortening with `--on-conflict update`, which both creates and edits links. */
export function changeKind({ operation, options }: BeginLine): BeginLine['operation'] {
  return options.onConflict === 'update' ? 'apply' : operation;
}

/** Returns the rows in doubt of a shortening whose hashes the journal does not have, so that undo would miss their links. */
export function untraceableRows(state: RunState): number[] {
  const { begin, keys, stateOf } = state;
  if (changeKind(begin) !== 'shorten' || doubtfulCount(state) === 0) return [];
  return Array.from({ length: begin.input.rows }, (_, row) => row).filter((row) => isInDoubt(stateOf(row)) && !keys.has(row));
}

/** Returns true if every row of a shortening gave its hash: sent again in keyed mode, it gets the same link. */
export function hasOwnHashes({ mode, options }: Pick<BeginLine, 'mode' | 'options'>): boolean {
  return mode === 'keyed' && !options.generateHashes;
}

/**
 * Returns true if the same command resumes the run and finds out about all that is in doubt. That of a one-file record with rows does not.
 */
export function canSettle({ complete, counts, undoneBy }: RunState): boolean {
  return !complete && !counts.get('unknown') && undoneBy.length === 0;
}

/**
 * Returns whether a call that adds or deletes a tag may still be applied, because the last process was killed or had no answer. Tags are
 * added before the first row and deleted after the last; without rows, both may be the case, and a rename, too.
 */
export function tagsInDoubt(state: RunState) {
  const { lastEnd = 'killed', begin } = state;
  const { rows } = begin.input;
  const isInDoubt = lastEnd === 'killed' || lastEnd === 'unknown';
  return { added: isInDoubt && countOf(state, 'free') === rows, deleted: isInDoubt && settledCount(state) === rows };
}

/** A batch that has an intent, but not a result for every row. */
export interface OpenIntent {
  readonly batch: number;
  /** All rows of the intent, because its payload checksum covers them. */
  readonly rows: readonly number[];
  readonly unsettled: ReadonlySet<number>;
  readonly payload: string;
}

/** The state of a run according to its journal. A finished row takes at most 16 bytes. */
export interface RunState {
  readonly begin: BeginLine;
  /** Every row has its final status. */
  readonly complete: boolean;
  /** The reason why the last process ended; undefined if it was killed. */
  readonly lastEnd: string | undefined;
  readonly shown: boolean;
  readonly undoneBy: readonly string[];
  /** Undos after whose beginning rows were done. */
  readonly outgrown: ReadonlySet<string>;
  /** An undo did not find all that rows in doubt may have made. */
  readonly wasMissed: boolean;
  /**
   * Tags may have been added, or a row that does not count as changed may have changed a link: it was not applied as requested, was in
   * doubt, or its link may be new.
   */
  readonly mayHaveChangedMore: boolean;
  /** The number of tags, and of rows in doubt of an undone run, that the run should have changed, but left unchanged. */
  readonly kept: number;
  /** Bytes of the journal up to the end of its last valid line. */
  readonly size: number;
  readonly nextBatch: number;
  readonly open: ReadonlyMap<number, OpenIntent>;
  /** Generated hashes of rows without a final status. Every attempt of a row sends the same hash. */
  readonly keys: ReadonlyMap<number, string>;
  /** For renames without a final status: fingerprints of the destinations before the first attempt. */
  readonly priorDestinations: ReadonlyMap<number, string>;
  /** With `--results`, for rows without a final status: destinations before the run. */
  readonly priorUrls: ReadonlyMap<number, string>;
  /** For unknown rows: the links that they possibly created, empty without any. */
  readonly unknownDetails: ReadonlyMap<number, string>;
  /** The newest links before the first batch, if the server may return existing links. */
  readonly mark: Watermark | undefined;
  /** What the server gave to new links in fields that they did not ask for. */
  readonly given: ValueColumns | undefined;
  readonly counts: ReadonlyMap<RowState, number>;
  stateOf(row: number): RowState;
  /** True for a failed row whose link got other values than requested, or that was in doubt before. */
  mayBePartlyApplied(row: number): boolean;
  /** Returns the location of the line with the result of a settled row. */
  locationOf(row: number): LineLocation;
}
