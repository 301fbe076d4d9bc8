import type { ShortenItem } from '../../contract/operations.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import type { RunRow } from '../run-plan.ts';
import type { OpenIntent, RunState } from './run-state.ts';

/** Neighbouring rows that are worked on together; what comes out is in the order of what goes in. */
export interface Segment<Payload extends object> {
  readonly rows: readonly BulkRow<Payload>[];
  /** Rows to send. */
  readonly free: readonly BulkRow<Payload>[];
  /** Batches that an earlier process left open, with their unsettled rows (J6). All of a batch is in one segment. */
  readonly open: readonly { readonly intent: OpenIntent; readonly rows: readonly BulkRow<Payload>[] }[];
  /** Rows that an earlier process left in doubt without a batch to ask for. */
  readonly unsure: readonly BulkRow<Payload>[];
}

export interface SegmentSettings<Payload extends object> {
  readonly input: AsyncIterable<readonly RunRow[]>;
  readonly state: RunState;
  readonly payloadOf: (item: object, index: number) => Payload;
  /** Rows to send that a segment holds, at the time when it is begun. */
  readonly size: () => number;
  /** What an `unknown` row of an earlier process is now: to be looked at or sent again, or unknown for good. */
  readonly unknownIs: 'open' | 'final';
}

/** Rows without anything to send that are passed on together. */
const settledRows = 1000;

/** Reads the input and cuts it. Holds one segment at a time. */
export async function* segmentsOf<Payload extends object>(settings: SegmentSettings<Payload>): AsyncGenerator<Segment<Payload>> {
  const { input, state, payloadOf, size } = settings;
  const intentOf = openIntents(state);
  let draft = emptyDraft<Payload>();
  let index = 0;
  for await (const rows of input) {
    for (const { line, item } of rows) {
      add({ index, line, item, payload: payloadOf(item, index) }, draft, settings, intentOf);
      index += 1;
      const isFull = draft.free.length >= size() || draft.rows.length >= size() + settledRows;
      if (!isFull || draft.expected > 0) continue;
      yield segmentOf(draft);
      draft = emptyDraft();
    }
  }
  if (draft.rows.length > 0) yield segmentOf(draft);
}

interface Draft<Payload extends object> {
  readonly rows: BulkRow<Payload>[];
  readonly free: BulkRow<Payload>[];
  readonly unsure: BulkRow<Payload>[];
  readonly open: Map<OpenIntent, BulkRow<Payload>[]>;
  /** Rows of open batches that are still to come. */
  expected: number;
}

function emptyDraft<Payload extends object>(): Draft<Payload> {
  return { rows: [], free: [], unsure: [], open: new Map(), expected: 0 };
}

function segmentOf<Payload extends object>({ rows, free, unsure, open }: Draft<Payload>): Segment<Payload> {
  return { rows, free, unsure, open: [...open].map(([intent, unsettled]) => ({ intent, rows: unsettled })) };
}

function add<Payload extends object>(
  row: BulkRow<Payload>,
  draft: Draft<Payload>,
  { state, unknownIs }: SegmentSettings<Payload>,
  intentOf: ReadonlyMap<number, OpenIntent>,
): void {
  draft.rows.push(row);
  const intent = intentOf.get(row.index);
  if (!intent) {
    const found = state.stateOf(row.index);
    if (found === 'free') draft.free.push(row);
    if (found === 'unknown' && unknownIs === 'open') draft.unsure.push(row);
    return;
  }
  const known = draft.open.get(intent);
  if (known) known.push(row);
  else {
    draft.open.set(intent, [row]);
    draft.expected += ownRows(intent, intentOf);
  }
  draft.expected -= 1;
}

/** A row that was sent twice belongs to its newest batch. */
function openIntents({ open }: RunState): Map<number, OpenIntent> {
  const intents = new Map<number, OpenIntent>();
  for (const intent of open.values()) for (const row of intent.unsettled) intents.set(row, intent);
  return intents;
}

function ownRows(intent: OpenIntent, intentOf: ReadonlyMap<number, OpenIntent>): number {
  return [...intent.unsettled].filter((row) => intentOf.get(row) === intent).length;
}

/** The long URLs whose links the rows of a segment share with whoever has the same (4.3.3). */
export function sharedUrls<Payload extends object>({ free, open, unsure }: Segment<Payload>): string[] {
  const rows = [...free, ...open.flatMap((batch) => batch.rows), ...unsure];
  return rows
    .map(({ payload }) => payload as Partial<ShortenItem>)
    .flatMap(({ long_url = '', custom_hash }) => (custom_hash ? [] : [long_url]));
}
