import { withoutLocalPort } from '../contract/web-address.ts';
import { absolutePath } from '../files/folders.ts';
import { newExecution } from './execution/new-execution.ts';
import { executeRun } from './execution/run-output.ts';
import type { RunIdentity } from './journal/lines.ts';
import { type BegunRun, beginOneOff } from './journal/new-run.ts';
import type { BulkOperation } from './operations/operation.ts';
import { concurrencyOf, type RunEnvironment, type RunFacts, type RunPlan } from './run-plan.ts';
import { countCalls, createLimiter } from './sending/limiter.ts';

export type StartedRun = Awaited<ReturnType<typeof startRun>>;
export type RunProgress = ReturnType<StartedRun['progress']>;
export type RunSummary = ReturnType<StartedRun['summary']>;

/**
 * Begins a run, or continues the unfinished one of the same input. Throws before anything is sent: `UsageError` for a run that is finished,
 * `LocalError` for one that cannot continue, `LimitError` for quotas. A one-off loads nothing of what only others need.
 */
export async function startRun(plan: RunPlan, environment: RunEnvironment) {
  const limiter = createLimiter(concurrencyOf(plan));
  // If the session has asked for the domains, that call counts as the run's first.
  const before = plan.accountDomains ? 1 : 0;
  const { client, calls } = countCalls(environment.client, { budget: plan.budget, before, onThrottled: limiter.throttled });
  const surroundings = { ...environment, client };
  const kept = plan.isOneOff ? undefined : await import('./beginning/preflight.ts');
  const domain = kept ? await kept.prepare(plan, surroundings) : plan.domain;
  const operation = plan.operation({ client, domain, batchSize: plan.batchSize, mayCall: () => calls.reserve(1) });
  const identity = identityOf(plan, operation, domain, environment);
  const start = async (begun: BegunRun) => {
    const isKept = kept || plan.input.readAt !== undefined;
    const images = isKept && (await (await import('./journal/images.ts')).imagesOf(begun, plan, environment, operation));
    try {
      const known = { ...surroundings, calls, domain, operation, limiter, begun, images: images || undefined };
      const run = await newExecution(plan, known);
      const { rows } = plan.input;
      const batches = Math.ceil(rows / plan.batchSize);
      const plain = {
        run: begun.name,
        kind: operation.kind,
        resumed: false,
        rows,
        doneBefore: 0,
        batches,
        calls: batches,
        domain,
      };
      const facts: RunFacts = kept ? await kept.preflight(run) : plain;
      return { facts, ...(await executeRun(run, facts.batches)) };
    } catch (error) {
      if (images) await images.close();
      throw error;
    }
  };
  if (!kept) return await start(await beginOneOff(identity, plan, environment));
  const { beginRun } = await import('./beginning/beginning.ts');
  return await beginRun(identity, plan, surroundings, start);
}

/** All that makes two command lines the same run. */
function identityOf(
  { input, options, mode, fromArguments }: RunPlan,
  { kind }: BulkOperation,
  domain: string | undefined,
  { client: { identity } }: RunEnvironment,
): RunIdentity {
  const isFile = input.copyTo === undefined && !fromArguments;
  return {
    operation: kind,
    mode: mode?.name,
    server: identity.server,
    account: identity.username,
    domain: domain && withoutLocalPort(domain),
    input: {
      name: isFile ? absolutePath(input.name) : input.name,
      sha256: input.sha256,
      rows: input.rows,
      file: input.file && { ...input.file, name: absolutePath(input.file.name) },
    },
    // As the journal returns it, so that the two can be compared.
    options: JSON.parse(JSON.stringify({ ...options, generateHashes: mode?.generateHashes || undefined })),
  };
}
