import type { BulkRow } from '../results/row-outcome.ts';

/** The rows of one call, and their payloads as values and as JSON: the text that is summed for the journal (J8) is what goes out. */
export interface SerializedBatch<Payload extends object = object> {
  readonly rows: readonly BulkRow<Payload>[];
  readonly payloads: readonly Payload[];
  readonly json: string;
}

export function serializeBatch<Payload extends object>(rows: readonly BulkRow<Payload>[]): SerializedBatch<Payload> {
  const payloads = rows.map(({ payload }) => payload);
  return { rows, payloads, json: JSON.stringify(payloads) };
}
