import { type CliError, UnknownOutcomeError } from '../../base/errors.ts';
import { CallError } from '../../client/call-error.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import { doubtful, unresolved, type Verdict } from '../matching/verdict.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import type { RunExecution } from '../run-execution.ts';
import { evidenceOf } from './listing-evidence.ts';
import { usualSettle } from './newest-links.ts';
import { readBack } from './reading-back.ts';

/** Reads back one batch in doubt and writes the evidence down. Where it is not conclusive, the run stops. */
export async function readBackBatch<Payload extends object>(
  batch: number,
  rows: readonly BulkRow<Payload>[],
  run: RunExecution<Payload>,
): Promise<readonly Verdict[]> {
  const { plan, begun, stop } = run;
  const items = rows.map(({ payload }) => payload as ShortenItem);
  run.warn(`no certain answer for ${rows.length} rows: reading the listing back to see what was created`);
  try {
    const evidence = await evidenceOf(begun.path, batch);
    const { verdicts, conclusive, found, total } = evidence
      ? await readBack(items, evidence, {
          ...run,
          settle: plan.settle ?? usualSettle,
          journal: begun.path,
          firstBatch: begun.state.nextBatch,
        })
      : { verdicts: items.map(() => doubtful), conclusive: false, found: [], total: undefined };
    await begun.journal.write({ type: 'reconcile', batch, conclusive, found, total });
    if (!conclusive) stop.because(inconclusive(rows.length));
    return verdicts;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    stop.because(error.kind === 'unavailable' ? inconclusive(rows.length, error) : error);
    // Nothing was read: the next process does it.
    return rows.map(() => unresolved);
  }
}

function inconclusive(count: number, cause?: CliError): CliError {
  return new UnknownOutcomeError(`whether ${count} rows were shortened is not known: the listing does not tell`, {
    hint: 'look for them with linkctl list --search; the same command goes on with the other rows',
    ...(cause && { details: [cause.message], cause }),
  });
}
