import { checksum } from '../../base/checksum.ts';
import { LocalError } from '../../base/errors.ts';
import { isSettled, type OpenIntent } from '../journal/journal-state.ts';
import { knownBefore } from '../journal/recorded-results.ts';
import { serializeBatch } from '../operations/batches.ts';
import { discardText } from '../past-runs/second-links.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import type { Execution, Segment } from './execution.ts';

export function earlierRows({ begun: { state }, images, domain }: Execution) {
  const intentOf = new Map<number, OpenIntent>();
  for (const intent of state.open.values()) for (const row of intent.unsettled) intentOf.set(row, intent);
  let expected = 0;
  return {
    /** Returns true if no earlier process has settled the row or left it in doubt. */
    isFree: (index: number): boolean => state.stateOf(index) === 'free' && !intentOf.has(index),
    /** Adds any other row to its open batch and never skips it. `before` is as recorded: the run may have changed the link. */
    async assigned({ before: _, readAt: __, skip: ___, ...known }: BulkRow, { open }: Segment): Promise<BulkRow> {
      const { index, payload } = known;
      if (isSettled(state.stateOf(index))) return known;
      const priorUrl = state.priorUrls.get(index);
      const image = (await images?.earlier?.of(index))?.record;
      const before = image === undefined && priorUrl !== undefined ? knownBefore(priorUrl, payload, domain) : image;
      const row = before === undefined ? known : { ...known, before };
      const intent = intentOf.get(index);
      if (!intent) return row;
      const batch = open.get(intent) ?? [];
      // A row that was sent twice belongs to its newest batch.
      if (batch.length === 0) for (const sent of intent.unsettled) if (intentOf.get(sent) === intent) expected += 1;
      open.set(intent, batch);
      batch.push(row);
      expected -= 1;
      return row;
    },
    /** Returns true while rows of the open batches of the segment are missing. */
    isExpecting: (): boolean => expected > 0,
  };
}

/** Throws `LocalError` if rows that were in flight would be sent again with other values. */
export function assertSamePayload(open: Segment['open'], { begun: { name, state } }: Execution): void {
  for (const [intent, rows] of open) {
    if (rows.length < intent.rows.length || checksum(serializeBatch(rows).json) === intent.payload) continue;
    throw new LocalError(`run ${name} would now send other values than when it started`, {
      hint: `use the linkctl version that started it; ${discardText(state)}`,
    });
  }
}
