import { withoutLocalPort } from '../contract/web-address.ts';
import { absolutePath } from '../files/folders.ts';
import type { Beginning, Execution } from './execution/execution.ts';
import { newExecution } from './execution/new-execution.ts';
import { executeRun } from './execution/run-output.ts';
import { beginOneOff } from './journal/new-run.ts';
import type { RunIdentity } from './journal/run-folder.ts';
import type { BulkOperation } from './operations/operation.ts';
import type { RunFacts, StartedRun } from './run-plan.ts';
import { concurrencyOf, type RunEnvironment, type RunPlan } from './run-plan.ts';
import { countCalls, createLimiter } from './sending/limiter.ts';

/**
 * Begins a run, or continues the unfinished one of the same input. Throws before anything is sent: `UsageError` for a run that is finished,
 * `LocalError` for one that cannot continue, `LimitError` for quotas. A one-off loads nothing of what only others need.
 */
export async function startRun(plan: RunPlan, environment: RunEnvironment): Promise<StartedRun> {
  const limiter = createLimiter(concurrencyOf(plan));
  // If the session has asked for the domains, that call counts as the run's first.
  const before = plan.accountDomains ? 1 : 0;
  const counted = countCalls(environment.client, { budget: plan.budget, before, onThrottled: limiter.throttled });
  const on = (domain: string | undefined): Beginning => {
    const mayCall = (): boolean => counted.calls.reserve(1);
    const operation = plan.operation({ client: counted.client, domain, batchSize: plan.batchSize, mayCall });
    return {
      identity: identityOf(plan, operation, domain, environment),
      operation,
      async start(begun, images, { noting, factsOf }) {
        try {
          const known = { ...environment, ...counted, domain, operation, limiter, begun, images, noting };
          const run = await newExecution(plan, known);
          const facts = await factsOf(run);
          return { facts, ...(await executeRun(run, facts.batches)) };
        } catch (error) {
          await images?.close();
          throw error;
        }
      },
    };
  };
  if (plan.isOneOff) return await startOneOff(plan, environment, on(plan.domain));
  const { startKept } = await import('./beginning/preflight.ts');
  return await startKept(plan, { ...environment, ...counted }, on);
}

async function startOneOff(
  plan: RunPlan,
  environment: RunEnvironment,
  { identity, operation, start }: Beginning,
): Promise<StartedRun> {
  const begun = await beginOneOff(identity, plan, environment);
  const isRead = plan.input.readAt !== undefined;
  const images = isRead ? await (await import('./journal/images.ts')).imagesOf(begun, plan, environment, operation) : undefined;
  return await start(begun, images, { factsOf: plainFacts });
}

/** Facts of a one-off, of which nothing is asked before it is sent. */
function plainFacts({ plan, begun: { name: run }, operation: { kind }, domain }: Execution): RunFacts {
  const batches = Math.ceil(plan.input.rows / plan.batchSize);
  const { rows } = plan.input;
  return {
    run,
    kind,
    resumed: false,
    rows,
    doneBefore: 0,
    batches,
    calls: batches,
    domain,
    guarantee: undefined,
    advice: undefined,
  };
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
