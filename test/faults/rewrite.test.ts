import { expect, test } from 'vitest';
import { faultsOfMutant, small } from './rewrite-mutant.ts';
import { rewriteFaults, rewriteSums, runRewriteSeries } from './rewrite-series.ts';

/** A sample of `npm run trials:rewrite` on small accounts. The trial has more programs that are wrong on purpose. */
test('W1, U1, U2: rewrites and their undo, killed: only what was selected is sent, and every byte comes back', async () => {
  const all = await runRewriteSeries({ ...small, runs: 2 });
  expect(rewriteFaults(all)).toEqual([]);
  expect(rewriteSums(all)).toMatchObject({ runs: 4, largestCall: 50 });
}, 300_000);

test('R 3.5.5: a program that drops the domain of a link is found out', { timeout: 300_000 }, async () => {
  const fault = /after the rewrite: \S+ is /;
  expect(await faultsOfMutant('drops the domain of a link', { story: 'all domains', seed: 2, until: fault })).toMatch(fault);
});
