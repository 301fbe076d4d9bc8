import { grouped } from '../../base/grouped.ts';
import { fittingHashes } from '../../client/batch-limits.ts';
import type { LinkKey } from '../../contract/link.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import type { RunInput, RunRow } from '../run-plan.ts';

/** Which rows share a call: part of what an operation knows about them. */
export interface BatchRules<Row> {
  /** Rows in one call at most. */
  readonly limit: number;
  /** Rows of different groups cannot share a call: a group per domain. */
  group?(row: Row): string;
  /** How many of these, from the first, fit in one call's address; all of them where absent. */
  fitting?(rows: readonly Row[]): number;
}

/** A call is for links of one domain (4.1.7). */
export const byDomain = { group: ({ domain }: LinkKey): string => domain ?? '' };

/** The same where the links are named in its address. */
export const byHash = { ...byDomain, fitting: fittingHashes };

/** The rules of an operation for rows that carry its payloads. */
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

/** The rows of each group, in order. */
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

/** The rows of each call, as a run sends them while nothing fails (D15). */
export function* batchesOf<Row>(rows: readonly Row[], rules: BatchRules<Row>): Generator<readonly Row[]> {
  for (const group of groupsOf(rows, rules)) {
    for (let rest = group; rest.length > 0; ) {
      const [batch, left] = cutBatch(rest, rules);
      yield batch;
      rest = left;
    }
  }
}

/** The same for a file: a run takes `limit` rows from the input before it groups them. Rows that are left out are none. */
export async function* fileBatches<Item extends object, Row>(
  input: Pick<RunInput<Item>, 'open'>,
  payload: (item: Item) => Row,
  rules: BatchRules<Row>,
): AsyncGenerator<readonly Row[]> {
  for await (const rows of rowBatches(input, rules.limit)) {
    yield* batchesOf(
      rows.flatMap(({ item, skip }) => (skip === undefined ? [payload(item)] : [])),
      rules,
    );
  }
}

/** The rows of a file, `size` at a time. */
export async function* rowBatches<Item extends object>(
  { open }: Pick<RunInput<Item>, 'open'>,
  size: number,
): AsyncGenerator<readonly RunRow<Item>[]> {
  let rows: RunRow<Item>[] = [];
  for await (const some of open()) {
    for (const row of some) {
      if (rows.push(row) < size) continue;
      yield rows;
      rows = [];
    }
  }
  if (rows.length > 0) yield rows;
}

/** The rows of one call, and their payloads as values and as JSON. The JSON is sent as it is; the journal has its checksum (J8). */
export interface SerializedBatch<Payload extends object = object> {
  readonly rows: readonly BulkRow<Payload>[];
  readonly payloads: readonly Payload[];
  readonly json: string;
}

export function serializeBatch<Payload extends object>(rows: readonly BulkRow<Payload>[]): SerializedBatch<Payload> {
  const payloads = rows.map(({ payload }) => payload);
  return { rows, payloads, json: JSON.stringify(payloads) };
}
