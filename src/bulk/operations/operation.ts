import type { Client } from '../../client/client.ts';
import type { SendOptions } from '../../client/client-options.ts';
import type { LinkKey } from '../../contract/link.ts';
import type { EditFields, OperationInput, OperationName, OperationResult } from '../../contract/operations.ts';
import type { KnownRecord, UrlRecord } from '../../contract/records.ts';
import type { UnappliedField } from '../../link/same.ts';
import type { BatchAnswer, Done, Verdict } from '../matching/row-verdict.ts';
import type { RowStatus } from '../results/row-outcome.ts';

/** `apply` has rows of the first three kinds. */
export type OperationKind = 'shorten' | 'edit' | 'delete' | 'reset' | 'apply';

/**
 * The method to resolve unknown outcomes. `repeat`: send the same payload again, which is harmless. `inspect`: read the links, then send
 * what is missing. `read_back`: read the listing. `leave`: no reading can resolve them.
 */
type DoubtResolution = 'repeat' | 'inspect' | 'read_back' | 'leave';

export interface RowToInspect<Payload extends object = object> {
  readonly payload: Payload;
  /** An attempt may have been applied, so it may have removed a missing link. Otherwise the link never existed. */
  readonly inDoubt: boolean;
  /** The fingerprint of the destination before the first attempt; undefined if it was not read. */
  readonly priorDestination: string | undefined;
  /** The link when the run began, if known. */
  readonly listed?: KnownRecord | null | undefined;
}

/** Called between the attempts of a call. */
type CallWatch = Pick<SendOptions, 'onDoubt' | 'isCurrent'>;

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

/** A change of many rows. The other folders of `bulk` know its kind only through this interface. */
export interface BulkOperation<Payload extends object = object> {
  readonly kind: OperationKind;
  /** The kind of a row, if rows are of several kinds. */
  kindOf?(payload: Payload): OperationKind;
  readonly doubt: DoubtResolution;
  /** Rows of different groups, such as domains, cannot share a call. */
  group?(payload: Payload): string;
  /** Returns how many rows, from the first, fit in the URL of one call. Absent if all do. */
  fitting?(payloads: readonly Payload[]): number;
  /** Returns the call for these rows: `call` sends it, and a dry run prints it. */
  request(payloads: readonly Payload[]): AnyCall;
  /** Makes one call with harmless retries. `json`: the payloads as text, if already serialized. Throws `CallError`. */
  call(payloads: readonly Payload[], signal: AbortSignal | undefined, json?: string, watch?: CallWatch): Promise<BatchAnswer>;
  /** Reads the links of rows and judges them. `again` means that the links do not show the change. */
  inspect?(rows: readonly RowToInspect<Payload>[], signal: AbortSignal | undefined): Promise<readonly Verdict[]>;
  /** A link to delete that is gone already is as it should be. Otherwise its row fails. */
  readonly mayBeGone?: true;
  /** Reads the links of rows by their hashes; null for a missing one. Only for operations that change existing links. */
  read?(payloads: readonly Payload[], signal: AbortSignal | undefined): Promise<readonly (UrlRecord | null)[]>;
  /** Receives the link of a row, or null, right before the row is sent, if it decides what is sent. */
  onRead?(payload: Payload, link: KnownRecord | null): void;
  /** Returns true if doubt can only be resolved by the destination of the hash before the first attempt. */
  needsPriorDestination?(payload: Payload): boolean;
  /** Returns the requested fields, for `undo`, and the hash and domain if the payload does not have them under these names. */
  requestedFields?(payload: Payload): EditFields & Partial<LinkKey>;
  /** Returns true if the link already has the requested values, so nothing is sent. */
  isDone?(payload: Payload, record: KnownRecord): boolean;
  /** Returns names that rows can share: of a common link (4.3.3), or of a hash that one frees and another takes. The later row waits. */
  sharedBy?(payload: Payload): readonly string[];
  statusOf(payload: Payload, done: Done): RowStatus;
  /** Returns true if a new link looks older than the run: `undo` needs more evidence to delete it. */
  mayBeOlder?(payload: Payload, done: Done): boolean;
  notApplied?(payload: Payload, record: KnownRecord): readonly UnappliedField[];
  /** Receives the hashes that earlier processes recorded, if it matters which rows share one. */
  remember?(hashes: readonly string[]): void;
  /** Receives the hashes of the newest links, if they are listed before the first row is sent. */
  listed?(newest: readonly string[]): void;
}

export function kindOf(payload: object, operation: BulkOperation): OperationKind {
  return operation.kindOf?.(payload) ?? operation.kind;
}
