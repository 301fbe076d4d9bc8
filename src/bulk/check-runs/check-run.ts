import { Destinations } from '../../check/destinations.ts';
import { probeAll } from '../../check/engine.ts';
import { byStatus, type CheckStatus, type Verdict } from '../../check/verdict.ts';
import { beginRun } from '../beginning/beginning.ts';
import { stopOnSignal } from '../execution/batch-loop.ts';
import { brokenPipe, closeRun, endReason, readToItsEnd } from '../execution/run-output.ts';
import type { Journal } from '../journal/journal.ts';
import { isSettled } from '../journal/journal-state.ts';
import { rangesOf } from '../journal/lines.ts';
import { type BegunRun, identityOf } from '../journal/new-run.ts';
import { pruneRuns } from '../past-runs/pruning.ts';
import type { OutcomeFile } from '../results/outcome-files.ts';
import type { FoundRun, RunEnvironment } from '../run-plan.ts';
import { createStop, type Stop } from '../sending/stop.ts';
import { type CheckedRow, type CheckPlan, type IndexedRow, openCheckResults } from './check-results.ts';
import { copyVerdicts, groupSize, RecordedVerdicts } from './recorded-verdicts.ts';

export type StartedCheck = ReturnType<CheckRun['started']>;
export type CheckProgress = ReturnType<StartedCheck['progress']>;
export type CheckSummary = ReturnType<StartedCheck['summary']>;

/**
 * Starts a check or resumes the unfinished check of the same selection. A batch would wait for its slowest host, so the journal gets a line
 * per destination once its verdict is known, in any order. There are no intents, because requests change nothing.
 */
export async function startCheck(plan: CheckPlan, environment: RunEnvironment): Promise<StartedCheck> {
  const { client, system, stateFolder } = environment;
  await pruneRuns(stateFolder, system);
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
    new CheckRun(begun, plan, environment).started(),
  );
}

