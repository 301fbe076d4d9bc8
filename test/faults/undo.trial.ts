import { expect, test } from 'vitest';
import { startFaultyHost } from '../support/faulty-process.ts';
import { runUndoTrial, type UndoFindings } from './undo-trial.ts';

const runs = Number(process.env.LINKCTL_TRIALS ?? 200);
const seed = Number(process.env.LINKCTL_TRIAL_SEED ?? 1);
const jobs = Number(process.env.LINKCTL_TRIAL_JOBS ?? 3);

/** `LINKCTL_TRIALS=2000 npm run trials:undo`. A seed that failed: `LINKCTL_TRIALS=1 LINKCTL_TRIAL_SEED=1234 npm run trials:undo`. */
test(`${runs} stories of changes, undone and redone, with waits`, async () => {
  const host = await startFaultyHost();
  const all: UndoFindings[] = [];
  let next = seed;
  const work = async (): Promise<void> => {
    while (next < seed + runs) {
      const findings = await runUndoTrial(host, { seed: next++ });
      all.push(findings);
      if (findings.notes.length > 0) console.log(`seed ${findings.seed} (${findings.title}):\n${findings.notes.join('\n')}\n`);
      if (all.length % 100 === 0) console.log(JSON.stringify(sums(all)));
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  await host.close();
  console.log(JSON.stringify(sums(all), undefined, 2));
  expect(all.filter(({ notes }) => notes.length > 0).map((findings) => findings.seed)).toEqual([]);
});

function sums(all: readonly UndoFindings[]): object {
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
  };
}
