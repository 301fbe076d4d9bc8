import type { Journal } from '../journal/journal.ts';
import type { RunState } from '../journal/journal-state.ts';
import type { RunRecord } from '../records/run-names.ts';

/** A run that may continue: it is locked, its journal is known and open. */
export interface BegunRun {
  readonly name: string;
  /** Path of the journal. */
  readonly path: string;
  /** Paths of all that is kept of the run. */
  readonly record: RunRecord;
  readonly journal: Journal;
  /** All that the journal says of earlier processes. */
  readonly state: RunState;
  /** True where an earlier process began it. */
  readonly resumed: boolean;
  release(): void;
}
