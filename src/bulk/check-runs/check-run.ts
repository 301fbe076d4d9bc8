import { Destinations } from '../../check/destinations.ts';
import { probeAll } from '../../check/engine.ts';
import { byStatus, type CheckStatus, type Verdict } from '../../check/verdict.ts';
import { beginRun } from '../beginning/beginning.ts';
import { stopOnSignal } from '../execution/batch-loop.ts';
import { closeRun, readToItsEnd } from '../execution/run-output.ts';
import type { Journal } from '../journal/journal.ts';
import { isSettled } from '../journal/journal-state.ts';
import { rangesOf } from '../journal/lines.ts';
import { type BegunRun, identityOf } from '../journal/new-run.ts';
import { pruneRuns } from '../past-runs/pruning.ts';
import { endReason } from '../results/row-outcome.ts';
import type { FoundRun, RunEnvironment } from '../run-plan.ts';
import { createStop } from '../sending/stop.ts';
import { type CheckedRow, type CheckPlan, openCheckResults } from './check-results.ts';
import { copyVerdicts, groupSize, RecordedVerdicts } from './recorded-verdicts.ts';

export type StartedCheck = ReturnType<typeof started>;
export type CheckProgress = ReturnType<StartedCheck['progress']>;
export type CheckSummary = ReturnType<StartedCheck['summary']>;

/**
 * Starts a check or resumes the unfinished check of the same selection. A batch would wait for its slowest host, so the journal gets a line
 * per destination once its verdict is known, in any order. There are no intents, because requests change nothing.
 */
export async function startCheck(plan: CheckPlan, environment: RunEnvironment): Promise<StartedCheck> {
  const { client, system, folders } = environment;
  await pruneRuns(folders, system);
  const { what, links, sha256, options, profile, domain, results, overwrite } = plan;
  const recorded = { name: what, sha256, rows: links.count };
  const identity = identityOf(client, { operation: 'check', domain, input: recorded, options });
  const input = {
    ...recorded,
    open: () => [],
    copyTo: (path: string) => links.copyTo(path),
    snapshot: { run: plan.resumes },
    copyResults: (earlier: FoundRun, journal: Journal) => copyVerdicts(earlier, plan, journal),
    readAt: system.elapsed(),
  };
  return await beginRun(identity, { input, what, profile, domain, results, overwrite }, environment, async (begun) =>
    started(newCheck(begun, plan, environment)),
  );
}

type Check = ReturnType<typeof newCheck>;

function newCheck(begun: BegunRun, plan: CheckPlan, { client, system, interrupt }: RunEnvironment) {
  const { links, settings, shortUrls, results } = plan;
  const isKnown = (link: number): boolean => isSettled(begun.state.stateOf(link));
  const destinations = new Destinations(links, { refusal: settings.refusal, shortUrls }, isKnown);
  const aborted = new AbortController();
  const stop = createStop();
  return {
    begun,
    plan,
    client,
    system,
    interrupt,
    destinations,
    verdicts: new RecordedVerdicts(begun.record.journal, begun.state, links.count),
    results: results === undefined ? undefined : openCheckResults(results, { system, stop }),
    stop,
    halt: new AbortController(),
    aborted: aborted.signal,
    abort: () => aborted.abort(),
    /** Destinations without a verdict. */
    open: destinations.refused.length + destinations.left,
    found: new Map<CheckStatus, number>(),
    /**
     * Counts yielded links. `not_sent`: not reached. `hidden`: requested, but the answer does not show the destination. `offline`: the local
     * network or name server failed. `private`: an address is not public. `deferred`: hosts (`closed`) request a wait longer than
     * `--max-wait`.
     */
    tally: {
      counts: { ...byStatus(() => 0), not_sent: 0 },
      offline: 0,
      private: 0,
      hidden: 0,
      deferred: 0,
      closed: new Set<string>(),
    },
    startedAt: system.elapsed(),
    endedAt: undefined as number | undefined,
    isOver: false,
    /** Called when a verdict is known or the check is over. */
    wake: (): void => {},
  };
}

function started(check: Check) {
  const { begun, destinations, tally, stop, halt, system, found } = check;
  const { count, left, hostCount } = destinations;
  return {
    run: begun.name,
    resumed: begun.resumed,
    destinations: count,
    doneBefore: count - left,
    left,
    hosts: hostCount,
    /** Yields each link once, in listing order. Can be read only once; this starts the check, and a reader that stops early stops it. */
    rows: readToItsEnd(checkedRows(check), stop, () => halt.abort()),
    // Destinations that cannot be requested get their verdicts first.
    progress: () => ({
      destinations: count,
      done: count - Math.min(check.open, left),
      isComplete: check.open === 0,
      counts: found,
    }),
    summary: () => ({
      ...tally,
      /** Links whose hosts request a longer wait. The same command checks them later. */
      deferred: { links: tally.deferred, hosts: [...tally.closed] },
      destinations: count,
      stop: stop.reason,
      milliseconds: (check.endedAt ?? system.elapsed()) - check.startedAt,
    }),
  };
}

