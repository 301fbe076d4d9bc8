import type { CheckStatus } from '../../check/verdict.ts';
import type { RowStatus } from '../results/row-outcome.ts';
import type { LineLocation } from './line-reader.ts';
import { type BeginLine, changedStatuses, type Watermark } from './lines.ts';

/**
 * The state of a row by the journal alone. `free`: certainly not applied, so it may be sent. `open` and `unknown`: in doubt, an
 * attempt may be on its way or applied, whatever the result of a later one. All others are settled; of a check, with what it found.
 */
export type RowState = Exclude<RowStatus, 'not_sent'> | CheckStatus | 'free' | 'open';

/** The journal has a result of the row: it was done, refused, or not applied as asked. */
export function isSettled(state: RowState): boolean {
  return !unsettled.has(state);
}

export function settledCount({ counts }: Pick<RunState, 'counts'>): number {
  let settled = 0;
  for (const [state, count] of counts) if (isSettled(state)) settled += count;
  return settled;
}

/** An attempt of the row may have been applied, and nobody knows whether. */
export function isInDoubt(state: RowState): boolean {
  return state !== 'free' && !isSettled(state);
}

const unsettled: ReadonlySet<RowState> = new Set(['free', 'open', 'unknown']);

/** Nothing is left of the run but its record: all was done, and somebody has seen it. Otherwise the same command continues it. */
export function isOver({ complete, shown, begin }: Pick<RunState, 'complete' | 'shown' | 'begin'>): boolean {
  return complete && (shown || rowless.has(begin.operation) || begin.operation === 'check');
}

/** They change what are no links. */
const rowless: ReadonlySet<string> = new Set(['tags', 'api']);

export function mayHaveChanged({ counts, begin }: Pick<RunState, 'counts' | 'begin'>): boolean {
  return rowless.has(begin.operation) || changing.some((state) => (counts.get(state) ?? 0) > 0);
}

const changing: readonly RowState[] = ['open', 'unknown', ...changedStatuses];

/** No row of the run was applied: nothing depends on the run, and it blocks no other. */
export function isUntouched({ counts, begin }: RunState): boolean {
  return (counts.get('free') ?? 0) === begin.input.rows;
}

/** A batch that was begun and has rows without a result. */
export interface OpenIntent {
  readonly batch: number;
  /** All rows of the intent, as its payload checksum covers them. */
  readonly rows: readonly number[];
  readonly unsettled: ReadonlySet<number>;
  readonly payload: string;
}

/** A run by its journal. At most 16 bytes for a finished row, however many rows there are. */
export interface RunState {
  readonly begin: BeginLine;
  /** Every row has its final status. */
  readonly complete: boolean;
  /** Why the last process ended; undefined where it was killed. */
  readonly lastEnd: string | undefined;
  readonly shown: boolean;
  readonly undoneBy: readonly string[];
  /** Bytes of the journal that are whole. */
  readonly size: number;
  readonly nextBatch: number;
  readonly open: ReadonlyMap<number, OpenIntent>;
  /** Hashes generated for rows that have no final status: they are sent with these again. */
  readonly keys: ReadonlyMap<number, string>;
  /** Fingerprints of the destinations before the first attempt, of rows that are renamed and have no final status. */
  readonly priorDestinations: ReadonlyMap<number, string>;
  /** Destinations before the run, of rows that have no final status, if results are asked for. */
  readonly priorUrls: ReadonlyMap<number, string>;
  /** The newest links before the first batch, of a run that may be given links that were there. */
  readonly mark: Watermark | undefined;
  readonly counts: ReadonlyMap<RowState, number>;
  stateOf(row: number): RowState;
  /** The line with the result of a settled row. */
  locationOf(row: number): LineLocation;
}
