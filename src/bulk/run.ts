import { setMaxListeners } from 'node:events';
import { CallError, refusesRun } from '../client/call-error.ts';
import type { Client } from '../client/client.ts';
import { editions } from '../contract/editions.ts';
import { withoutLocalPort } from '../contract/web-address.ts';
import { absolutePath } from '../files/folders.ts';
import { assertDistinct } from './beginning/output-paths.ts';
import { assertBudget, assertQuota, factsOf, needsMark, readsFirst } from './beginning/preflight.ts';
import { createIdempotencyProbe } from './checked/idempotency-probe.ts';
import { takeWatermark, type Watermark } from './checked/newest-links.ts';
import { readBackBatch } from './checked/reading-back.ts';
import { executeRun } from './execution/batch-loop.ts';
import { createStop } from './execution/execution.ts';
import { openImages } from './journal/images.ts';
import { journalLedger } from './journal/ledger.ts';
import { recordedOutcomes } from './journal/recorded-outcomes.ts';
import type { RunIdentity } from './journal/run-folder.ts';
import { type KnownRecord, ofWholeRecords, shortUrlOf } from './matching/row-verdict.ts';
import { rulesOf } from './operations/batches.ts';
import type { BulkOperation } from './operations/operation.ts';
import { runFolders } from './records/run-names.ts';
import { beginRun } from './run-beginning.ts';
import type { BegunRun, RunExecution } from './run-execution.ts';
import { callsPerBatch, concurrencyOf, type RunEnvironment, type RunPlan } from './run-plan.ts';
import { answeringLedger } from './sending/answering-ledger.ts';
import { BudgetError, countCalls, createKeyedMutex, createLimiter } from './sending/limiter.ts';
import { notingLedger } from './sending/noting-ledger.ts';
import type { StartedRun } from './started-run.ts';

/**
 * Begins a long run, or continues the unfinished one of the same input (R 1.4). Throws before anything is
 * sent: `UsageError` for a run that is finished, `LocalError` for one that cannot continue, `LimitError` for quotas.
 */
export async function startRun<Payload extends object>(
  plan: RunPlan<Payload>,
  environment: RunEnvironment,
): Promise<StartedRun<Payload>> {
  assertDistinct(plan, environment.system);
  const limiter = createLimiter(concurrencyOf(plan));
  // If the session has asked for the domains, that call counts as the run's first.
  const before = plan.accountDomains ? 1 : 0;
  const counted = countCalls(environment.client, { budget: plan.budget, before, onThrottled: limiter.throttled });
  const domain = await domainOf(plan, counted.client);
  const mayCall = (): boolean => counted.calls.reserve(1);
  const operation = plan.operation({ client: counted.client, domain, batchSize: plan.batchSize, mayCall });
  if (!plan.isTyped) {
    const { pruneRuns } = await import('./runs.ts');
    await pruneRuns(environment.stateFolder, environment.system);
  }
  const identity = identityOf(plan, operation, domain, environment.client);
  return await beginRun(identity, plan, environment, async (begun) => {
    const images = keepsImages(begun, plan, environment)
      ? await openImages({
          record: begun.record,
          journal: begun.journal,
          rows: plan.input.rows,
          operation,
          system: environment.system,
          openFile: environment.openJournalFile,
        })
      : undefined;
    try {
      return await execute(executionOf(plan, { ...environment, ...counted, domain, operation, limiter, begun, images }));
    } catch (error) {
      await images?.close();
      throw error;
    }
  });
}

/** A run is undone as a whole: what it began with decides for all of its rows. */
function keepsImages<Payload extends object>(
  { resumed, name, state: { begin } }: BegunRun,
  { undo = false }: RunPlan<Payload>,
  { warn }: RunEnvironment,
): boolean {
  const began = begin.undo ?? false;
  if (!resumed || began === undo) return undo;
  warn(`run ${name} was started ${began ? 'without' : 'with'} --no-undo, and continues so`);
  return began;
}

/** Throws where the run cannot start: nothing was sent. */
async function execute<Payload extends object>(run: RunExecution<Payload>): Promise<StartedRun<Payload>> {
  const { plan, begun, operation, stop } = run;
  const facts = await factsOf(run);
  if (facts.batches > 0) await assertBudget(run);
  await assertQuota(run, facts).catch((error: unknown) => {
    // A resumed run is stopped, but still reports every row: results files written before a kill are out of date (R-X9).
    if (!begun.resumed) throw error;
    stop.because(error);
  });
  if (begun.resumed) plan.recall?.(begun.state.begin.options);
  await restoreHashes(begun, operation);
  if (plan.undoes !== undefined) {
    const { recordUndone } = await import('./records/done-run.ts');
    await recordUndone({ undoes: plan.undoes, by: begun.name }, run.folders, run.system);
  }
  return { facts, ...executeRun(run, facts.batches) };
}

/** R-X8: the default domain is pinned, because somebody may change it during the run. */
async function domainOf<Payload extends object>(plan: RunPlan<Payload>, client: Client): Promise<string | undefined> {
  if (plan.domain !== undefined || plan.isTyped || !editions[client.edition].severalDomains) return plan.domain;
  const asked =
    plan.accountDomains ?? import('../client/account-domains.ts').then(({ accountDomains }) => accountDomains(client));
  return (await asked).defaultDomain;
}

/** J5: gives the operation the hashes that the journal has, so that rows that share them are reported as without the interruption. */
async function restoreHashes<Payload extends object>(
  { resumed, path }: BegunRun,
  operation: BulkOperation<Payload>,
): Promise<void> {
  if (!resumed || !operation.remember) return;
  const { readJournal } = await import('./journal/reading.ts');
  const { hashesOf } = await import('./journal/recorded-results.ts');
  for await (const { line } of readJournal(path)) if (line.type === 'result') operation.remember(hashesOf(line));
}

