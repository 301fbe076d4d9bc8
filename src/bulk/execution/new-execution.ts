import { setMaxListeners } from 'node:events';
import { journalLedger, type Ledger } from '../journal/ledger.ts';
import { ofWholeRecords } from '../matching/row-verdict.ts';
import { rulesOf } from '../operations/batches.ts';
import { runFolders } from '../records/run-names.ts';
import { concurrencyOf, type RunEnvironment, type RunPlan } from '../run-plan.ts';
import { answeringLedger } from '../sending/answering-ledger.ts';
import { BudgetError } from '../sending/limiter.ts';
import { createStop } from '../sending/stop.ts';
import type { Execution, StartManner } from './execution.ts';
import { needsMark, readsFirst } from './execution.ts';

type Beginnings = RunEnvironment &
  Pick<Execution, 'calls' | 'domain' | 'operation' | 'limiter' | 'begun' | 'images'> &
  Pick<StartManner, 'noting'>;

/** Puts together what a run has from here to its end. What few runs need is loaded when it is needed. */
export async function newExecution(plan: RunPlan, beginnings: Beginnings): Promise<Execution> {
  const { operation, begun, images, system } = beginnings;
  const isChecked = plan.mode?.name === 'checked';
  const isMarked = isChecked ? !plan.isOneOff : needsMark({ plan, begun });
  const isProven = !plan.isOneOff && (plan.mode?.name === 'keyed' ? operation.doubt === 'repeat' : operation.kind === 'apply');
  const reads = images ? 'undo' : plan.results === undefined ? 'renames' : 'results';
  const fitting = operation.fitting ?? (readsFirst({ operation, reads, plan, system }) ? operation.readable : undefined);
  const priorDestinations = new Map(begun.state.priorDestinations);
  const takeWatermark = loadedWhenCalled(async () => (await import('../checked/run-watermarks.ts')).watermarksOf(run));
  const abort = new AbortController();
  const signal = beginnings.signal ? AbortSignal.any([abort.signal, beginnings.signal]) : abort.signal;
  // Each call under way listens to it, and Node takes more than ten for a leak.
  setMaxListeners(0, signal);
  const run: Execution = {
    ...beginnings,
    plan,
    stop: createStop(),
    signal,
    abort: () => abort.abort(),
    folders: runFolders(beginnings.stateFolder),
    rules: rulesOf({ group: operation.group, fitting }, plan.batchSize),
    holdsPermit: concurrencyOf(plan) === 1 || plan.failFast === true,
    inDoubt: new Set(),
    priorDestinations,
    reads,
    isSelected: plan.isSelected && ofWholeRecords(plan.isSelected),
    rounds: new Map(),
    recorded: await earlierOutcomes(beginnings),
    ledger: ledgerOf(plan, beginnings, { priorDestinations, takeWatermark: isMarked ? takeWatermark : undefined }),
    // In checked mode the call of a batch is reserved together with the watermark before it.
    mayCall: (calls = isChecked ? 0 : 1) => mayCall(calls, run),
    prove: isProven
      ? loadedWhenCalled(async () => (await import('../checked/idempotency-probe.ts')).createIdempotencyProbe(run))
      : undefined,
  };
  return run;
}

/** A function that is made when it is first called. */
function loadedWhenCalled<Given extends unknown[], Result>(
  load: () => Promise<(...given: Given) => Promise<Result>>,
): (...given: Given) => Promise<Result> {
  let work: Promise<(...given: Given) => Promise<Result>> | undefined;
  return async (...given) => {
    work ??= load();
    return await (await work)(...given);
  };
}

async function earlierOutcomes({ begun }: Beginnings): Promise<Execution['recorded']> {
  if (!begun.resumed) return undefined;
  const { recordedOutcomes } = await import('../journal/recorded-results.ts');
  return recordedOutcomes(begun.path, begun.state);
}

type LedgerParts = Pick<Parameters<typeof journalLedger>[0], 'priorDestinations' | 'takeWatermark'>;

/** The ledger that writes into the journal, and those around it that others listen to. */
function ledgerOf(
  { mode, results, input }: RunPlan,
  { begun: { journal, state }, operation, answered, noting }: Beginnings,
  parts: LedgerParts,
): Ledger {
  const written = journalLedger({
    ...parts,
    journal,
    firstBatch: state.nextBatch,
    keyOf: mode?.generateHashes ? ({ payload }) => operation.hashOf?.(payload) ?? '' : undefined,
    keepsPrior: results !== undefined,
  });
  const answering = answeringLedger(written, input.rows, answered);
  return noting?.(answering) ?? answering;
}

function mayCall(count: number, { calls, plan, stop }: Execution): boolean {
  if (calls.reserve(count)) return true;
  stop.because(new BudgetError(plan.budget));
  return false;
}
