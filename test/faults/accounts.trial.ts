import { expect, test } from 'vitest';
import { startFaultyHost } from '../support/faulty-process.ts';
import { runChangeTrial } from './change-trial.ts';
import { type FaultName, type Findings, faultNames, grouped, isClean } from './findings.ts';
import { runShortenTrial } from './shorten-trial.ts';

/**
 * `LINKCTL_TRIALS=2000 LINKCTL_TRIAL_JOBS=3 npm run trials:shorten`; a seed that failed again, alone and with all that was said:
 * `LINKCTL_TRIALS=1 LINKCTL_TRIAL_SEED=1234 npm run trials:shorten`.
 */
const runs = Number(process.env.LINKCTL_TRIALS ?? 200);
const firstSeed = Number(process.env.LINKCTL_TRIAL_SEED ?? 1);
const jobs = Number(process.env.LINKCTL_TRIAL_JOBS ?? 3);
const kinds = { shorten: runShortenTrial, change: runChangeTrial } as const;
const kind = (process.env.LINKCTL_TRIAL_KIND ?? 'shorten') as keyof typeof kinds;

test(`${runs} runs on accounts in use: ${kind}`, async () => {
  const host = await startFaultyHost();
  const started = performance.now();
  const all: Findings[] = [];
  let next = firstSeed;
  const work = async (): Promise<void> => {
    while (next < firstSeed + runs) {
      const findings = await kinds[kind](host, { seed: next++ });
      all.push(findings);
      if (!isClean(findings)) console.log(`seed ${findings.seed} (${findings.title}):\n${findings.notes.join('\n')}\n`);
      if (all.length % 100 === 0) console.log(`${all.length} runs`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  await host.close();
  console.log(JSON.stringify(summaryOf(all, (performance.now() - started) / 1000), undefined, 2));
  expect(all.filter((findings) => !isClean(findings)).map(({ seed }) => seed)).toEqual([]);
});

function summaryOf(all: readonly Findings[], seconds: number): object {
  const sum = (count: (findings: Findings) => number): number => all.reduce((total, findings) => total + count(findings), 0);
  const faults = Object.fromEntries(faultNames.map((name: FaultName) => [name, sum((findings) => findings.faults[name])]));
  const unknown: Record<string, string> = {};
  for (const [cause, group] of grouped(all, (findings) => findings.cause)) {
    const [rows, inDoubt] = [
      group.reduce((total, { rows }) => total + rows, 0),
      group.reduce((total, { unknown }) => total + unknown, 0),
    ];
    unknown[cause] = `${inDoubt} of ${rows} rows in ${group.length} runs`;
  }
  return {
    kind,
    runs: all.length,
    firstSeed,
    seconds: Math.round(seconds),
    rows: sum(({ rows }) => rows),
    starts: sum(({ starts }) => starts),
    signals: sum(({ signals }) => signals),
    requests: sum(({ requests }) => requests),
    ...faults,
    toldTwice: sum(({ toldTwice }) => toldTwice),
    excused: sum(({ excused }) => excused),
    unknown,
  };
}
