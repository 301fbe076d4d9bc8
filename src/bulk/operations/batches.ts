import { grouped } from '../../base/group-by.ts';
import { fittingHashes } from '../../client/batch-limits.ts';
import type { LinkKey } from '../../contract/link.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import type { RunInput, RunRow } from '../run-plan.ts';
import type { BulkOperation } from './operation.ts';

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

export async function* rowBatches<Row extends RunRow>(
  { open }: { open(): AsyncIterable<readonly Row[]> | Iterable<readonly Row[]> },
  size: number,
): AsyncGenerator<readonly Row[]> {
  let rows: Row[] = [];
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
  /** Returns names of links. The rows of a call share none, so that each is read as the earlier rows left it. */
  sharedBy?(row: Row): readonly string[];
}

/** All links of a call are on one domain (4.1.7). */
export const byDomain = { group: ({ domain }: LinkKey): string => domain ?? '' };

export const byHash = { ...byDomain, fitting: fittingHashes };

/** `isRead`: links are read right before their batch is sent, so a batch is no larger than what one call can read. */
export function rulesOf(operation: BulkOperation, limit: number, isRead: boolean): BatchRules<BulkRow> {
  const { group, read, sharedBy } = operation;
  const fitting: BulkOperation['fitting'] = operation.fitting ?? (isRead && read ? fittingHashes : undefined);
  return {
    limit,
    ...(group && { group: ({ payload }) => group(payload) }),
    ...(fitting && { fitting: (rows) => fitting(rows.map(({ payload }) => payload)) }),
    ...(read && sharedBy && { sharedBy: ({ payload }) => sharedBy(payload) }),
  };
}

export function groupsOf<Row>(rows: readonly Row[], { group: keyOf }: BatchRules<Row>): (readonly Row[])[] {
  if (!keyOf) return rows.length > 0 ? [rows] : [];
  return [...grouped(rows, keyOf).values()];
}

/** Splits a group into the rows of the next call and the rest. */
export function cutBatch<Row>(rows: readonly Row[], rules: BatchRules<Row>): [readonly Row[], readonly Row[]] {
  const { limit, fitting, sharedBy } = rules;
  if (rows.length <= limit && !fitting && !sharedBy) return [rows, []];
  const bounded = rows.slice(0, limit);
  const fit = Math.max(1, fitting?.(bounded) ?? bounded.length);
  const count = sharedBy ? countApart(bounded.slice(0, fit), sharedBy) : fit;
  return [rows.slice(0, count), rows.slice(count)];
}

/** Returns how many rows, from the first, share no name. */
function countApart<Row>(rows: readonly Row[], namesOf: (row: Row) => readonly string[]): number {
  const taken = new Set<string>();
  const shared = rows.findIndex((row) => {
    const names = namesOf(row);
    if (names.some((name) => taken.has(name))) return true;
    for (const name of names) taken.add(name);
    return false;
  });
  return shared === -1 ? rows.length : shared;
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
