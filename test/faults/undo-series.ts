import { startFaultyHost } from '../support/faulty-process.ts';
import { runUndoTrial, type UndoFindings, type UndoTrialOptions } from './undo-trial.ts';

export interface UndoSeriesOptions extends UndoTrialOptions {
  /** The seeds are `seed`, `seed + 1` and so on. */
  readonly runs: number;
  readonly jobs: number;
  /** None begins after one of which this is said: for a program that is to be found out. */
  readonly until?: RegExp;
  onFindings?(findings: UndoFindings, all: readonly UndoFindings[]): void;
}

export async function runUndoSeries({ runs, jobs, until, onFindings, ...options }: UndoSeriesOptions): Promise<UndoFindings[]> {
  const host = await startFaultyHost();
  const all: UndoFindings[] = [];
  let next = options.seed;
  const work = async (): Promise<void> => {
    while (next < options.seed + runs && !until?.test(undoFaults(all))) {
      const findings = await runUndoTrial(host, { ...options, seed: next++ });
      all.push(findings);
      onFindings?.(findings, all);
    }
  };
  try {
    await Promise.all(Array.from({ length: jobs }, work));
  } finally {
    await host.close();
  }
  return all;
}

/** All that went wrong, to be read where a test fails. */
export function undoFaults(all: readonly UndoFindings[]): string {
  return all
    .filter(({ notes }) => notes.length > 0)
    .map(({ seed, title, notes }) => `seed ${seed} (${title}):\n${notes.join('\n')}\n`)
    .join('\n');
}

export function undoSums(all: readonly UndoFindings[]): object {
  const sum = (count: (findings: UndoFindings) => number): number => all.reduce((total, one) => total + count(one), 0);
  return {
    runs: all.length,
    wrong: all.filter(({ notes }) => notes.length > 0).length,
    deeds: sum(({ deeds }) => deeds),
    undone: sum(({ undone }) => undone),
    redone: sum(({ redone }) => redone),
    starts: sum(({ starts }) => starts),
    signals: sum(({ signals }) => signals),
    foreign: sum(({ foreign }) => foreign),
    damaged: sum(({ damaged }) => damaged),
  };
}