function identityOf<Payload extends object>(
  { input, options, mode }: RunPlan<Payload>,
  { kind }: BulkOperation<Payload>,
  domain: string | undefined,
  { identity }: Client,
): RunIdentity {
  const name = input.copyTo === undefined ? absolutePath(input.name) : input.name;
  return {
    operation: kind,
    mode: mode?.name,
    server: identity.server,
    account: identity.username,
    domain: domain && withoutLocalPort(domain),
    input: {
      name,
      sha256: input.sha256,
      rows: input.rows,
      file: input.file && { ...input.file, name: absolutePath(input.file.name) },
    },
    // As the journal returns it, so that the two can be compared.
    options: JSON.parse(JSON.stringify({ ...options, generateHashes: mode?.generateHashes || undefined })),
  };
}

type Beginnings<Payload extends object> = RunEnvironment &
  Pick<RunExecution<Payload>, 'calls' | 'domain' | 'operation' | 'limiter' | 'begun' | 'images'>;

/** Everything that the run has from here to its end. */
function executionOf<Payload extends object>(plan: RunPlan<Payload>, beginnings: Beginnings<Payload>): RunExecution<Payload> {
  const { operation, begun } = beginnings;
  const { journal, state } = begun;
  const isChecked = plan.mode?.name === 'checked';
  const isKeyed = plan.mode?.name === 'keyed' && operation.doubt === 'repeat';
  const before = new Map(state.before);
  const reads = beginnings.images ? 'undo' : plan.results === undefined ? 'renames' : 'results';
  const isRead = readsFirst({ operation, reads, plan, system: beginnings.system });
  const abort = new AbortController();
  // Each call under way listens to it, and Node takes more than ten for a leak.
  setMaxListeners(0, abort.signal);
  const run: RunExecution<Payload> = {
    ...beginnings,
    plan,
    stop: createStop(),
    signal: abort.signal,
    abort: () => abort.abort(),
    folders: runFolders(beginnings.stateFolder),
    rules: rulesOf(
      { group: operation.group, fitting: operation.fitting ?? (isRead ? operation.readable : undefined) },
      plan.batchSize,
    ),
    failFast: plan.failFast ?? false,
    holdsPlace: concurrencyOf(plan) === 1 || plan.failFast === true,
    mutex: createKeyedMutex(),
    inDoubt: new Set(),
    before,
    reads,
    isSelected: plan.isSelected && ofWholeRecords(plan.isSelected),
    rounds: new Map(),
    recorded: recordedOutcomes(begun.path, state),
    ledger: notingLedger(
      answeringLedger(
        journalLedger({
          journal,
          before,
          firstBatch: state.nextBatch,
          keyOf: plan.mode?.generateHashes ? ({ payload }) => operation.hashOf?.(payload) ?? '' : undefined,
          keepsPrior: plan.results !== undefined,
          takeWatermark: isChecked ? () => paidWatermark(run) : needsMark({ plan, begun }) ? () => mark() : undefined,
        }),
        plan.input.rows,
        beginnings.answered,
      ),
      { operation, run: begun.name, domain: beginnings.domain, note: beginnings.noteChanges },
    ),
    // In checked mode `paidWatermark` has reserved the call of the batch together with its own.
    mayCall: (calls = isChecked ? 0 : 1) => mayCall(calls, run),
    readBack: (batch, rows) =>
      readBackBatch(
        batch,
        rows.map(({ payload }) => payload),
        run,
      ),
    prove: isKeyed || operation.kind === 'apply' ? (rows) => probe(rows) : undefined,
    onSurplus: (records) => keepSurplus(records, run),
  };
  const probe = createIdempotencyProbe(run);
  const mark = firstWatermark(run);
  return run;
}

function mayCall<Payload extends object>(count: number, { calls, plan, stop }: RunExecution<Payload>): boolean {
  if (calls.reserve(count)) return true;
  stop.because(new BudgetError(plan.budget));
  return false;
}

async function paidWatermark<Payload extends object>(run: RunExecution<Payload>): Promise<Watermark> {
  if (!run.calls.reserve(callsPerBatch(run.plan))) throw new BudgetError(run.plan.budget);
  return await takeWatermark(run, run.signal);
}

/** Before the first batch alone: later ones wait for it. Where it cannot be read, `undo` takes nothing for the run's own. */
function firstWatermark<Payload extends object>(run: RunExecution<Payload>): () => Promise<Watermark | undefined> {
  let first: Promise<Watermark | undefined> | undefined;
  const read = async (): Promise<Watermark | undefined> => {
    if (!run.calls.reserve(1)) return undefined;
    return await takeWatermark(run, run.signal).catch((error: unknown) => {
      // Beside hashes that were made here, nothing else tells those that were not.
      if (!(error instanceof CallError) || refusesRun(error) || run.plan.mode?.generateHashes) throw error;
      run.warn(`could not list the newest links, so undo will need --force: ${error.message}`);
      return undefined;
    });
  };
  return async () => {
    if (first) return await first.then(() => undefined);
    first = read();
    return await first;
  };
}

/** Links that nobody asked for are named and kept in the journal; deleting them is for a person to decide (F33). */
function keepSurplus<Payload extends object>(records: readonly KnownRecord[], { warn, begun }: RunExecution<Payload>): void {
  const named = records.slice(0, 5).map(shortUrlOf).join(', ');
  warn(`a response contained ${records.length} records that belong to no row: ${named}`);
  const found = records.map(({ hash }) => hash);
  // The next write fails as well if the journal is broken.
  begun.journal.write({ type: 'reconcile', batch: 0, conclusive: true, found }).catch(() => undefined);
}
