import { UsageError } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { editions } from '../../contract/editions.ts';
import type { Beginning, Execution } from '../execution/execution.ts';
import { needsMark, readsFirst } from '../execution/execution.ts';
import { imagesOf } from '../journal/images.ts';
import { isSettled } from '../journal/journal-state.ts';
import { guarantees } from '../operations/modes.ts';
import { recordUndone } from '../records/later-lines.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import type { RunFacts, StartedRun } from '../run-plan.ts';
import { callsPerBatch, type RunEnvironment, type RunPlan } from '../run-plan.ts';
import { notingLedger } from '../sending/noting-ledger.ts';
import { beginRun } from './beginning.ts';
import { assertDistinct } from './output-paths.ts';
import { assertQuota } from './quota.ts';

/** Starts a run that the same command resumes. */
export async function startKept(
  plan: RunPlan,
  environment: RunEnvironment,
  on: (domain: string | undefined) => Beginning,
): Promise<StartedRun> {
  const domain = await prepare(plan, environment);
  const { identity, operation, start } = on(domain);
  return await beginRun(identity, plan, environment, async (begun) => {
    const images = await imagesOf(begun, plan, environment, operation);
    const { noteChanges: note } = environment;
    const isNoted = note !== undefined && operation.kind !== 'shorten';
    return await start(begun, images, {
      noting: isNoted ? (ledger) => notingLedger(ledger, { operation, run: begun.name, domain, note }) : undefined,
      factsOf: preflight,
    });
  });
}

/** Makes sure that a run may begin, as far as its plan says it, and finds the domain that it is pinned to: nothing was begun yet. */
async function prepare(plan: RunPlan, { client, system, stateFolder }: RunEnvironment): Promise<string | undefined> {
  assertDistinct(plan, system);
  const domain = await pinnedDomain(plan, client);
  if (!plan.fromArguments) {
    const { pruneRuns } = await import('../runs.ts');
    await pruneRuns(stateFolder, system);
  }
  return domain;
}

/** The default domain is pinned, because somebody may change it during the run. */
async function pinnedDomain(plan: RunPlan, client: Client): Promise<string | undefined> {
  if (plan.domain !== undefined || plan.fromArguments || !editions[client.edition].severalDomains) return plan.domain;
  const asked =
    plan.accountDomains ?? import('../../client/account-domains.ts').then(({ accountDomains }) => accountDomains(client));
  return (await asked).defaultDomain;
}

/** The last questions before the first row is sent. Throws where the run cannot start; then nothing was sent. */
async function preflight(run: Execution): Promise<RunFacts> {
  const { plan, begun, stop } = run;
  const { rows, skipped = 0 } = plan.input;
  const facts = factsOf(run, await batchesOf(run, Math.max(0, rows - skipped - doneBefore(run))));
  if (facts.batches > 0) await assertBudget(run);
  await assertQuota(run, facts).catch((error: unknown) => {
    // A resumed run is stopped, but still reports every row: results files written before a kill are out of date.
    if (!begun.resumed) throw error;
    stop.because(error);
  });
  if (begun.resumed) plan.recall?.(begun.state.begin.options);
  await restoreHashes(run);
  if (plan.undoes !== undefined) {
    await recordUndone({ undoes: plan.undoes, by: begun.name }, run.folders, run.system);
  }
  return facts;
}

function doneBefore({ begun }: Pick<Execution, 'begun'>): number {
  let done = 0;
  for (const [state, count] of begun.state.counts) if (isSettled(state)) done += count;
  return done;
}

function factsOf(run: Execution, batches: number): RunFacts {
  const { plan, begun, domain, operation } = run;
  const mode = plan.mode?.name;
  return {
    run: begun.name,
    kind: operation.kind,
    resumed: begun.resumed,
    rows: plan.input.rows,
    doneBefore: doneBefore(run),
    batches,
    // 2 % are kept for reading back.
    calls: Math.ceil(batches * (callsPerBatch(plan) + Number(readsFirst(run))) * 1.02) + Number(batches > 0 && needsMark(run)),
    domain,
    guarantee: mode && `${mode}: ${guarantees[mode]}`,
    advice: mode === 'checked' && batches > 1 ? 'with --generate-hashes, failures cannot create duplicates' : undefined,
  };
}

/** Gives the operation the hashes that the journal has, so that rows that share them are reported as without the interruption. */
async function restoreHashes({ begun, operation }: Execution): Promise<void> {
  if (!begun.resumed || !operation.remember) return;
  const { readJournal } = await import('../journal/line-reader.ts');
  const { hashesOf } = await import('../journal/recorded-results.ts');
  for await (const { line } of readJournal(begun.path)) if (line.type === 'result') operation.remember(hashesOf(line));
}

/** Batches of so many rows that are left: as the run cuts its input, which takes more than the bound says for long hashes. */
async function batchesOf(
  { plan: { input, payload, batchSize, fromArguments }, operation, rules }: Execution,
  left: number,
): Promise<number> {
  if (fromArguments || !operation.group || left === 0) return Math.ceil(left / batchSize);
  const rowOf = (item: object): BulkRow => ({ index: 0, line: undefined, item, payload: payload(item) });
  const { fileBatches } = await import('../operations/batches.ts');
  let count = 0;
  for await (const _ of fileBatches(input, rowOf, rules)) count += 1;
  return Math.ceil((count * left) / input.rows);
}

/**
 * A budget that is used up before the first rows are sent would never send any, however often the command is run: `UsageError`
 * with the least that works.
 */
async function assertBudget(run: Execution): Promise<void> {
  const { plan, operation, calls, begun } = run;
  const { budget } = plan;
  if (budget === undefined) return;
  // With what comes before a batch: reading rows in doubt, and in keyed mode the proof that is still to be made.
  const before = operation.doubt === 'inspect' && begun.state.open.size > 0 ? 1 : 0;
  const isToBeProven = operation.doubt === 'repeat' && plan.mode?.name === 'keyed';
  const toBegin =
    callsPerBatch(plan) + (isToBeProven ? (await import('../checked/idempotency-probe.ts')).callsToProve(run) : before);
  const usual = calls.made + Number(!plan.fromArguments) + Number(needsMark(run)) + toBegin;
  if (budget > usual) return;
  const least = usual + Number(await readsAnyRow(run));
  if (budget >= least) return;
  throw new UsageError(`--budget ${budget}: at least ${least} calls are required to send the first rows`, {
    hint: `use at least --budget ${least}`,
  });
}

/** True where a row is read before it is sent first. */
async function readsAnyRow(run: Execution): Promise<boolean> {
  const { plan, operation } = run;
  const { input, payload } = plan;
  if (readsFirst(run)) return true;
  if (!operation.needsPriorDestination || input.readAt !== undefined) return false;
  for await (const rows of input.open())
    if (rows.some(({ item }) => operation.needsPriorDestination?.(payload(item)))) return true;
  return false;
}
