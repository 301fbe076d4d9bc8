import type { Journal } from '../journal/journal.ts';
import type { RunState } from '../journal/journal-state.ts';
import type { RunRecord } from '../records/run-names.ts';

/** A run that may continue: it is locked, its journal is known and open. */
export interface BegunRun {
  readonly name: string;
  readonly path: string;
  readonly record: RunRecord;
  readonly journal: Journal;
  readonly state: RunState;
  readonly resumed: boolean;
  release(): void;
}
