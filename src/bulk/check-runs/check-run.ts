import { Destinations } from '../../check/destinations.ts';
import { probeAll } from '../../check/engine.ts';
import { byStatus, type CheckStatus, type Verdict } from '../../check/verdict.ts';
import { beginRun } from '../beginning/beginning.ts';
import { stopOnSignal } from '../execution/batch-loop.ts';
import { closeRun, nameOf, readerGone, readToItsEnd } from '../execution/run-output.ts';
import type { Journal } from '../journal/journal.ts';
import { isSettled } from '../journal/journal-state.ts';
import { rangesOf } from '../journal/lines.ts';
import type { BegunRun } from '../journal/new-run.ts';
import type { OutcomeFile } from '../results/outcome-files.ts';
import type { RunEnvironment, UnfinishedRun } from '../run-plan.ts';
import { pruneRuns } from '../runs.ts';
import { createStop, type Stop } from '../sending/stop.ts';
import { type CheckedRow, type CheckPlan, type IndexedRow, openCheckResults } from './check-results.ts';
import { carryVerdicts, RecordedVerdicts } from './recorded-verdicts.ts';

export type StartedCheck = ReturnType<CheckRun['started']>;
export type CheckProgress = ReturnType<StartedCheck['progress']>;
export type CheckSummary = ReturnType<StartedCheck['summary']>;

/**
 * Begins a check, or continues the unfinished one of the same selection. It keeps its journal as every run does, but its rows are not sent
 * in batches: a batch would wait for its slowest host, while politeness wants every host asked in its turn. So each destination has a line of
 * its own, written when its verdict is known, in whatever order that is; there is no intent before it, because asking changes nothing.
 */
export async function startCheck(plan: CheckPlan, environment: RunEnvironment): Promise<StartedCheck> {
  const { client, system, stateFolder } = environment;
  await pruneRuns(stateFolder, system);
  const { what, links, sha256, options, profile, domain, results, overwrite } = plan;
  const { server, username: account } = client.identity;
  const rows = links.count;
  const identity = {
    operation: 'check',
    server,
    account,
    domain,
    input: { name: what, sha256, rows },
    options: JSON.parse(JSON.stringify(options)),
  } as const;
  const input = {
    name: what,
    sha256,
    rows,
    open: () => [],
    copyTo: (path: string) => links.copyTo(path),
    snapshot: { run: plan.resumes },
    carry: (earlier: UnfinishedRun, journal: Journal) => carryVerdicts(earlier, plan, journal),
    readAt: system.elapsed(),
  };
  return await beginRun(identity, { input, what, profile, domain, results, overwrite }, environment, async (begun) =>
    new CheckRun(begun, plan, environment).started(),
  );
}

/** Rows that are given to the reader at once, and lines that are written at once. */
const together = 200;

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
   * Of the links that were given out: `not_sent` were not reached, `offline` were skipped because the network of this computer or its name
   * server failed, `private` because an address is not public, `deferred` because hosts want to be left alone (`closed`).
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
  /** Something was found, or the end has come. */
  #news = (): void => {};

  constructor(begun: BegunRun, plan: CheckPlan, environment: RunEnvironment) {
    const { links, settings, shortUrls, results } = plan;
    const isKnown = (link: number): boolean => isSettled(begun.state.stateOf(link));
    this.#begun = begun;
    this.#plan = plan;
    this.#environment = environment;
    this.#destinations = new Destinations(links, { refusal: settings.refusal, shortUrls }, isKnown);
    this.#verdicts = new RecordedVerdicts(begun.record.journal, begun.state, links.count);
    this.#results = results === undefined ? undefined : openCheckResults(results, environment.system);
    this.#doneBefore = this.#destinations.count - this.#destinations.left - this.#destinations.refused().length;
    this.#done = this.#doneBefore;
    this.#startedAt = environment.system.elapsed();
  }

  started() {
    const { count, left, hostCount } = this.#destinations;
    const { system } = this.#environment;
    const stop = (): void => {
      this.#stop.because(readerGone());
      this.#halt.abort();
    };
    return {
      run: this.#begun.name,
      resumed: this.#begun.resumed,
      destinations: count,
      doneBefore: this.#doneBefore,
      left,
      hosts: hostCount,
      /** Every link once, in the order of the listing; to be read once. Nothing is asked before, and a reader that leaves early stops the check. */
      rows: readToItsEnd(this.#rows(), stop),
      progress: () => ({ destinations: count, done: this.#done, counts: this.#found }),
      summary: () => ({
        ...this.#tally,
        /** Links that were skipped because their hosts want to be left alone: the same command asks them later. */
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
    const asked = this.#ask();
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
      // A bug of ours is thrown here.
      await asked;
    } finally {
      this.#halt.abort();
      ignoreSignals();
      await asked.catch(() => undefined);
      await this.#close(given === this.#plan.links.count);
    }
  }

  /** Asks what is not known yet. A failure that is foreseen stops the run. */
  async #ask(): Promise<void> {
    const { settings } = this.#plan;
    const { interrupt, system } = this.#environment;
    const stop = interrupt ? AbortSignal.any([this.#halt.signal, interrupt]) : this.#halt.signal;
    try {
      const refused = this.#destinations.refused();
      for (let from = 0; from < refused.length && !stop.aborted; from += together) {
        const some = refused.slice(from, from + together);
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
      this.#news();
    }
  }

  /** Resolves when the verdict is on the disk: then it can be given to the reader. */
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
    this.#news();
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
        await this.#nextNews(destination);
      }
      rows.push({ link, verdict: await this.#verdicts.read(destination) });
      if (rows.length < together) continue;
      yield rows;
      rows = [];
    }
    if (rows.length > 0) yield rows;
  }

  #nextNews(destination: number): Promise<void> {
    return new Promise((resolve) => {
      this.#news = resolve;
      // It may have come while the reader was busy.
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

  /** First the file: a run that its journal calls complete is not resumed, and would never show it. */
  async #close(isWhole: boolean): Promise<void> {
    const { system } = this.#environment;
    this.#results?.close(isWhole, this.#stop);
    const { counts, offline, deferred } = this.#tally;
    const isLeft = counts.not_sent + offline + deferred > 0;
    const isComplete = isWhole && !isLeft && !this.#stop.reason;
    const reason = isComplete ? 'complete' : nameOf(this.#stop.reason);
    await closeRun({ begun: this.#begun, stop: this.#stop, system }, reason, this.#verdicts);
    this.#endedAt = system.elapsed();
  }
}
