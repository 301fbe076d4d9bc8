import { grouped } from '../../base/group-by.ts';
import { fittingHashes } from '../../client/batch-limits.ts';
import type { LinkKey } from '../../contract/link.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import type { RunInput, RunRow } from '../run-plan.ts';

/** Yields the rows of each call of a run in which nothing fails. */
export function* batchesOf<Row>(rows: readonly Row[], rules: BatchRules<Row>): Generator<readonly Row[]> {
  for (const group of groupsOf(rows, rules)) {
    for (let rest = group; rest.length > 0; ) {
      const [batch, left] = cutBatch(rest, rules);
      yield batch;
      rest = left;
    }
  }
}

/** Like `batchesOf`, but takes `limit` rows of the input at a time before grouping them, as a run does. Omits rows that are left out. */
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

export interface BatchRules<Row> {
  readonly limit: number;
  group?(row: Row): string;
  fitting?(rows: readonly Row[]): number;
}

/** All links of a call are on one domain (4.1.7). */
export const byDomain = { group: ({ domain }: LinkKey): string => domain ?? '' };

export const byHash = { ...byDomain, fitting: fittingHashes };

export function rulesOf({ group, fitting }: Pick<BatchRules<object>, 'group' | 'fitting'>, limit: number): BatchRules<BulkRow> {
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

/** Splits a group into the rows of the next call and the rest. */
export function cutBatch<Row>(rows: readonly Row[], { limit, fitting }: BatchRules<Row>): [readonly Row[], readonly Row[]] {
  if (rows.length <= limit && !fitting) return [rows, []];
  const bounded = rows.slice(0, limit);
  const count = Math.max(1, fitting?.(bounded) ?? bounded.length);
  return [rows.slice(0, count), rows.slice(count)];
}

/** The rows of one call. The JSON of their payloads is sent unchanged, and the journal stores its checksum. */
export interface SerializedBatch {
  readonly rows: readonly BulkRow[];
  readonly payloads: readonly object[];
  readonly json: string;
}

export function serializeBatch(rows: readonly BulkRow[]): SerializedBatch {
  const payloads = rows.map(({ payload }) => payload);
  return { rows, payloads, json: JSON.stringify(payloads) };
}
