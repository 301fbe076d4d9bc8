import type { CliError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import type { Client } from '../client/client.ts';
import type { AccountDomains, LinkKey } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import type { Journal, OpenJournalFile } from './journal/journal.ts';
import type { RunState } from './journal/journal-state.ts';
import type { UndoDirection } from './journal/lines.ts';
import type { KnownRecord } from './matching/row-verdict.ts';
import type { Mode } from './operations/modes.ts';
import type { BulkOperation, OperationKind } from './operations/operation.ts';
import type { RunRecord } from './past-runs/run-names.ts';
import type { RowError, Skip } from './results/row-outcome.ts';

export interface RunRow<Item extends object = object> {
  /** From 1, as people count; not known of a row that cannot be read any more. */
  readonly line: number | undefined;
  readonly item: Item;
  /** The link as it was read when the plan was made; null for one that did not exist, absent where nothing was read. */
  readonly before?: UrlRecord | null | undefined;
  /** Why the link is left alone: the row fails with it, and nothing is sent. */
  readonly refusal?: string | RowError | undefined;
  /** The row is left out, as its author wishes: nothing is read or sent for it. */
  readonly skip?: Skip | undefined;
}

export interface InputFile {
  readonly name: string;
  readonly sha256: string;
}

/** The rows of a run, checked beforehand, readable as often as needed and always the same. */
export interface RunInput<Item extends object = object> {
  /** As people know it: the path as typed, or `stdin`. */
  readonly name: string;
  /** Of its bytes, in hex. */
  readonly sha256: string;
  readonly rows: number;
  /** Of them, those that are left out. */
  readonly skipped?: number | undefined;
  /** Rows that a finished run left out are wanted after all. */
  readonly takesSkipped?: boolean | undefined;
  /** The file that names the links of a listing, where there is one and it can be read again. */
  readonly file?: InputFile | undefined;
  /** In order, some at a time. Throws `CliError` when they cannot be read any more. */
  open(): AsyncIterable<readonly RunRow<Item>[]> | Iterable<readonly RunRow<Item>[]>;
  /** For links that were listed: the unfinished run that has these rows; undefined where a new one is to keep them. */
  readonly snapshot?: { readonly run: string | undefined } | undefined;
  /** For links that are read anew: writes what the unfinished run knows of them into the journal that replaces its own. */
  readonly carry?: ((earlier: UnfinishedRun, journal: Journal) => Promise<void>) | undefined;
  /** When the reading of the rows' links began, as `System.elapsed` has it; absent where they were not read. */
  readonly readAt?: number | undefined;
  /** The error to stop with if the file is no longer the one that was checked. */
  change?(): Promise<CliError | undefined>;
  /** For what cannot be read again, such as a pipe or a listing: writes it to a new file, 0600 and fsynced; it is kept with the run. */
  readonly copyTo?: ((path: string) => Promise<void>) | undefined;
}

/** A run that is held by this process, as it was left. */
export interface UnfinishedRun {
  readonly record: RunRecord;
  readonly state: RunState;
}

export interface OperationSettings {
  readonly client: Pick<Client, 'send'>;
  readonly domain: string | undefined;
  readonly batchSize: number;
  mayCall(): boolean;
}

/** Steps around the rows of a run. Both may be repeated when it is resumed, and throw what stops the run. */
export interface RunSteps {
  before(): Promise<void>;
  /** When all rows are settled, and none failed: the run is complete with it. `isStopped`: nothing more is to be begun. Whether all is done. */
  after(isStopped: () => boolean): Promise<boolean>;
}

export interface RunPlan<Payload extends object = object> {
  operation(settings: OperationSettings): BulkOperation<Payload>;
  readonly mode?: Mode | undefined;
  /** The command as people read it: `rewrite https://a.example -> https://b.example`. */
  readonly what?: string | undefined;
  /** Keep what the links were before, so that the run can be undone. */
  readonly undo?: boolean | undefined;
  readonly undoes?: string | undefined;
  readonly direction?: UndoDirection | undefined;
  /** Links that are made besides those of a shortening, as far as it is known. */
  readonly newLinks?: number | undefined;
  /** Links that were typed: their record is one file, and their calls are not worth asking for quotas and domains first. */
  readonly fromArguments?: boolean | undefined;
  /** Of typed links: begun anew each time and never resumed, because the same URL may be shortened twice. */
  readonly isOneOff?: boolean | undefined;
  /** True of a link that was read again and is still one that was selected. */
  readonly isSelected?: ((record: UrlRecord) => boolean) | undefined;
  readonly profile?: string | undefined;
  /** The working domain; without one the account's default is looked up, where there are several. */
  readonly domain?: string | undefined;
  /** The account's domains, where a call has asked for them already; it is counted as the run's first. */
  readonly accountDomains?: Promise<AccountDomains> | undefined;
  readonly input: RunInput;
  readonly steps?: RunSteps | undefined;
  payload(item: object): Payload;
  /** All that `payload` depends on beside the row, as JSON: a resumed run must have the same. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Receives the options of the run that is resumed: a flag such as `--expires +30d` means what it meant then. */
  readonly recall?: ((options: Readonly<Record<string, unknown>>) => void) | undefined;
  /** The row's own columns, for `--failed`. */
  readonly columns: readonly string[];
  readonly batchSize: number;
  readonly concurrency?: number | undefined;
  readonly budget?: number | undefined;
  readonly failFast?: boolean | undefined;
  /** Once more what an earlier run has finished. */
  readonly again?: boolean | undefined;
  /** Begin although a quota will not last. */
  readonly force?: boolean | undefined;
  /** Replace files that are not this run's own. */
  readonly overwrite?: boolean | undefined;
  readonly results?: string | undefined;
  readonly failed?: string | undefined;
  /** Milliseconds to wait before a listing is read back; 10,000 without it. */
  readonly settle?: number | undefined;
}

/** A change that gives the counters of a link another meaning, or the link another name. */
export interface SettledChange {
  readonly kind: 'reset' | 'deleted' | 'renamed';
  readonly row: number;
  /** Without a domain it is on the account's default one, or on the only one. */
  readonly link: LinkKey;
  /** The link right before, where it was read. */
  readonly before: KnownRecord | undefined;
  /** Of a renamed link, as it is now. */
  readonly after: KnownRecord | undefined;
}

/** Receives them before the journal says that they were done: a change of a killed process may come twice, and none is missing. `run` names them together with their rows. */
type NoteChanges = (run: string, changes: readonly SettledChange[]) => Promise<void>;

export interface RunEnvironment {
  readonly client: Client;
  readonly system: System;
  readonly stateFolder: string;
  /** Aborted by the first signal: nothing new is started. */
  readonly interrupt?: AbortSignal | undefined;
  /** Ends waits and calls: the command's time is over. */
  readonly signal?: AbortSignal | undefined;
  warn(message: string): void;
  /** Receives changes of links for the history of their clicks. */
  readonly noteChanges?: NoteChanges | undefined;
  /** Every row has its outcome, which is about to be recorded: from here on a signal changes nothing any more. */
  readonly answered?: (() => void) | undefined;
  /** For tests: a journal that breaks or stops at a chosen step. */
  readonly openJournalFile?: OpenJournalFile | undefined;
}

export function concurrencyOf({ mode, concurrency = 4 }: RunPlan): number {
  return mode?.name === 'checked' ? 1 : Math.min(Math.max(1, concurrency), 16);
}

/** In checked mode each batch is preceded by a reading of the listing. */
export function callsPerBatch({ mode }: Pick<RunPlan, 'mode'>): number {
  return mode?.name === 'checked' ? 2 : 1;
}

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
  readonly guarantee?: string | undefined;
  /** For more than one batch in checked mode: what to do for a better promise. */
  readonly advice?: string | undefined;
}
