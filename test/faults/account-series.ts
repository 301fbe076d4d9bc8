import type { FaultyHost } from '../support/faulty-process.ts';
import { runChangeTrial } from './change-trial.ts';
import { type FaultName, type Findings, faultNames, grouped, isClean } from './findings.ts';
import { type AccountTrialOptions, runShortenTrial } from './shorten-trial.ts';

const kinds = { shorten: runShortenTrial, change: runChangeTrial } as const;

export interface AccountSeriesOptions {
  readonly kind: keyof typeof kinds;
  readonly runs: number;
  /** The seeds are `seed`, `seed + 1` and so on. */
  readonly seed: number;
  /** Trials under way at once. */
  readonly jobs: number;
  /** Another program than the built one: a mutant. */
  readonly program?: string | undefined;
  readonly given?: AccountTrialOptions['given'];
  onFindings?(findings: Findings, done: number): void;
}

/** Trials on accounts in use, some at a time. */
export async function runAccountSeries(host: FaultyHost, options: AccountSeriesOptions): Promise<Findings[]> {
  const { kind, runs, seed, jobs, onFindings, ...more } = options;
  const all: Findings[] = [];
  let next = seed;
  const work = async (): Promise<void> => {
    while (next < seed + runs) {
      const findings = await kinds[kind](host, { ...more, seed: next++ });
      all.push(findings);
      onFindings?.(findings, all.length);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return all;
}

/** What went wrong, to be read where a test fails. */
export function toldFaults(all: readonly Findings[]): string[] {
  return all
    .filter((findings) => !isClean(findings))
    .map(({ seed, title, notes }) => `seed ${seed} (${title}):\n${notes.join('\n')}`);
}

/** The sums, and the rows whose outcome nobody knows by what that is put down to. */
export function summaryOf(all: readonly Findings[]): object {
  const sum = (count: (findings: Findings) => number): number => all.reduce((total, findings) => total + count(findings), 0);
  const faults = Object.fromEntries(faultNames.map((name: FaultName) => [name, sum((findings) => findings.faults[name])]));
  const unknownBy = (keyOf: (findings: Findings) => string): Record<string, string> =>
    Object.fromEntries(
      [...grouped(all, keyOf)].map(([key, group]) => {
        const sumOf = (name: 'rows' | 'unknown'): number => group.reduce((total, findings) => total + findings[name], 0);
        return [key, `${sumOf('unknown')} of ${sumOf('rows')} rows in ${group.length} runs`];
      }),
    );
  return {
    runs: all.length,
    rows: sum(({ rows }) => rows),
    starts: sum(({ starts }) => starts),
    signals: sum(({ signals }) => signals),
    requests: sum(({ requests }) => requests),
    ...faults,
    toldTwice: sum(({ toldTwice }) => toldTwice),
    excused: sum(({ excused }) => excused),
    unknown: unknownBy(({ cause }) => cause),
    unknownIn: unknownBy(({ title }) => title),
  };
}
