import type { Client } from '../../client/client.ts';
import type { SendOptions } from '../../client/client-options.ts';
import type { LinkKey } from '../../contract/link.ts';
import type { EditFields, OperationInput, OperationName, OperationResult } from '../../contract/operations.ts';
import type { UrlRecord } from '../../contract/records.ts';
import type { UnappliedField } from '../../link/same.ts';
import type { BatchAnswer, Done, KnownRecord, Verdict } from '../matching/row-verdict.ts';
import type { RowStatus } from '../results/row-outcome.ts';

/** `apply`: rows of the first three. */
export type OperationKind = 'shorten' | 'edit' | 'delete' | 'reset' | 'apply';

/**
 * The way to settle rows in doubt. `repeat`: send the same payload again, which cannot do harm. `inspect`: read
 * the links, then send what is still to do. `read_back`: read the listing. `leave`: nothing can be read that decides.
 */
type DoubtResolution = 'repeat' | 'inspect' | 'read_back' | 'leave';

export interface RowToInspect<Payload extends object = object> {
  readonly payload: Payload;
  /** An attempt may have been applied, so a missing link may be our doing. Otherwise it never existed. */
  readonly inDoubt: boolean;
  /** The fingerprint of its destination before the first attempt; undefined where nothing was read then. */
  readonly priorDestination: string | undefined;
  /** The link as it was when the run began, if that is known. */
  readonly listed?: KnownRecord | null | undefined;
}

/** Questions and news between the attempts of a call. */
type CallWatch = Pick<SendOptions, 'onDoubt' | 'isCurrent'>;

/** A call of one of these operations, with all that is sent. */
export type Call<O extends OperationName> = { [K in O]: { readonly operation: K; readonly input: OperationInput<K> } }[O];

export interface AnyCall {
  readonly operation: OperationName;
  readonly input: object;
}

export async function sendCall<O extends OperationName>(
  { send }: Pick<Client, 'send'>,
  call: Call<O>,
  options: SendOptions,
): Promise<OperationResult<O>> {
  const { operation, input }: { operation: O; input: OperationInput<O> } = call;
  return await send(operation, input, options);
}

/** A change that can be made to many rows. The rest of bulk knows no more about its kind than this. */
export interface BulkOperation<Payload extends object = object> {
  readonly kind: OperationKind;
  /** The kind of one row, where rows are of several kinds. */
  kindOf?(payload: Payload): OperationKind;
  readonly doubt: DoubtResolution;
  /** Rows of different groups cannot share a call: a group per domain. */
  group?(payload: Payload): string;
  /** Counts those, from the first, that fit in one call's address; all of them where absent. */
  fitting?(payloads: readonly Payload[]): number;
  /** The call that is made for rows that share one: `call` makes it, and a dry run shows it. */
  request(payloads: readonly Payload[]): AnyCall;
  /** Makes one call, with the repetitions that do no harm. `json`: the payloads as text, if the caller has it. Throws `CallError`. */
  call(payloads: readonly Payload[], signal: AbortSignal, json?: string, watch?: CallWatch): Promise<BatchAnswer>;
  /** Reads the links of rows. The verdict `again` means that the link is as it was before the run. */
  inspect?(rows: readonly RowToInspect<Payload>[], signal: AbortSignal): Promise<readonly Verdict[]>;
  /** If a row in doubt is refused with this code, an earlier attempt was applied: the thing to delete is gone. */
  readonly provenBy?: number | undefined;
  /** Reads the links of rows as they are; null for one that does not exist. Only for changes of links that exist. */
  read?(payloads: readonly Payload[], signal: AbortSignal): Promise<readonly (UrlRecord | null)[]>;
  /** Counts those, from the first, that are read in one call. A batch that is read first is no larger, and costs two calls. */
  readable?(payloads: readonly Payload[]): number;
  /** Receives the link of a row as it is right before the row is sent, where that decides what is done for it; null for none. */
  onRead?(payload: Payload, link: KnownRecord | null): void;
  /** True of a row whose doubt can only be cleared by where its hash led before it was first sent. */
  needsPriorDestination?(payload: Payload): boolean;
  /** The fields that a link shall get, for `undo`; and its name, where the payload does not have it as one. */
  requestedFields?(payload: Payload): EditFields & Partial<LinkKey>;
  /** True where a link is as the row asks for, so that nothing is to be sent. */
  isDone?(payload: Payload, record: KnownRecord): boolean;
  /** The custom hash that a row asks for: where repeating is safe, its key (4.3.4). */
  hashOf?(payload: Payload): string | undefined;
  /** Names that a row shares with others: a link (4.3.3), or a hash that one gives away and another gets. Of these the later row waits. */
  sharedBy?(payload: Payload): string | readonly string[] | undefined;
  statusOf(payload: Payload, done: Done): RowStatus;
  notApplied?(payload: Payload, record: KnownRecord): readonly UnappliedField[];
  /** Receives the hashes of rows that earlier processes settled, if it matters which rows share one. */
  remember?(hashes: readonly string[]): void;
}

export function kindOf(payload: object, operation: BulkOperation): OperationKind {
  return operation.kindOf?.(payload) ?? operation.kind;
}