class CheckRun {
  readonly #begun: BegunRun;
  readonly #plan: CheckPlan;
  readonly #environment: RunEnvironment;
  readonly #destinations: Destinations;
  readonly #verdicts: RecordedVerdicts;
  readonly #results: OutcomeFile<IndexedRow> | undefined;
  readonly #doneBefore: number;
  readonly #stop: Stop = createStop();
  readonly #halt = new AbortController();
  readonly #abort = new AbortController();
  readonly #startedAt: number;
  readonly #found = new Map<CheckStatus, number>();
  /**
   * Counts yielded links. `not_sent`: not reached. `offline`: the local network or name server failed. `private`: an address is not public.
   * `deferred`: hosts (`closed`) request a wait longer than `--max-wait`.
   */
  readonly #tally = {
    counts: { ...byStatus(() => 0), not_sent: 0 },
    offline: 0,
    private: 0,
    deferred: 0,
    closed: new Set<string>(),
  };
  #done: number;
  #endedAt: number | undefined;
  #isOver = false;
  /** Called when a verdict is known or the check is over. */
  #wake = (): void => {};

  constructor(begun: BegunRun, plan: CheckPlan, environment: RunEnvironment) {
    const { links, settings, shortUrls, results } = plan;
    const isKnown = (link: number): boolean => isSettled(begun.state.stateOf(link));
    this.#begun = begun;
    this.#plan = plan;
    this.#environment = environment;
    this.#destinations = new Destinations(links, { refusal: settings.refusal, shortUrls }, isKnown);
    this.#verdicts = new RecordedVerdicts(begun.record.journal, begun.state, links.count);
    this.#results = results === undefined ? undefined : openCheckResults(results, environment.system);
    this.#doneBefore = this.#destinations.count - this.#destinations.left - this.#destinations.refused.length;
    this.#done = this.#doneBefore;
    this.#startedAt = environment.system.elapsed();
  }

  started() {
    const { count, left, hostCount } = this.#destinations;
    const { system } = this.#environment;
    const stop = (): void => {
      this.#stop.because(brokenPipe());
      this.#halt.abort();
    };
    return {
      run: this.#begun.name,
      resumed: this.#begun.resumed,
      destinations: count,
      doneBefore: this.#doneBefore,
      left,
      hosts: hostCount,
      /** Yields each link once, in listing order. Can be read only once; this starts the check, and a reader that stops early stops it. */
      rows: readToItsEnd(this.#rows(), stop),
      progress: () => ({ destinations: count, done: this.#done, counts: this.#found }),
      summary: () => ({
        ...this.#tally,
        /** Links whose hosts request a longer wait. The same command checks them later. */
        deferred: { links: this.#tally.deferred, hosts: [...this.#tally.closed] },
        destinations: count,
        stop: this.#stop.reason,
        milliseconds: (this.#endedAt ?? system.elapsed()) - this.#startedAt,
      }),
    };
  }

  async *#rows(): AsyncGenerator<readonly CheckedRow[]> {
    const { journal } = this.#begun;
    const abort = (): void => this.#abort.abort();
    const ignoreSignals = stopOnSignal(this.#environment, { stop: this.#stop, journal, abort });
    const probing = this.#probe();
    let given = 0;
    try {
      for await (const rows of this.#inOrder()) {
        for (const row of rows) {
          this.#count(row);
          this.#results?.add({ ...row, index: given });
          given += 1;
        }
        yield rows;
      }
      // Throws only because of a bug.
      await probing;
    } finally {
      this.#halt.abort();
      ignoreSignals();
      await probing.catch(() => undefined);
      await this.#close(given === this.#plan.links.count);
    }
  }

  /** Requests all destinations without a verdict. A `CliError` stops the run. */
  async #probe(): Promise<void> {
    const { settings } = this.#plan;
    const { interrupt, system } = this.#environment;
    const stop = interrupt ? AbortSignal.any([this.#halt.signal, interrupt]) : this.#halt.signal;
    try {
      const refused = this.#destinations.refused;
      for (let from = 0; from < refused.length && !stop.aborted; from += groupSize) {
        const some = refused.slice(from, from + groupSize);
        await Promise.all(
          some.map(({ destination, ...why }) => this.#record(destination, { status: 'skipped', milliseconds: 0, ...why })),
        );
      }
      const take = (destination: number, verdict: Verdict) => this.#record(destination, verdict);
      await probeAll(this.#destinations, settings, system, { stop, abort: this.#abort.signal }, take);
    } catch (error) {
      this.#stop.because(error);
    } finally {
      this.#isOver = true;
      this.#wake();
    }
  }

  /** Resolves when the verdict is on disk, so that it can be yielded. */
  async #record(destination: number, verdict: Verdict): Promise<void> {
    const { journal } = this.#begun;
    const rows = rangesOf(this.#destinations.linksOf(destination).map((index) => ({ index })));
    const offset = journal.size;
    const written = journal.write({ type: 'checked', rows, verdict });
    const length = journal.size - offset;
    await written;
    this.#verdicts.add(destination, { offset, length });
    this.#done += 1;
    this.#found.set(verdict.status, (this.#found.get(verdict.status) ?? 0) + 1);
    this.#wake();
  }

  async *#inOrder(): AsyncGenerator<CheckedRow[]> {
    let rows: CheckedRow[] = [];
    let index = 0;
    for (const link of this.#plan.links.all()) {
      const destination = this.#destinations.of(index);
      index += 1;
      while (!this.#verdicts.has(destination) && !this.#isOver) {
        if (rows.length > 0) yield rows;
        rows = [];
        await this.#waitFor(destination);
      }
      rows.push({ link, verdict: await this.#verdicts.read(destination) });
      if (rows.length < groupSize) continue;
      yield rows;
      rows = [];
    }
    if (rows.length > 0) yield rows;
  }

  #waitFor(destination: number): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      // The verdict may have arrived while the reader was busy.
      if (this.#isOver || this.#verdicts.has(destination)) resolve();
    });
  }

  #count({ verdict }: CheckedRow): void {
    const tally = this.#tally;
    tally.counts[verdict?.status ?? 'not_sent'] += 1;
    if (verdict?.offline) tally.offline += 1;
    if (verdict?.isPrivate) tally.private += 1;
    if (verdict?.deferredBy === undefined) return;
    tally.deferred += 1;
    tally.closed.add(verdict.deferredBy);
  }

  /** The results file comes first: a run that is recorded as complete is not resumed, so it would never write it. */
  async #close(isWhole: boolean): Promise<void> {
    const { system } = this.#environment;
    this.#results?.close(isWhole, this.#stop);
    const { counts, offline, deferred } = this.#tally;
    const isLeft = counts.not_sent + offline + deferred > 0;
    const isComplete = isWhole && !isLeft && !this.#stop.reason;
    const reason = isComplete ? 'complete' : endReason(this.#stop.reason);
    await closeRun({ begun: this.#begun, stop: this.#stop, system }, { reason }, this.#verdicts);
    this.#endedAt = system.elapsed();
  }
}
