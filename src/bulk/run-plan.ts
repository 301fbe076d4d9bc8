import type { CliError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import type { DaysOfRun } from '../base/times.ts';
import type { Client } from '../client/client.ts';
import type { AccountDomains } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import type { NotedChange } from '../history/noted-changes.ts';
import type { Journal, OpenJournalFile } from './journal/journal.ts';
import type { RunState } from './journal/journal-state.ts';
import type { BeginLine, RecordedInput } from './journal/lines.ts';
import type { Mode } from './operations/modes.ts';
import type { ChangeSettings } from './operations/named-links.ts';
import type { BulkOperation, OperationKind } from './operations/operation.ts';
import type { RunFolders, RunRecord } from './past-runs/run-names.ts';
import type { InputRow } from './results/row-outcome.ts';

export interface RunRow<Item extends object = object> extends InputRow<Item> {
  /** The link as read for the plan; null if it did not exist, absent if it was not read. */
  readonly before?: UrlRecord | null | undefined;
  /** The row that changed the link, of the run that is undone. */
  readonly undoneRow?: number | undefined;
}

/** The validated rows of a run. Each reading yields the same rows. For messages, its name is the path as typed. */
export interface RunInput<Item extends object = object> extends RecordedInput {
  /** For a file with rows that can get second links: returns the checksum of so many of its first bytes. */
  readonly sha256OfFirst?: ((bytes: number) => Promise<string>) | undefined;
  /** The number of these rows that are not sent: those that are left out, and those that were refused and have no result yet. */
  readonly skipped?: number | undefined;
  /** Send the rows that a finished run left out. */
  readonly sendsSkipped?: boolean | undefined;
  /** Yields the rows in order, in groups. Throws `CliError` if they can no longer be read. */
  open(): AsyncIterable<readonly RunRow<Item>[]> | Iterable<readonly RunRow<Item>[]>;
  /** For listed links: the unfinished run that stores these rows; `run` is undefined if a new run is to store them. */
  readonly snapshot?: { readonly run: string | undefined } | undefined;
  /** Set if this run must be resumed, and no other may start. */
  readonly resumed?: { readonly run: string } | undefined;
  /** For links that are listed again: copies the results of the unfinished run into the journal that replaces its journal. */
  readonly copyResults?: ((earlier: FoundRun, journal: Journal) => Promise<void>) | undefined;
  /** `System.elapsed` when the reading of the links began; absent if they were not read. */
  readonly readAt?: number | undefined;
  /** Returns the error to stop with if the file has changed since it was checked. */
  changeError?(): Promise<CliError | undefined>;
  /** For a pipe or a listing, which cannot be read again: writes it to a new file (0600, fsynced), which is kept with the run. */
  readonly copyTo?: ((path: string) => Promise<void>) | undefined;
}

export interface FoundRun {
  readonly name: string;
  readonly record: RunRecord;
  /** The state in the journal. */
  readonly state: RunState;
}

export interface OperationSettings extends ChangeSettings {
  mayCall(): boolean;
}

/**
 * Steps before and after the rows of a run. A resumed run may repeat them. Their errors stop the run. The calls of `client` end like those of
 * the rows after a signal.
 */
export interface RunSteps {
  before(client: Client): Promise<void>;
  /** Called if all rows are settled and none failed. */
  after(client: Client): Promise<void>;
}

/** What the first line of the journal says about a run besides its identity. */
export interface RunDescription extends Pick<BeginLine, 'what' | 'undo' | 'undoes' | 'direction' | 'profile'> {
  /** For a run that undoes another: returns the number of tags, and of rows that may still be applied, left unchanged so far. */
  readonly kept?: (() => number | undefined) | undefined;
  readonly results?: string | undefined;
  readonly failed?: string | undefined;
}

/** What decides whether a run may begin, and which one it resumes. */
export interface RunBeginning extends RunDescription {
  readonly input: RunInput;
  /** The working domain. Without it, the default domain is looked up if the edition has several domains. */
  readonly domain?: string | undefined;
  /** The links were typed. Their record is one file, and quota and default domain are not requested first. */
  readonly fromArguments?: boolean | undefined;
  /** Bytes of the journal of `undoes` when this run was planned. If it has grown by now, the run does not begin. */
  readonly undoneSize?: number | undefined;
  /** Run again even if an earlier run completed. */
  readonly again?: boolean | undefined;
  /** Replace files that this run did not write. */
  readonly overwrite?: boolean | undefined;
}

export interface RunPlan<Payload extends object = object> extends RunBeginning {
  operation(settings: OperationSettings): BulkOperation<Payload>;
  readonly mode?: Mode | undefined;
  /** The number of links that a run other than a shortening creates, if known. */
  readonly newLinks?: number | undefined;
  /** Typed links whose run is never resumed, because the same URL may be shortened twice. */
  readonly isOneOff?: boolean | undefined;
  /** Returns true if a link that was read again still matches the selection. */
  readonly isSelected?: ((record: UrlRecord) => boolean) | undefined;
  /** The account's domains, which the session requests once, with the client of the run unless it has them. */
  domains?(client: Pick<Client, 'send'>): Promise<AccountDomains>;
  /** The domains were already requested. That request counts as the first of the run. */
  readonly hasDomains?: boolean | undefined;
  readonly steps?: RunSteps | undefined;
  payload(item: object): Payload;
  /** All other JSON values on which `payload` depends. A resumed run must have the same. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Receives the options of the resumed run, so that a flag such as `--expires +30d` keeps its original date. Returns warnings. */
  readonly restoreOptions?: ((options: Readonly<Record<string, unknown>>, days: DaysOfRun) => readonly string[]) | undefined;
  /** The columns of the input, for `--failed`. */
  readonly columns: readonly string[];
  readonly batchSize: number;
  readonly concurrency?: number | undefined;
  readonly budget?: number | undefined;
  readonly failFast?: boolean | undefined;
  /** Start even if a quota is too low. */
  readonly force?: boolean | undefined;
  /** Milliseconds to wait before a listing is read back. Default: 10,000. */
  readonly settle?: number | undefined;
}

/** Called before the journal records the changes: a kill may repeat a change, but loses none. Run and row identify it. */
export type NoteChanges = (run: string, changes: readonly NotedChange[]) => Promise<void>;

export interface RunEnvironment {
  readonly client: Client;
  readonly system: System;
  readonly folders: RunFolders;
  /** Aborted by the first signal. Then nothing new is started, and no wait for a further attempt goes on. */
  readonly interrupt?: AbortSignal | undefined;
  /** Of a command that does not listen for signals itself: aborts waits and calls when its time is over, or by a signal. */
  readonly signal?: AbortSignal | undefined;
  warn(message: string): void;
  readonly noteChanges?: NoteChanges | undefined;
  /** Called when every row has its outcome, before the last one is recorded. A later signal has no effect. */
  readonly onAllSettled?: (() => void) | undefined;
  /** For tests of journals that fail at a chosen step. */
  readonly openJournalFile?: OpenJournalFile | undefined;
}

/** What the records of runs need. */
export type Surroundings = Pick<RunEnvironment, 'client' | 'system' | 'folders' | 'openJournalFile'>;

export function concurrencyOf({ mode, concurrency = 4 }: RunPlan): number {
  return mode?.name === 'checked' ? 1 : Math.min(Math.max(1, concurrency), 16);
}

/** Checked mode reads the listing before each batch. */
export function callsPerBatch({ mode }: Pick<RunPlan, 'mode'>): number {
  return mode?.name === 'checked' ? 2 : 1;
}

/** Runs that request hashes prove with their first new links that the server keeps them. */
export function needsProof(
  { mode, isOneOff }: Pick<RunPlan, 'mode' | 'isOneOff'>,
  { kind, doubt }: Pick<BulkOperation, 'kind' | 'doubt'>,
): boolean {
  return !isOneOff && (mode?.name === 'keyed' ? doubt === 'repeat' : kind === 'apply');
}

export interface RunFacts {
  readonly run: string;
  readonly kind: OperationKind;
  readonly resumed: boolean;
  readonly rows: number;
  readonly doneBefore: number;
  /** Batches still to send, and the number of calls that they certainly need. */
  readonly batches: number;
  readonly calls: number;
  readonly domain: string | undefined;
  /** Name and guarantee of the mode of a shortening run. */
  readonly guarantee?: string | undefined;
  /** Advice on a better guarantee than that of checked mode, if there are several batches. */
  readonly advice?: string | undefined;
}
