import { setMaxListeners } from 'node:events';
import { loadedWhenCalled } from '../base/loaded-when-called.ts';
import { recordDomain } from '../contract/link.ts';
import type { NotedChange } from '../history/noted-changes.ts';
import { type Execution, isStale } from './execution/execution.ts';
import { executeRun } from './execution/run-output.ts';
import { journalLedger } from './journal/ledger.ts';
import { type BegunRun, beginOneOff, identityOfPlan } from './journal/new-run.ts';
import { rulesOf } from './operations/batches.ts';
import type { BulkOperation } from './operations/operation.ts';
import { isCrowded } from './past-runs/run-names.ts';
import type { RowOutcome } from './results/row-outcome.ts';
import { concurrencyOf, needsProof, type RunEnvironment, type RunFacts, type RunPlan } from './run-plan.ts';
import { BudgetError, countCalls, createLimiter } from './sending/limiter.ts';
import { createStop } from './sending/stop.ts';

export type StartedRun = Awaited<ReturnType<typeof startRun>>;
export type RunProgress = ReturnType<StartedRun['progress']>;

/**
 * Starts a run or resumes the unfinished run of the same input. Before anything is sent, throws `UsageError` if it is already complete,
 * `LocalError` if it cannot be resumed, or `LimitError` if a quota is too low. A one-off is not checked.
 */
export async function startRun(plan: RunPlan, environment: RunEnvironment) {
  const limiter = createLimiter(concurrencyOf(plan));
  const { client, calls } = countCalls(environment, plan, limiter);
  const surroundings = { ...environment, client };
  if (!plan.fromArguments || isCrowded(environment.folders)) {
    await (await import('./past-runs/pruning.ts')).pruneRuns(environment.folders, environment.system, plan.undoes);
  }
  const preflight = plan.isOneOff ? undefined : await import('./beginning/preflight.ts');
  const domain = preflight ? await preflight.prepare(plan, surroundings) : plan.domain;
  const operation = plan.operation({ client, domain, batchSize: plan.batchSize, mayCall: () => calls.reserve(1) });
  const identity = identityOfPlan(plan, operation.kind, domain, client);
  const start = async (begun: BegunRun) => {
    const keepsImages = preflight !== undefined || plan.input.readAt !== undefined;
    const images = keepsImages && (await (await import('./journal/images.ts')).imagesOf(begun, plan, environment, operation));
    try {
      const known = { ...surroundings, calls, domain, operation, limiter, begun, images: images || undefined };
      const run = await newExecution(plan, known);
      const { rows } = plan.input;
      const batches = Math.ceil(rows / plan.batchSize);
      const plain: RunFacts = {
        run: begun.name,
        kind: operation.kind,
        resumed: begun.resumed,
        rows,
        doneBefore: 0,
        batches,
        calls: batches,
        domain,
      };
      const facts = preflight ? await preflight.preflight(run, plain) : plain;
      return { facts, ...(await executeRun(run, facts.batches)) };
    } catch (error) {
      if (images) await images.close();
      throw error;
    }
  };
  if (!preflight) return await start(await beginOneOff(identity, plan, environment));
  return await preflight.beginRun(identity, plan, surroundings, start);
}

/** For dry runs: finds the run that `startRun` would resume. Throws its errors, but starts and sends nothing. */
export async function foresee(plan: RunPlan, environment: RunEnvironment) {
  return await (await import('./beginning/preflight.ts')).findResumed(plan, environment);
}

type Beginnings = RunEnvironment & Pick<Execution, 'calls' | 'domain' | 'operation' | 'limiter' | 'begun' | 'images'>;

