import { LimitError, UsageError } from '../../base/errors.ts';
import { CallError } from '../../client/call-error.ts';
import type { Client } from '../../client/client.ts';
import { editions } from '../../contract/editions.ts';
import type { Execution } from '../execution/execution.ts';
import { settledCount } from '../journal/journal-state.ts';
import { readJournal } from '../journal/line-reader.ts';
import { hashesOf } from '../journal/recorded-results.ts';
import { fileBatches } from '../operations/batches.ts';
import { guarantees } from '../operations/modes.ts';
import { recordUndone } from '../past-runs/later-lines.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import { callsPerBatch, type RunEnvironment, type RunFacts, type RunPlan } from '../run-plan.ts';
import { assertDistinct } from './output-paths.ts';

export { beginRun } from './beginning.ts';

/** Finds the domain that a run is pinned to, before anything is begun: somebody may change the default one during the run. */
export async function prepare(plan: RunPlan, { client, system, stateFolder }: RunEnvironment): Promise<string | undefined> {
  assertDistinct(plan, system);
  if (plan.fromArguments) return plan.domain;
  const isPinned = plan.domain === undefined && editions[client.edition].severalDomains;
  const asked = isPinned
    ? await (plan.accountDomains ?? (await import('../../client/account-domains.ts')).accountDomains(client))
    : undefined;
  await (await import('../runs.ts')).pruneRuns(stateFolder, system);
  return asked ? asked.defaultDomain : plan.domain;
}

/** The last questions before the first row is sent. Throws where the run cannot start; then nothing was sent. */
export async function preflight(run: Execution): Promise<RunFacts> {
  const { plan, begun, stop, operation } = run;
  const { rows, skipped = 0 } = plan.input;
  const facts = factsOf(run, await countBatches(run, Math.max(0, rows - skipped - settledCount(begun.state))));
  if (facts.batches > 0) await assertBudget(run);
  await assertQuota(run, facts).catch((error: unknown) => {
    // A resumed run is stopped, but still reports every row: results files written before a kill are out of date.
    if (!begun.resumed) throw error;
    stop.because(error);
  });
  if (begun.resumed) {
    plan.recall?.(begun.state.begin.options);
    // Rows that share a hash are reported as without the interruption.
    if (operation.remember)
      for await (const { line } of readJournal(begun.record.journal))
        if (line.type === 'result') operation.remember(hashesOf(line));
  }
  if (plan.undoes !== undefined) await recordUndone({ undoes: plan.undoes, by: begun.name }, run.folders, run.system);
  return facts;
}

function factsOf({ plan, begun, domain, operation, readsFirst, needsMark }: Execution, batches: number): RunFacts {
  const mode = plan.mode?.name;
  return {
    run: begun.name,
    kind: operation.kind,
    resumed: begun.resumed,
    rows: plan.input.rows,
    doneBefore: settledCount(begun.state),
    batches,
    // 2 % are kept for reading back.
    calls: Math.ceil(batches * (callsPerBatch(plan) + Number(readsFirst)) * 1.02) + Number(batches > 0 && needsMark),
    domain,
    guarantee: mode && `${mode}: ${guarantees[mode]}`,
    advice: mode === 'checked' && batches > 1 ? 'with --generate-hashes, failures cannot create duplicates' : undefined,
  };
}

/** Batches of so many rows that are left: as the run cuts its input, which takes more than the bound says for long hashes. */
async function countBatches({ plan, operation, rules }: Execution, left: number): Promise<number> {
  const { input, payload, batchSize, fromArguments } = plan;
  if (fromArguments || !operation.group || left === 0) return Math.ceil(left / batchSize);
  const rowOf = (item: object): BulkRow => ({ index: 0, line: undefined, item, payload: payload(item) });
  let count = 0;
  for await (const _ of fileBatches(input, rowOf, rules)) count += 1;
  return Math.ceil((count * left) / input.rows);
}

/** A budget that is used up before the first rows are sent would never send any, however often the command is run. */
async function assertBudget(run: Execution): Promise<void> {
  const { plan, operation, calls, begun } = run;
  const { budget } = plan;
  if (budget === undefined) return;
  // With what comes before a batch: reading rows in doubt, and in keyed mode the proof that is still to be made.
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

/** True where a row is read before it is sent first. */
async function readsAnyRow(run: Execution): Promise<boolean> {
  const { plan, operation } = run;
  const { input, payload } = plan;
  if (run.readsFirst) return true;
  if (!operation.needsPriorDestination || input.readAt !== undefined) return false;
  for await (const rows of input.open())
    if (rows.some(({ item }) => operation.needsPriorDestination?.(payload(item)))) return true;
  return false;
}

/** Throws `LimitError` where the account's counters do not last for the run, unless it is forced. */
async function assertQuota(
  { plan, operation, client, calls: count, warn }: Execution,
  { calls, rows, doneBefore, batches }: RunFacts,
): Promise<void> {
  const { mode, force, budget, input, newLinks = 0 } = plan;
  if (batches === 0 || plan.fromArguments || !count.reserve(1)) return;
  const links = operation.kind === 'shorten' ? rows - (input.skipped ?? 0) - doneBefore : newLinks;
  const { shortages, notes } = checkQuota(await readCounters(client), { links, calls: Math.min(calls, budget ?? calls) });
  for (const text of [...notes, ...shortages]) warn(text);
  // With duplicate control some of the links may be there already.
  if (shortages.length === 0 || force || mode?.name === 'dedupe') return;
  throw new LimitError(`the quota of the account is too low for ${input.name}: ${shortages.join('; ')}`, {
    hint: 'wait, or delete links; with --force the run starts now and the same command resumes it later',
  });
}

/** An answer that makes no sense says nothing about quotas, and keeps no run from beginning. */
async function readCounters(client: Pick<Client, 'send'>): Promise<unknown> {
  try {
    const { account } = await client.send('getAccount', {});
    return account?.counters;
  } catch (error) {
    if (error instanceof CallError && error.outcome === 'ambiguous' && error.status === 200) return undefined;
    throw error;
  }
}

interface QuotaCheck {
  readonly shortages: readonly string[];
  /** Counters that are absent or make no sense; nothing is concluded from them. */
  readonly notes: readonly string[];
}

/** Compares what is left of the account's counters with the records and calls to be made. The counters are a stranger's. */
export function checkQuota(counters: unknown, { links, calls }: { readonly links: number; readonly calls: number }): QuotaCheck {
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
