import { expect, test } from 'vitest';
import { faultsOfMutant } from './rewrite-mutant.ts';
import { rewriteFaults, rewriteSums, runRewriteSeries } from './rewrite-series.ts';
import type { RewriteFindings } from './rewrite-trial.ts';

const runs = Number(process.env.LINKCTL_TRIALS ?? 200);
const seed = Number(process.env.LINKCTL_TRIAL_SEED ?? 1);
const jobs = Number(process.env.LINKCTL_TRIAL_JOBS ?? 2);
const links = Number(process.env.LINKCTL_TRIAL_LINKS ?? 50_000);

/** Issue 16. A seed that failed, again: `LINKCTL_TRIALS=1 LINKCTL_TRIAL_SEED=1234 npm run trials:rewrite`. */
test(`U1, U2, W1: ${runs} times ${links} links: a rewrite, killed, and its undo, killed`, async () => {
  const started = performance.now();
  const soFar: RewriteFindings[] = [];
  const all = await runRewriteSeries({
    links,
    runs,
    seed,
    jobs,
    kills: 3,
    onFindings: (findings, done) => {
      for (const text of rewriteFaults([findings])) console.log(`${text}\n`);
      soFar.push(findings);
      if (done % 10 === 0) console.log(JSON.stringify(rewriteSums(soFar)));
    },
  });
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(JSON.stringify({ seed, seconds, ...rewriteSums(all) }, undefined, 2));
  expect(rewriteFaults(all).map((text) => text.split(':')[0])).toEqual([]);
});

test.for([
  ['sends again what was applied', 'all domains', /was sent twice, and was as it should be/, 4],
  ['takes what was left alone for done', 'somebody else writes before the undo', /is changed/, 2],
] as const)('R 3.5.5: a program that %s is found out', async ([name, story, until, first]) => {
  expect(await faultsOfMutant(name, { story, seed: first, until })).toMatch(until);
});
