import { LimitError, UsageError } from '../../base/errors.ts';
import { CallError } from '../../client/call-error.ts';
import type { Client } from '../../client/client.ts';
import { callsToProve } from '../checked/idempotency-probe.ts';
import { isSettled } from '../journal/journal-state.ts';
import { fileBatches } from '../operations/batches.ts';
import { guarantees } from '../operations/shorten.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import type { RunExecution } from '../run-execution.ts';
import { callsPerBatch } from '../run-plan.ts';
import { isAged } from '../sending/before.ts';
import type { RunFacts } from '../started-run.ts';

/** Whether links are read before the first batches. */
export function readsFirst<Payload extends object>(
  run: Pick<RunExecution<Payload>, 'operation' | 'reads' | 'plan' | 'system'>,
): boolean {
  const { operation, reads, plan } = run;
  if (operation.read === undefined) return false;
  return plan.input.readAt === undefined ? reads !== 'renames' : isAged(plan.input, run);
}

/**
 * Whether the newest links are to be read before the first batch: a hash that somebody typed may have had an equal link, and what was there
 * before is none of the run's to take back.
 */
export function needsMark<Payload extends object>({
  plan: { mode, undo, isTyped },
  begun,
}: Pick<RunExecution<Payload>, 'plan' | 'begun'>): boolean {
  return mode?.name === 'keyed' && mode.hasOwnHashes === true && !undo && !isTyped && begun.state.mark === undefined;
}

/** Batches of so many rows that are left: as the run cuts its input (D15), which takes more than the bound says for long hashes. */
async function batchesOf<Payload extends object>(
  { plan: { input, payload, batchSize }, operation, rules }: RunExecution<Payload>,
  left: number,
): Promise<number> {
  if (!operation.group || left === 0) return Math.ceil(left / batchSize);
  const rowOf = (item: object): BulkRow<Payload> => ({ index: 0, line: undefined, item, payload: payload(item) });
  let count = 0;
  for await (const _ of fileBatches(input, rowOf, rules)) count += 1;
  return Math.ceil((count * left) / input.rows);
}

export async function factsOf<Payload extends object>(run: RunExecution<Payload>): Promise<RunFacts> {
  const { plan, begun, domain, operation } = run;
  const { rows, skipped = 0 } = plan.input;
  let doneBefore = 0;
  for (const [state, count] of begun.state.counts) if (isSettled(state)) doneBefore += count;
  const batches = await batchesOf(run, Math.max(0, rows - skipped - doneBefore));
  const mode = plan.mode?.name;
  return {
    run: begun.name,
    kind: operation.kind,
    resumed: begun.resumed,
    rows,
    doneBefore,
    batches,
    // 2 % are kept for reading back.
    calls: Math.ceil(batches * (callsPerBatch(plan) + Number(readsFirst(run))) * 1.02) + Number(batches > 0 && needsMark(run)),
    domain,
    guarantee: mode && `${mode}: ${guarantees[mode]}`,
    advice: mode === 'checked' && batches > 1 ? 'with --generate-hashes, failures cannot create duplicates' : undefined,
  };
}

/**
 * A budget that is used up before the first rows are sent would never send any, however often the command is run: `UsageError`
 * with the least that works (`D33`).
 */
export async function assertBudget<Payload extends object>(run: RunExecution<Payload>): Promise<void> {
  const { plan, operation, calls, begun } = run;
  const { budget = Number.POSITIVE_INFINITY } = plan;
  // With what comes before a batch: reading rows in doubt, and in keyed mode the proof that is still to be made.
  const before = operation.doubt === 'inspect' && begun.state.open.size > 0 ? 1 : 0;
  const toBegin =
    callsPerBatch(plan) + (operation.doubt === 'repeat' && plan.mode?.name === 'keyed' ? callsToProve(run) : before);
  const usual = calls.made + Number(!plan.isTyped) + Number(needsMark(run)) + toBegin;
  if (budget > usual) return;
  const least = usual + Number(await needsBefore(run));
  if (budget >= least) return;
  throw new UsageError(`--budget ${budget}: at least ${least} calls are required to send the first rows`, {
    hint: `use at least --budget ${least}`,
  });
}

/** Whether any row is read before it is sent first (U1, D6). */
async function needsBefore<Payload extends object>(run: RunExecution<Payload>): Promise<boolean> {
  const { plan, operation } = run;
  const { input, payload } = plan;
  if (readsFirst(run)) return true;
  if (!operation.needsBefore || input.readAt !== undefined) return false;
  for await (const rows of input.open()) if (rows.some(({ item }) => operation.needsBefore?.(payload(item)))) return true;
  return false;
}

/** Throws `LimitError` where the account's counters do not last for the run, unless it is forced. */
export async function assertQuota<Payload extends object>(
  { plan, operation, client, calls: count, warn }: RunExecution<Payload>,
  { calls, rows, doneBefore, batches }: RunFacts,
): Promise<void> {
  const { mode, force, budget, input, newLinks = 0 } = plan;
  if (batches === 0 || plan.isTyped || !count.reserve(1)) return;
  const links = operation.kind === 'shorten' ? rows - (input.skipped ?? 0) - doneBefore : newLinks;
  const { shortages, notes } = checkQuota(await readCounters(client), { links, calls: Math.min(calls, budget ?? calls) });
  for (const text of [...notes, ...shortages]) warn(text);
  // With duplicate control some of the links may be there already.
  if (shortages.length === 0 || force || mode?.name === 'dedupe') return;
  throw new LimitError(`the quota of the account is too low for ${input.name}: ${shortages.join('; ')}`, {
    hint: 'wait, or delete links; with --force the run starts now and the same command resumes it later',
  });
}

/** An answer that makes no sense says nothing about quotas, and keeps no run from beginning (F47). */
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
  /** One sentence for each counter that will not last. */
  readonly shortages: readonly string[];
  /** Counters that are absent or make no sense; nothing is concluded from them. */
  readonly notes: readonly string[];
}

/** Compares what is left of the account's counters with the records and calls to be made. The counters are a stranger's (F47). */
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
