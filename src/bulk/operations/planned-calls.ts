import { isProven, probesOf, type RunToProve, repeats } from '../checked/idempotency-probe.ts';
import { newRow } from '../execution/execution.ts';
import { needsProof, type RunRow } from '../run-plan.ts';
import { knownVerdicts } from '../sending/links-before.ts';
import { batchesOf, groupsOf, rowBatches, rulesOf } from './batches.ts';
import type { BulkOperation } from './operation.ts';
import { renamesFollowed } from './renames.ts';

interface PlannedRows {
  /** With the links that the run knows or reads before it sends anything. */
  readonly rows: AsyncIterable<readonly RunRow[]> | Iterable<readonly RunRow[]>;
  readonly operation: BulkOperation;
  payload(item: object): object;
  readonly batchSize: number;
  /** Links are read right before their batch is sent, so a batch is no larger than what one call can read. */
  readonly isRead: boolean;
}

/** Yields the calls that change these rows if nothing fails, as the run would build them. */
export async function* plannedCalls({ rows, operation, payload, batchSize, isRead }: PlannedRows, run: RunToProve) {
  let isUnproven = needsProof(run.plan, operation) && !isProven(run);
  const rules = rulesOf(operation, batchSize, isRead);
  const known = { operation, inDoubt: new Set<number>(), plan: {} };
  const followed = renamesFollowed(operation);
  for await (const some of rowBatches({ open: () => rows }, batchSize)) {
    const wanted = some.filter(({ skip }) => skip === undefined);
    const all = wanted.map((row, index) => followed(newRow(row, index, { input: {}, payload })));
    const probes = isUnproven ? [...probesOf(all, operation)] : [];
    const probe = probes.find((probed) => knownVerdicts(probed, known).includes(undefined)) ?? [];
    if (probe.length > 0) isUnproven = false;
    const others = all.filter((row) => !probe.includes(row));
    for (const batch of [probe, ...(repeats(known) ? [probe] : []), ...batchesOf(others, rules)]) {
      for (const { payload: sent, before } of batch) if (before !== undefined) operation.onRead?.(sent, before);
      for (const part of groupsOf(batch, rules)) {
        const verdicts = knownVerdicts(part, known);
        const sent = part.filter((_, nth) => !verdicts[nth]).map((row) => row.payload);
        if (sent.length > 0) yield operation.request(sent);
      }
    }
  }
}
