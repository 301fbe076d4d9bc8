import type { OpenJournalFile } from '../../src/bulk/journal/journal.ts';
import type { BulkOperation } from '../../src/bulk/operations/operation.ts';
import type { RowOutcome } from '../../src/bulk/results/row-outcome.ts';
import { runEnd } from '../../src/bulk/results/run-end.ts';
import { startRun } from '../../src/bulk/run.ts';
import type { OperationSettings, RunPlan } from '../../src/bulk/run-plan.ts';
import { type BulkWorld, exitOf, inputOf, rowsOf } from './bulk-world.ts';

/** Links h0, h1, … */
export async function fill({ direct }: BulkWorld, count: number): Promise<void> {
  const urls = rowsOf(count, (index) => ({ custom_hash: `h${index}` }));
  await direct.send('shortenUrls', { query: {}, body: { urls } });
}

/** Makes a change as of links that were typed, begun anew each time. */
export async function oneOff<Row extends object>(
  { client, system, folders, warnings }: BulkWorld,
  operation: BulkOperation<Row>,
  rows: readonly Row[],
  more?: Partial<RunPlan<Row>>,
  openJournalFile?: OpenJournalFile,
) {
  const run = await startRun(
    {
      operation: () => operation,
      fromArguments: true,
      isOneOff: true,
      input: inputOf(rows, 'typed'),
      payload: (item) => item as Row,
      options: {},
      columns: [],
      batchSize: 1000,
      concurrency: 1,
      ...more,
    },
    { client, system, folders, warn: (message) => void warnings.push(message), openJournalFile },
  );
  const outcomes: RowOutcome[] = [];
  for await (const settled of run.rows) outcomes.push(...settled);
  const { tally, stop } = run.summary();
  return { outcomes, end: runEnd(tally, stop) };
}

export async function change<Row extends object>(
  world: BulkWorld,
  operation: BulkOperation<Row>,
  rows: readonly Row[],
  batchSize = 1000,
) {
  const { outcomes, end } = await oneOff(world, operation, rows, { batchSize });
  return {
    exit: exitOf(end),
    statuses: outcomes.map(({ status, error }) => (error?.code ? error.code : status)).join(' '),
    outcomes,
  };
}

export const named = (...hashes: string[]) => hashes.map((hash) => ({ hash }));

/** The same as a long run, with its journal. */
export async function longRun<Row extends object>(
  world: BulkWorld,
  operation: (settings: OperationSettings) => BulkOperation<Row>,
  rows: readonly Row[],
  openJournalFile?: OpenJournalFile,
  more?: Partial<RunPlan<Row>>,
): Promise<{ exit: number | 'signal'; statuses: string }> {
  const { client, system, folders } = world;
  const run = await startRun(
    {
      operation,
      input: inputOf(rows, 'hashes.txt'),
      payload: (item) => item as Row,
      options: {},
      columns: ['hash'],
      batchSize: 2,
      concurrency: 1,
      ...more,
    },
    { client, system, folders, warn: () => {}, openJournalFile },
  );
  const statuses: string[] = [];
  for await (const settled of run.rows) {
    statuses.push(...settled.map(({ status, error }) => (error?.code ? String(error.code) : status)));
  }
  const { tally, stop } = run.summary();
  const end = runEnd(tally, stop);
  return { statuses: statuses.join(' '), exit: exitOf(end) };
}
