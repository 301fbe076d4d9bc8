import { expect, onTestFinished, test } from 'vitest';
import { buildMutant } from './mutant.ts';
import { rewriteFaults, rewriteSums, runRewriteSeries } from './rewrite-series.ts';

/** A sample of `npm run trials:rewrite` on small accounts, and what the trials see where a cure is taken out. */
const small = { links: 1000, seed: 1, jobs: 3, kills: 3, batchSize: 50 } as const;
/** What a kill has to meet is seldom under way. */
const often = { kills: 6, batchSize: 20 } as const;

test('W1, U1, U2: rewrites and their undo, killed: only what was selected is sent, and every byte comes back', async () => {
  const all = await runRewriteSeries({ ...small, runs: 4 });
  expect(rewriteFaults(all)).toEqual([]);
  expect(rewriteSums(all)).toMatchObject({ runs: 6, largestCall: 50 });
}, 300_000);

/** With the first seed that usually finds it. */
test.for([
  ['sends again what was applied', 'all domains', /was sent twice, and was as it should be/, 4],
  ['drops the domain of a link', 'all domains', /after the rewrite: \S+ is /, 2],
  ['takes what was left alone for done', 'somebody else writes before the undo', /is changed/, 2],
] as const)('R 3.5.5: a program that %s is found out', { timeout: 300_000 }, async ([name, story, fault, seed]) => {
  const { program, remove } = await buildMutant(name);
  onTestFinished(remove);
  const found = rewriteFaults(await runRewriteSeries({ ...small, ...often, seed, runs: 60, story, program, until: fault }));
  expect(found.join('\n')).toMatch(fault);
});
