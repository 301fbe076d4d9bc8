import { checksum } from '../../base/checksum.ts';
import { LocalError } from '../../base/errors.ts';
import type { OpenIntent, RunState } from '../journal/journal-state.ts';
import { knownBefore } from '../journal/recorded-results.ts';
import { serializeBatch } from '../operations/batches.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import { isSettledLater } from '../sending/settling.ts';
import type { Execution, Segment } from './execution.ts';

/** Says of each row of a resumed run what an earlier process left of it. */
export interface EarlierRows {
  /** True of a row that is as if no process had met it. */
  isFree(index: number): boolean;
  /** Any other row with its link as far as the journal keeps it: what is read of it now may be what this run made of it. It is never left out. */
  withLink(row: BulkRow): BulkRow;
  /** Puts a row that is not free where it belongs. */
  assign(row: BulkRow, segment: Segment): void;
  /** True while rows of open batches of the segment are still to come. */
  isExpecting(): boolean;
}

export function earlierRows({ begun: { state }, operation }: Execution): EarlierRows {
  const intentOf = openIntents(state);
  let expected = 0;

  function addOpen(intent: OpenIntent, row: BulkRow, { open }: Segment): void {
    const known = open.get(intent);
    if (known) known.push(row);
    else {
      open.set(intent, [row]);
      // A row that was sent twice belongs to its newest batch.
      for (const sent of intent.unsettled) if (intentOf.get(sent) === intent) expected += 1;
    }
    expected -= 1;
  }

  return {
    isFree: (index) => state.stateOf(index) === 'free' && !intentOf.has(index),
    withLink({ before: _, readAt: __, skip: ___, ...row }) {
      const priorUrl = state.priorUrls.get(row.index);
      return priorUrl === undefined ? row : { ...row, before: knownBefore(priorUrl, row.payload) };
    },
    assign(row, segment) {
      const intent = intentOf.get(row.index);
      if (intent) addOpen(intent, row, segment);
      else if (state.stateOf(row.index) === 'unknown' && isSettledLater(operation)) segment.unsure.push(row);
    },
    isExpecting: () => expected > 0,
  };
}

function openIntents({ open }: RunState): Map<number, OpenIntent> {
  const intents = new Map<number, OpenIntent>();
  for (const intent of open.values()) for (const row of intent.unsettled) intents.set(row, intent);
  return intents;
}

/** Rows that were on their way are sent again as they were, or not at all. */
export function assertSamePayload(open: Segment['open'], { begun: { name } }: Execution): void {
  for (const [intent, rows] of open) {
    if (rows.length < intent.rows.length || checksum(serializeBatch(rows).json) === intent.payload) continue;
    throw new LocalError(`run ${name} would now send other values than when it started`, {
      hint: `use the linkctl version that started it; to discard the run: linkctl runs forget ${name}`,
    });
  }
}
