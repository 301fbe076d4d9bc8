import { LimitError, UsageError } from '../../base/errors.ts';
import type { System } from '../../base/system.ts';
import { utcDay } from '../../base/times.ts';
import { CallError } from '../../client/call-error.ts';
import type { Client } from '../../client/client.ts';
import { editions } from '../../contract/editions.ts';
import type { Execution } from '../execution/execution.ts';
import { isSettled, settledCount, unsentCount } from '../journal/journal-state.ts';
import { readJournal } from '../journal/line-reader.ts';
import { identityOfPlan, outputsOf } from '../journal/new-run.ts';
import { recordedHashes } from '../journal/recorded-results.ts';
import { fileBatches } from '../operations/batches.ts';
import { guarantees } from '../operations/modes.ts';
import { recordResumed, recordUndone } from '../past-runs/later-lines.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import { callsPerBatch, type FoundRun, type RunEnvironment, type RunFacts, type RunPlan } from '../run-plan.ts';
import { runToContinue } from './beginning.ts';
import { assertDistinct } from './output-paths.ts';

export { beginRun } from './beginning.ts';

/** Checks output files and returns the domain to pin, because the default domain may change during the run. */
export async function prepare(plan: RunPlan, { client, system }: RunEnvironment): Promise<string | undefined> {
  assertDistinct(plan, system);
  if (plan.fromArguments || plan.domain !== undefined || !editions[client.edition].severalDomains) return plan.domain;
  const domains = plan.domains?.(client) ?? (await import('../../client/account-domains.ts')).accountDomains(client);
  return (await domains).defaultDomain;
}

/** Returns the run that `beginRun` would resume, if any, with the values of the day on which it began. */
export async function findResumed(plan: RunPlan, environment: RunEnvironment) {
  const { client } = environment;
  const domain = await prepare(plan, environment);
  const { kind } = plan.operation({ client, domain, batchSize: plan.batchSize, mayCall: () => true });
  const found = await runToContinue(identityOfPlan(plan, kind, domain, client), plan, environment);
  if (!found) return undefined;
  restoreOptions(plan, found, environment.system);
  const { name, state } = found;
  const isDone = (row: number): boolean => isSettled(state.stateOf(row));
  return { run: name, done: settledCount(state), unsent: unsentCount(state), isDone };
}

/** Checks budget and quota before the first row is sent. Throws if the run cannot start. */
export async function preflight(run: Execution, plain: RunFacts): Promise<RunFacts> {
  const { plan, begun, stop, operation } = run;
  const { rows, skipped = 0 } = plan.input;
  const facts = factsOf(run, plain, await countBatches(run, Math.max(0, rows - skipped - settledCount(begun.state))));
  if (facts.batches > 0) await assertBudget(run);
  await assertQuota(run, facts).catch((error: unknown) => {
    // A resumed run stops, but still reports every row: results files from before a kill are out of date.
    if (!begun.resumed) throw error;
    stop.because(error);
  });
  if (begun.resumed) {
    const warnings = restoreOptions(plan, begun, run.system);
    if (facts.batches > 0) for (const warning of warnings) run.warn(warning);
    // Rows that share a link are then reported as if the run had not been interrupted.
    if (operation.remember)
      for await (const { line } of readJournal(begun.record.journal))
        if (line.type === 'result') operation.remember(recordedHashes(line));
  }
  if (plan.undoes !== undefined) await recordUndone({ undoes: plan.undoes, by: begun.name }, run.folders, run.system);
  await recordResumed(begun, run.system, outputsOf(plan));
  return facts;
}

/** Returns warnings. */
function restoreOptions({ restoreOptions: restore }: RunPlan, { state }: Pick<FoundRun, 'state'>, { now }: Pick<System, 'now'>) {
  const { options, at } = state.begin;
  return restore?.(options, { began: utcDay(Date.parse(at)), today: utcDay(now()) }) ?? [];
}

function factsOf({ plan, begun, needsMark }: Execution, plain: RunFacts, batches: number): RunFacts {
  const mode = plan.mode?.name;
  return {
    ...plain,
    doneBefore: settledCount(begun.state),
    batches,
    // A batch whose links are read first may need no change.
    calls: batches * callsPerBatch(plan) + Number(batches > 0 && needsMark),
    guarantee: mode && `${mode}: ${guarantees[mode]}`,
    advice: mode === 'checked' && batches > 1 ? 'with --generate-hashes, failures cannot create duplicates' : undefined,
  };
}

