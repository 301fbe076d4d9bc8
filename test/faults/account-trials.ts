import { expect, test } from 'vitest';
import { startFaultyHost } from '../support/faulty-process.ts';
import { type AccountSeriesOptions, runAccountSeries, summaryOf, toldFaults } from './account-series.ts';
import type { Findings } from './findings.ts';

const runs = Number(process.env.LINKCTL_TRIALS ?? 200);
const seed = Number(process.env.LINKCTL_TRIAL_SEED ?? 1);
const jobs = Number(process.env.LINKCTL_TRIAL_JOBS ?? 3);

/**
 * `LINKCTL_TRIALS=2000 npm run trials:shorten`, and likewise `trials:change`. A seed that failed, again, alone and with all that was
 * said: `LINKCTL_TRIALS=1 LINKCTL_TRIAL_SEED=1234 npm run trials:shorten`.
 */
export function accountTrials(kind: AccountSeriesOptions['kind']): void {
  test(`${runs} runs on accounts in use: ${kind}`, async () => {
    const host = await startFaultyHost();
    const started = performance.now();
    const soFar: Findings[] = [];
    const all = await runAccountSeries(host, {
      kind,
      runs,
      seed,
      jobs,
      onFindings: (findings, done) => {
        for (const text of toldFaults([findings])) console.log(`${text}\n`);
        soFar.push(findings);
        if (done % 100 === 0) console.log(JSON.stringify(summaryOf(soFar)));
      },
    });
    await host.close();
    const seconds = Math.round((performance.now() - started) / 1000);
    console.log(JSON.stringify({ kind, seed, seconds, ...summaryOf(all) }, undefined, 2));
    expect(toldFaults(all).map((text) => text.split(':')[0])).toEqual([]);
  });
}
