import type { FaultyHost } from '../support/faulty-process.ts';
import { runTrial, type TrialOptions, type TrialResult } from './trial.ts';

export interface SeriesOptions extends TrialOptions {
  /** The seeds are `seed`, `seed + 1` and so on. */
  readonly runs: number;
  /** Trials under way at once. */
  readonly jobs: number;
  onResult?(result: TrialResult, seed: number): void;
}

/** Trials one after the other, some at a time; their sums. */
export async function runSeries(host: FaultyHost, { runs, jobs, onResult, ...options }: SeriesOptions): Promise<TrialResult> {
  let total: TrialResult = { rows: 0, kills: 0, requests: 0, lost: 0, duplicated: 0, wrong: 0, unknown: 0, unaccounted: 0 };
  let next = options.seed;
  const end = options.seed + runs;
  async function work(): Promise<void> {
    while (next < end) {
      const seed = next;
      next += 1;
      const result = await runTrial(host, { ...options, seed });
      total = added(total, result);
      onResult?.(result, seed);
    }
  }
  await Promise.all(Array.from({ length: jobs }, work));
  return total;
}

function added(one: TrialResult, other: TrialResult): TrialResult {
  const names = Object.keys(one) as (keyof TrialResult)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as { [N in keyof TrialResult]: number };
}
