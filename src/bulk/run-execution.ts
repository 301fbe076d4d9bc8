import type { System } from '../base/system.ts';
import type { Execution } from './execution/execution.ts';
import type { OpenImages } from './journal/images.ts';
import type { Journal } from './journal/journal.ts';
import type { RunState } from './journal/journal-state.ts';
import type { RecordedOutcomes } from './journal/recorded-outcomes.ts';
import type { RunFolders, RunRecord } from './records/run-names.ts';
import type { BulkRow, RowOutcome } from './results/row-outcome.ts';
import type { RunEnvironment, RunPlan } from './run-plan.ts';
import type { CallCount, KeyedMutex } from './sending/limiter.ts';

/** A run that may continue: it is locked, its journal is known and open. */
export interface BegunRun {
  readonly name: string;
  /** Path of the journal. */
  readonly path: string;
  /** Where all lies that is kept of the run. */
  readonly record: RunRecord;
  readonly journal: Journal;
  /** What the journal says of earlier processes. */
  readonly state: RunState;
  /** Whether an earlier process began it. */
  readonly resumed: boolean;
  release(): void;
}

/** What a long run has while it executes; what it is, its plan says. */
export interface RunExecution<Payload extends object> extends Execution<Payload>, RunEnvironment {
  readonly plan: RunPlan<Payload>;
  readonly begun: BegunRun;
  readonly system: System;
  readonly calls: CallCount;
  /** Edition A: pinned for the whole run (R-X8). */
  readonly domain: string | undefined;
  readonly folders: RunFolders;
  /** Outcomes of earlier processes. */
  readonly recorded: RecordedOutcomes;
  readonly images?: OpenImages<Payload> | undefined;
  /** Keyed mode: sends the first rows until the server is proven (R-X7); answers with their outcomes. */
  readonly prove?: ((rows: readonly BulkRow<Payload>[]) => Promise<ReadonlyMap<number, RowOutcome<Payload>>>) | undefined;
  /** Keeps rows that share a link out of two batches at once. */
  readonly mutex: KeyedMutex;
  /** Ends the calls under way. */
  abort(): void;
}