/** Loads code that few runs need on first use. */
async function newExecution(plan: RunPlan, beginnings: Beginnings): Promise<Execution> {
  const { operation, begun, calls, images } = beginnings;
  const { mode, input } = plan;
  const { state } = begun;
  const isChecked = mode?.name === 'checked';
  const { needsMark, readsFirst } = readingOf(plan, beginnings);
  const priorDestinations = new Map(state.priorDestinations);
  const takeWatermark = loadedWhenCalled(async () => (await import('./checked/newest-links.ts')).watermarksOf(run));
  const reported = plan.results === undefined ? undefined : images;
  const stop = createStop();
  const abort = beginnings.interrupt && new AbortController();
  const signal = abort ? abort.signal : beginnings.signal;
  // Each call in flight adds a listener, and Node reports more than ten as a leak.
  if (signal) setMaxListeners(0, signal);
  const run: Execution = {
    ...beginnings,
    plan,
    stop,
    signal,
    abort: () => abort?.abort(),
    rules: rulesOf(operation, plan.batchSize, readsFirst),
    holdsPermit: concurrencyOf(plan) === 1 || plan.failFast === true,
    inDoubt: new Set(),
    undecided: new Set(),
    priorDestinations,
    readsFirst,
    needsMark,
    older: new Set(state.mark?.known),
    rounds: new Map(),
    recorded: begun.resumed
      ? (await import('./journal/recorded-results.ts')).recordedOutcomes(begun.record.journal, state, reported)
      : undefined,
    ledger: journalLedger(begun, plan, {
      operation,
      priorDestinations,
      takeWatermark: needsMark || (isChecked && !plan.isOneOff) ? takeWatermark : undefined,
      listen: listenerOf(input.rows, beginnings),
    }),
    // In checked mode, the call of a batch is reserved together with the watermark before it.
    reserveCalls: (count = isChecked ? 0 : 1) => {
      const isAllowed = calls.reserve(count);
      if (!isAllowed) stop.because(new BudgetError(plan.budget));
      return isAllowed;
    },
    prove: needsProof(plan, operation)
      ? loadedWhenCalled(async () => (await import('./checked/idempotency-probe.ts')).createIdempotencyProbe(run))
      : undefined,
  };
  return run;
}

/** Decides what is read before anything is sent: the newest links, and the links of the run. */
function readingOf(
  { mode, input, undo, results, isOneOff }: RunPlan,
  beginnings: Beginnings,
): Pick<Execution, 'needsMark' | 'readsFirst'> {
  const { operation, begun, images } = beginnings;
  // If a row gives its hash, or may share a link, the server may return an existing one, which undo must not delete. Therefore the newest
  // links are recorded before anything is sent, unless the hashes were already looked up. A typed link has no record that is resumed.
  const mayGetOldLinks = mode?.name === 'dedupe' ? !isOneOff : mode?.name === 'keyed' && mode.hasOwnHashes === true;
  const isUnsent = begun.state.counts.get('free') === input.rows;
  const needsMark = mayGetOldLinks && !undo && input.readAt === undefined && begun.state.mark === undefined && isUnsent;
  const isUnread = input.readAt === undefined ? images !== undefined || results !== undefined : isStale(input, beginnings);
  return { needsMark, readsFirst: operation.read !== undefined && isUnread };
}

/** The listener notes changes in the click history and calls `onAllSettled` after the last row, before outcomes are recorded. */
function listenerOf(rows: number, { begun, domain, operation, noteChanges, onAllSettled }: Beginnings) {
  const note = operation.kind === 'shorten' ? undefined : noteChanges;
  if (!note && !onAllSettled) return undefined;
  const settled = new Set<number>();
  return async (outcomes: readonly RowOutcome[]): Promise<void> => {
    const changes = note ? outcomes.flatMap((outcome) => changesOf(outcome, operation, domain)) : [];
    if (changes.length > 0) await note?.(begun.name, changes);
    if (!onAllSettled) return;
    for (const { index } of outcomes) settled.add(index);
    if (settled.size === rows) onAllSettled();
  };
}

/** Returns the change of an outcome for the click history. `working` is the domain of rows that name none. */
function changesOf(
  { status, payload, index: row, before, record }: RowOutcome,
  operation: BulkOperation,
  working: string | undefined,
): NotedChange[] {
  if (!('hash' in payload && typeof payload.hash === 'string')) return [];
  // As the server has it, which may ignore the case of what was typed.
  const hash = before?.hash ?? payload.hash;
  const named = 'domain' in payload && typeof payload.domain === 'string' ? payload.domain : working;
  const domain = recordDomain(before ?? record ?? {}) ?? named;
  const change = { row, hash, domain, total: before?.total_clicks, unique: before?.unique_clicks };
  if (status === 'deleted' || status === 'reset') return [{ ...change, kind: status }];
  const name = operation.requestedFields?.(payload).custom_hash;
  // If a row was only partly applied, its record shows whether the rename happened.
  const isRenamed =
    name !== undefined && name !== hash && (status === 'changed' || (status === 'failed' && record?.hash === name));
  return isRenamed ? [{ ...change, kind: 'renamed', newHash: record?.hash ?? name }] : [];
}
