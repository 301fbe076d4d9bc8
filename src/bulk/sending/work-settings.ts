import type { Journal } from '../journal/journal.ts';
import type { RecordedOutcomes } from '../journal/recorded-outcomes.ts';
import type { RunFolders } from '../journal/run-folder.ts';
import type { BulkOperation } from '../operations/operation.ts';
import type { BegunRun } from '../run-beginning.ts';
import type { RunEnvironment, RunPlan } from '../run-plan.ts';
import type { CountedClient } from './counted-client.ts';
import type { Stop } from './stop.ts';

/** A begun run and all that it stands on. */
export interface WorkSettings<Payload extends object> {
  readonly plan: RunPlan<Payload>;
  readonly environment: RunEnvironment;
  readonly operation: BulkOperation<Payload>;
  readonly begun: BegunRun;
  readonly counted: CountedClient;
  readonly domain: string | undefined;
  readonly folders: RunFolders;
}

/** What lives as long as one process works on a run. */
export interface WorkMeans {
  readonly journal: Journal;
  readonly recorded: RecordedOutcomes;
  readonly stop: Stop;
  /** Ends calls under way. */
  readonly signal: AbortSignal;
}
