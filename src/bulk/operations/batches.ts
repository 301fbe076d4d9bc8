import type { RunInput, RunRow } from '../run-plan.ts';
import { type BatchRules, cutBatch, groupsOf } from '../sending/batches.ts';

/** The rows of each call, as a run sends them while nothing fails. */
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
