import { grouped } from '../../base/group-by.ts';
import { fittingHashes } from '../../client/batch-limits.ts';
import type { LinkKey } from '../../contract/link.ts';
import type { BulkRow } from '../results/row-outcome.ts';

/** The part of an operation that decides which rows share a call. */
export interface BatchRules<Row> {
  readonly limit: number;
  /** Rows of different groups cannot share a call: a group per domain. */
  group?(row: Row): string;
  /** Counts those, from the first, that fit in one call's address; all of them where absent. */
  fitting?(rows: readonly Row[]): number;
}

/** A call is for links of one domain (4.1.7). */
export const byDomain = { group: ({ domain }: LinkKey): string => domain ?? '' };

/** The same where the links are named in its address. */
export const byHash = { ...byDomain, fitting: fittingHashes };

export function rulesOf<Payload extends object>(
  { group, fitting }: Pick<BatchRules<Payload>, 'group' | 'fitting'>,
  limit: number,
): BatchRules<BulkRow<Payload>> {
  return {
    limit,
    ...(group && { group: ({ payload }) => group(payload) }),
    ...(fitting && { fitting: (rows) => fitting(rows.map(({ payload }) => payload)) }),
  };
}

export function groupsOf<Row>(rows: readonly Row[], { group: keyOf }: BatchRules<Row>): (readonly Row[])[] {
  if (!keyOf) return rows.length > 0 ? [rows] : [];
  return [...grouped(rows, keyOf).values()];
}

/** Splits one group: the rows of the next call, and the rest. */
export function cutBatch<Row>(rows: readonly Row[], { limit, fitting }: BatchRules<Row>): [readonly Row[], readonly Row[]] {
  if (rows.length <= limit && !fitting) return [rows, []];
  const bounded = rows.slice(0, limit);
  const count = Math.max(1, fitting?.(bounded) ?? bounded.length);
  return [rows.slice(0, count), rows.slice(count)];
}

/** The rows of one call, and their payloads as values and as JSON. The JSON is sent as it is; the journal has its checksum. */
export interface SerializedBatch<Payload extends object = object> {
  readonly rows: readonly BulkRow<Payload>[];
  readonly payloads: readonly Payload[];
  readonly json: string;
}

export function serializeBatch<Payload extends object>(rows: readonly BulkRow<Payload>[]): SerializedBatch<Payload> {
  const payloads = rows.map(({ payload }) => payload);
  return { rows, payloads, json: JSON.stringify(payloads) };
}
