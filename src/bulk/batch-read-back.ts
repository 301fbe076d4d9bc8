import { CallError } from '../client/call-error.ts';
import type { ShortenItem } from '../contract/operations.ts';
import { type CliError, UnknownOutcomeError } from '../errors.ts';
import type { DoubtfulPast } from './audit.ts';
import type { JournalLedger } from './journal-ledger.ts';
import { type BatchMark, readBack } from './reading-back.ts';
import type { RecordedOutcomes } from './recorded-outcomes.ts';
import type { BulkRow } from './row-outcome.ts';
import type { BegunRun } from './run-beginning.ts';
import { isSettled } from './run-state.ts';
import { stopOf } from './stop.ts';
import { unresolved, type Verdict } from './verdict.ts';
import type { WorkMeans, WorkSettings } from './work-settings.ts';

/** Milliseconds for a request that is under way to arrive (1.6). */
const usualSettle = 10_000;

/** Reads back one batch in doubt and writes the evidence down. Where it is not conclusive, the run stops. */
export async function readBackBatch<Payload extends object>(
  batch: number,
  rows: readonly BulkRow<Payload>[],
  ledger: JournalLedger<Payload>,
  { plan, counted, domain, environment, begun }: WorkSettings<Payload>,
  { journal, recorded, stop, signal }: WorkMeans,
  past: DoubtfulPast[],
): Promise<readonly Verdict[]> {
  const items = rows.map(({ payload }) => payload as ShortenItem);
  const mark = ledger.markOf(batch) ?? (await earlierMark(batch, begun, recorded));
  past.push({ mark, items });
  environment.warn(`no certain answer for ${rows.length} rows: reading the listing back to see what was created`);
  const settings = { client: counted.client, domain, system: environment.system, settle: plan.settle ?? usualSettle, signal };
  try {
    const { verdicts, conclusive, found, total } = await readBack(items, mark, settings);
    await journal.write({ type: 'reconcile', batch, conclusive, found, total });
    if (!conclusive) stop.request(stopOf(inconclusive(rows.length)));
    return verdicts;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    stop.request(stopOf(error.kind === 'unavailable' ? inconclusive(rows.length, error) : error));
    // Nothing was read: the next process does it.
    return rows.map(() => unresolved);
  }
}

async function earlierMark(batch: number, { state }: BegunRun, recorded: RecordedOutcomes): Promise<BatchMark> {
  const intent = state.open.get(batch);
  const settled = (intent?.rows ?? []).filter((index) => isSettled(state.stateOf(index)));
  const outcomes = await recorded.outcomesOf(settled.map((index) => ({ index, line: 0, item: {}, payload: {} })));
  return { known: [], ...intent?.mark, given: outcomes.flatMap(({ record }) => (record ? [record.hash] : [])) };
}

function inconclusive(count: number, cause?: CliError): CliError {
  return new UnknownOutcomeError(`whether ${count} rows were shortened is not known: the listing does not tell`, {
    hint: 'look for them with linkctl list --search; the same command goes on with the other rows',
    ...(cause && { details: [cause.message], cause }),
  });
}