async function* checkedRows(check: Check): AsyncGenerator<readonly CheckedRow[]> {
  const { plan, halt, results, stop } = check;
  const ignoreSignals = stopOnSignal(check);
  const probing = probe(check);
  let given = 0;
  try {
    for await (const rows of inOrder(check)) {
      for (const row of rows) {
        count(row, check);
        results?.add({ ...row, index: given });
        given += 1;
      }
      // The results file cannot be written.
      if (stop.reason) halt.abort();
      yield rows;
    }
    // Throws only because of a bug.
    await probing;
  } finally {
    halt.abort();
    ignoreSignals();
    await probing.catch(() => undefined);
    await close(check, given === plan.links.count);
  }
}

/** Requests all destinations without a verdict. A `CliError` stops the run. */
async function probe(check: Check): Promise<void> {
  const { plan, destinations, stop, halt, aborted, interrupt, system } = check;
  const halted = interrupt ? AbortSignal.any([halt.signal, interrupt]) : halt.signal;
  const take = (destination: number, verdict: Verdict): Promise<void> => record(destination, verdict, check);
  try {
    const { refused } = destinations;
    for (let from = 0; from < refused.length && !halted.aborted; from += groupSize) {
      const some = refused.slice(from, from + groupSize);
      await Promise.all(some.map(({ destination, ...why }) => take(destination, { status: 'skipped', milliseconds: 0, ...why })));
    }
    await probeAll(destinations, plan.settings, system, { stop: halted, abort: aborted }, take);
  } catch (error) {
    stop.because(error);
  } finally {
    check.isOver = true;
    check.wake();
  }
}

/** Resolves when the verdict is on disk, so that it can be yielded. A page can redirect to a URL that contains the key. */
async function record(destination: number, found: Verdict, check: Check): Promise<void> {
  const { begun, client, destinations, verdicts } = check;
  const verdict: Verdict = JSON.parse(client.withoutKey(JSON.stringify(found)));
  const { journal } = begun;
  const rows = rangesOf(destinations.linksOf(destination).map((index) => ({ index })));
  const offset = journal.size;
  const written = journal.write({ type: 'checked', rows, verdict });
  const length = journal.size - offset;
  await written;
  verdicts.add(destination, { offset, length });
  check.open -= 1;
  check.found.set(verdict.status, (check.found.get(verdict.status) ?? 0) + 1);
  check.wake();
}

async function* inOrder(check: Check): AsyncGenerator<CheckedRow[]> {
  const { plan, destinations, verdicts } = check;
  let rows: CheckedRow[] = [];
  let index = 0;
  for (const link of plan.links.all()) {
    const destination = destinations.of(index);
    index += 1;
    while (!verdicts.has(destination) && !check.isOver) {
      if (rows.length > 0) yield rows;
      rows = [];
      await verdictOrEnd(destination, check);
    }
    rows.push({ link, verdict: await verdicts.read(destination), shortUrls: plan.shortUrls });
    if (rows.length < groupSize) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

function verdictOrEnd(destination: number, check: Check): Promise<void> {
  return new Promise((resolve) => {
    check.wake = resolve;
    // The verdict may have arrived while the reader was busy.
    if (check.isOver || check.verdicts.has(destination)) resolve();
  });
}

function count({ verdict }: CheckedRow, { tally }: Check): void {
  tally.counts[verdict?.status ?? 'not_sent'] += 1;
  if (verdict?.offline) tally.offline += 1;
  if (verdict?.isPrivate) tally.private += 1;
  if (verdict?.status === 'skipped' && verdict.httpStatus !== undefined) tally.hidden += 1;
  if (verdict?.deferredBy === undefined) return;
  tally.deferred += 1;
  tally.closed.add(verdict.deferredBy);
}

/** The results file comes first: a run that is recorded as complete is not resumed, so it would never write it. */
async function close(check: Check, isWhole: boolean): Promise<void> {
  const { results, stop, tally, verdicts, system } = check;
  results?.close(isWhole);
  const isLeft = tally.counts.not_sent + tally.offline + tally.deferred > 0;
  const isComplete = isWhole && !isLeft && !stop.reason;
  await closeRun(check, { reason: isComplete ? 'complete' : endReason(stop.reason) }, verdicts);
  check.endedAt = system.elapsed();
}
