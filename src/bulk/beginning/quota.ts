import { LimitError } from '../../base/errors.ts';
import { CallError } from '../../client/call-error.ts';
import type { Client } from '../../client/client.ts';
import type { Execution } from '../execution/execution.ts';
import type { RunFacts } from '../run-plan.ts';

/** Throws `LimitError` where the account's counters do not last for the run, unless it is forced. */
export async function assertQuota(
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
