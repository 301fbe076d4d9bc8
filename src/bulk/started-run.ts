import type { OperationKind } from './operations/operation.ts';
import type { RowOutcome, StopReason, Tally } from './results/row-outcome.ts';

export interface RunFacts {
  readonly run: string;
  readonly kind: OperationKind;
  readonly resumed: boolean;
  readonly rows: number;
  readonly doneBefore: number;
  /** Batches still to send, and the calls that they need. */
  readonly batches: number;
  readonly calls: number;
  readonly domain: string | undefined;
  /** Name and promise of the mode of a shortening run. */
  readonly guarantee: string | undefined;
  /** For more than one batch in checked mode: what to do for a better promise. */
  readonly advice: string | undefined;
}

export interface RunProgress {
  readonly rows: number;
  readonly rowsSettled: number;
  readonly batches: number;
  readonly batchesSettled: number;
  readonly failed: number;
}

export interface RunSummary {
  readonly tally: Tally;
  readonly stop: StopReason | undefined;
  /** Calls made by this process; repeats count once. */
  readonly calls: number;
  readonly milliseconds: number;
  /** Items in one call that the server turned out to take, if it took fewer than the plan has. */
  readonly workingSize: number | undefined;
  /** Short URLs of records that the run seems to have made beside those of its rows. */
  readonly surplus: readonly string[];
}

export interface StartedRun {
  readonly facts: RunFacts;
  /**
   * Every row of the input once, in its order, with its final status, some at a time; to be read once. Nothing is sent before it
   * is read, and no more than a few batches ahead of the reader. A reader that leaves early stops the run: what is under way is
   * finished.
   */
  readonly rows: AsyncIterable<readonly RowOutcome[]>;
  progress(): RunProgress;
  /** When the rows were read. Ends with `runEnd(tally, stop)`. */
  summary(): RunSummary;
}