/** Estimates the batches of the remaining rows. Long hashes make batches smaller, so the input is cut as in the run. */
async function countBatches({ plan, operation, rules }: Execution, left: number): Promise<number> {
  const { input, payload, batchSize, fromArguments } = plan;
  if (fromArguments || !operation.group || left === 0) return Math.ceil(left / batchSize);
  const rowOf = (item: object): BulkRow => ({ index: 0, line: undefined, item, payload: payload(item) });
  let count = 0;
  for await (const _ of fileBatches(input, rowOf, rules)) count += 1;
  return Math.ceil((count * left) / input.rows);
}

/** Throws `UsageError` for a budget that cannot send the first rows: repeating the command would never send any. */
async function assertBudget(run: Execution): Promise<void> {
  const { plan, operation, calls, begun } = run;
  const { budget } = plan;
  if (budget === undefined) return;
  // Includes the calls before a batch: reading rows in doubt or, in keyed mode, the missing idempotency proof.
  const before = operation.doubt === 'inspect' && begun.state.open.size > 0 ? 1 : 0;
  const isToBeProven = operation.doubt === 'repeat' && plan.mode?.name === 'keyed';
  const toBegin =
    callsPerBatch(plan) + (isToBeProven ? (await import('../checked/idempotency-probe.ts')).callsToProve(run) : before);
  const usual = calls.made + Number(!plan.fromArguments) + Number(run.needsMark) + toBegin;
  if (budget > usual) return;
  const least = usual + Number(await readsAnyRow(run));
  if (budget >= least) return;
  throw new UsageError(`--budget ${budget}: at least ${least} calls are required to send the first rows`, {
    hint: `use at least --budget ${least}`,
  });
}

/** Returns true if a row is read before it is first sent. */
async function readsAnyRow(run: Execution): Promise<boolean> {
  const { plan, operation } = run;
  const { input, payload } = plan;
  if (run.readsFirst) return true;
  if (!operation.needsPriorDestination || input.readAt !== undefined) return false;
  for await (const rows of input.open())
    if (rows.some(({ item }) => operation.needsPriorDestination?.(payload(item)))) return true;
  return false;
}

/** Throws `LimitError` if the quota of the account is too low for the run, unless `--force` is given. */
async function assertQuota(
  { plan, operation, client, calls: count, readsFirst, warn }: Execution,
  { calls, rows, doneBefore, batches }: RunFacts,
): Promise<void> {
  const { mode, force, budget, input, newLinks = 0 } = plan;
  if (batches === 0 || plan.fromArguments || !count.reserve(1)) return;
  const links = operation.kind === 'shorten' ? rows - (input.skipped ?? 0) - doneBefore : newLinks;
  // The readings before all changes, and 2 % for reading back.
  const usual = Math.ceil((calls + (readsFirst ? batches : 0)) * 1.02);
  const { shortages, notes } = checkQuota(await readCounters(client), { links, calls: Math.min(usual, budget ?? usual) });
  for (const text of [...notes, ...shortages]) warn(text);
  // With duplicate control, some of the links may already exist.
  if (shortages.length === 0 || force || mode?.name === 'dedupe') return;
  throw new LimitError(`the quota of the account is too low for ${input.name}: ${shortages.join('; ')}`, {
    hint: 'wait, or delete links; with --force the run starts now and the same command resumes it later',
  });
}

/** Returns undefined for an invalid response, which must not prevent a run. */
async function readCounters(client: Pick<Client, 'send'>): Promise<unknown> {
  try {
    const { account } = await client.send('getAccount', {});
    return account?.counters;
  } catch (error) {
    if (error instanceof CallError && error.outcome === 'ambiguous' && error.status === 200) return undefined;
    throw error;
  }
}

/**
 * Compares the remaining quota with the links and calls of the run. `counters` is unvalidated server data. `notes` are about missing or invalid
 * counters, which are ignored.
 */
export function checkQuota(counters: unknown, { links, calls }: { readonly links: number; readonly calls: number }) {
  const shortages: string[] = [];
  const notes: string[] = [];
  const compare = (name: string, needed: number, noun: string): void => {
    if (needed === 0) return;
    const left = remaining(counters, name);
    if (left === undefined) notes.push(`the server does not report how many ${noun} are left`);
    else if (left < needed) shortages.push(`${needed} ${noun} required, ${left} left`);
  };
  compare('urls', links, 'links');
  compare('month_urls', links, 'links this month');
  compare('today_api_calls', calls, 'API calls today');
  return { shortages, notes };
}

function remaining(counters: unknown, name: string): number | undefined {
  const counter: unknown = new Map(Object.entries(counters ?? {})).get(name);
  if (typeof counter !== 'object' || counter === null || !('count' in counter && 'limit' in counter)) return undefined;
  const { count, limit } = counter;
  if (typeof count !== 'number' || typeof limit !== 'number') return undefined;
  const isSound = Number.isSafeInteger(count) && Number.isSafeInteger(limit) && count >= 0 && limit > 0 && count <= limit;
  return isSound ? limit - count : undefined;
}
