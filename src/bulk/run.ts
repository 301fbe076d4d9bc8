import { CliError, LimitError } from '../base/errors.ts';
import { accountDomains } from '../client/account-domains.ts';
import { CallError } from '../client/call-error.ts';
import type { Client } from '../client/client.ts';
import { editions } from '../contract/editions.ts';
import { withoutLocalPort } from '../contract/loopback.ts';
import { absolutePath } from '../files/folders.ts';
import { type ExecutedRun, executeRun } from './execute.ts';
import { readJournal } from './journal/journal.ts';
import { hashesOf } from './journal/lines.ts';
import { type RunIdentity, runFolders } from './journal/run-folder.ts';
import type { RowState } from './journal/run-state.ts';
import { guarantees } from './modes.ts';
import type { BulkOperation } from './operations/operation.ts';
import { assertDistinct } from './results/output-paths.ts';
import { doneStatuses } from './results/row-outcome.ts';
import { type BegunRun, beginRun } from './run-beginning.ts';
import { callsPerBatch, type RunEnvironment, type RunPlan } from './run-plan.ts';
import { pruneRuns } from './runs.ts';
import { assertBudget } from './sending/budget.ts';
import { type CountedClient, countCalls } from './sending/counted-client.ts';
import { callsFor, checkQuota, type QuotaCheck } from './sending/quota.ts';

export type { RunProgress, RunSummary } from './execute.ts';

/** What is known when a run begins, for the header (1.7). */
export interface RunFacts {
  readonly run: string;
  readonly resumed: boolean;
  readonly rows: number;
  /** Rows that an earlier process finished. */
  readonly doneBefore: number;
  /** Batches still to send, and the calls that they need. */
  readonly batches: number;
  readonly calls: number;
  readonly domain: string | undefined;
  /** Name and promise of the mode of a shortening run. */
  readonly guarantee: string | undefined;
  /** For more than one batch in checked mode: what to do for a better promise. */
  readonly advice: string | undefined;
}

export interface StartedRun<Payload extends object> extends ExecutedRun<Payload> {
  readonly facts: RunFacts;
}

/**
 * Begins a long run, or continues the unfinished one of the same input (RELIABILITY.md section 1). Throws before anything is
 * sent: `UsageError` for a run that is finished, `LocalError` for one that cannot go on, `LimitError` for quotas.
 */
export async function startRun<Payload extends object>(
  plan: RunPlan<Payload>,
  environment: RunEnvironment,
): Promise<StartedRun<Payload>> {
  assertDistinct(plan, environment.system);
  const { accountDomains: known } = plan;
  const counted = countCalls(environment.client, plan.budget, known ? 1 : 0);
  const pins = plan.pinsDomain && editions[environment.client.edition].severalDomains;
  // R-X8: the default may be changed by somebody while the run is under way.
  const domain = plan.domain ?? (pins ? (await (known ?? accountDomains(counted.client))).defaultDomain : undefined);
  const operation = plan.operation({ client: counted.client, domain, mayCall: () => counted.calls.reserve(1) });
  const folders = runFolders(environment.stateFolder);
  await pruneRuns(environment.stateFolder, environment.system);
  const identity = identityOf(plan, operation, domain, environment.client);
  return await beginRun(identity, plan, folders, environment, async (begun) => {
    const facts = factsOf(plan, begun, domain);
    const { made } = counted.calls;
    const { client } = environment;
    if (facts.batches > 0) await assertBudget(plan, { client, operation, domain, folders, made, state: begun.state });
    const refusal = await assertQuota(plan, facts, counted, environment).then(
      () => undefined,
      (error: unknown) => refusalOf(error, begun),
    );
    if (begun.resumed) plan.recall?.(begun.state.begin.options);
    await remindOf(begun, operation);
    const { batches } = facts;
    return { facts, ...executeRun({ plan, environment, operation, begun, counted, domain, folders, batches, refusal }) };
  });
}

/**
 * Of a run that an earlier process began, each row is told all the same: results that were written before a kill say what is not true
 * any more (R-X9).
 */
function refusalOf(error: unknown, { resumed }: BegunRun): CliError {
  if (resumed && error instanceof CliError) return error;
  throw error;
}

/** J5: a row that shares the link of a row that an earlier process did is told as it would have been then. */
async function remindOf<Payload extends object>(
  { resumed, journal }: BegunRun,
  operation: BulkOperation<Payload>,
): Promise<void> {
  if (!resumed || !operation.remember) return;
  for await (const { line } of readJournal(journal)) if (line.type === 'result') operation.remember(hashesOf(line));
}

function identityOf<Payload extends object>(
  { input, options, mode }: RunPlan<Payload>,
  { kind }: BulkOperation<Payload>,
  domain: string | undefined,
  { identity }: Client,
): RunIdentity {
  const name = input.copyTo === undefined ? absolutePath(input.name) : 'stdin';
  return {
    operation: kind,
    mode: mode?.name,
    server: identity.server,
    account: identity.username,
    domain: domain && withoutLocalPort(domain),
    input: { name, sha256: input.sha256, rows: input.rows },
    // As the journal has it.
    options: JSON.parse(JSON.stringify({ ...options, generateHashes: mode?.generateHashes || undefined })),
  };
}

function factsOf<Payload extends object>(
  plan: RunPlan<Payload>,
  { name, resumed, state }: BegunRun,
  domain: string | undefined,
): RunFacts {
  const { rows } = plan.input;
  const final: RowState[] = [...doneStatuses, 'failed'] as RowState[];
  const doneBefore = final.reduce((sum, status) => sum + (state.counts.get(status) ?? 0), 0);
  const batches = Math.ceil((rows - doneBefore) / plan.batchSize);
  const mode = plan.mode?.name;
  return {
    run: name,
    resumed,
    rows,
    doneBefore,
    batches,
    calls: callsFor(batches, callsPerBatch(plan)),
    domain,
    guarantee: mode && `${mode}: ${guarantees[mode]}`,
    advice: mode === 'checked' && batches > 1 ? 'with --generate-hashes no failure can make a link twice' : undefined,
  };
}

async function assertQuota<Payload extends object>(
  { mode, force, budget, input }: RunPlan<Payload>,
  { calls, rows, doneBefore, batches }: RunFacts,
  { client, calls: count }: CountedClient,
  { warn }: RunEnvironment,
): Promise<void> {
  if (batches === 0 || !count.reserve(1)) return;
  const counters = await readCounters(client);
  const links = mode ? rows - doneBefore : 0;
  const { shortages, notes }: QuotaCheck = checkQuota(counters, { links, calls: Math.min(calls, budget ?? calls) });
  for (const note of notes) warn(note);
  for (const shortage of shortages) warn(shortage);
  // With duplicate control some of the links may be there already.
  if (shortages.length === 0 || force || mode?.name === 'dedupe') return;
  throw new LimitError(`the account's quota does not suffice for ${input.name}: ${shortages.join('; ')}`, {
    hint: 'wait or free some, or begin all the same with --force and finish later by the same command',
  });
}

/** an answer that makes no sense says nothing about quotas, and stands in nobody's way (F47). */
async function readCounters(client: Pick<Client, 'send'>): Promise<unknown> {
  try {
    const { account } = await client.send('getAccount', {});
    return account?.counters;
  } catch (error) {
    if (error instanceof CallError && error.outcome === 'ambiguous' && error.status === 200) return undefined;
    throw error;
  }
}
