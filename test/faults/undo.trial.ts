import { expect, onTestFinished, test } from 'vitest';
import { buildMutant } from './mutant.ts';
import { runUndoSeries, undoFaults, undoSums } from './undo-series.ts';

const runs = Number(process.env.LINKCTL_TRIALS ?? 200);
const seed = Number(process.env.LINKCTL_TRIAL_SEED ?? 1);
const jobs = Number(process.env.LINKCTL_TRIAL_JOBS ?? 3);

/** `LINKCTL_TRIALS=2000 npm run trials:undo`. A seed that failed: `LINKCTL_TRIALS=1 LINKCTL_TRIAL_SEED=1234 npm run trials:undo -- -t stories`. */
test(`${runs} stories of changes, undone and redone, with waits`, async () => {
  const all = await runUndoSeries({
    ...{ seed, runs, jobs },
    onFindings: (findings, soFar) => {
      if (findings.notes.length > 0) console.log(undoFaults([findings]));
      if (soFar.length % 100 === 0) console.log(JSON.stringify(undoSums(soFar)));
    },
  });
  console.log(JSON.stringify(undoSums(all), undefined, 2));
  expect(all.filter(({ notes }) => notes.length > 0).map((findings) => findings.seed)).toEqual([]);
});

test.for([
  ['E4', 'changes by an old reading', /in the wait, and (?:it )?is/],
  ['E5', 'undoes its own undo', /has to be/],
  ['E6', 'takes every link for its own', /not of this run|has to be/],
  ['E7', 'keeps no record of typed links', /the newest run is|has to be|not of this run/],
  ['E12', 'believes what it kept', /has to be|not of this run|ended with/],
] as const)('%s: a program that %s is found out', async ([, name, fault]) => {
  const { program, remove } = await buildMutant(name);
  onTestFinished(remove);
  const all = await runUndoSeries({ seed, runs: 200, jobs, program, until: fault });
  console.log(`${name}: found after ${all.length} stories`);
  expect(undoFaults(all)).toMatch(fault);
});
