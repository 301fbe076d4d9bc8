import { onTestFinished } from 'vitest';
import { buildMutant } from './mutant.ts';
import { type RewriteSeriesOptions, rewriteFaults, runRewriteSeries } from './rewrite-series.ts';

export const small = { links: 1000, seed: 1, jobs: 3, kills: 3, batchSize: 50 } as const;
/** What a kill has to meet is seldom under way. */
const often = { ...small, kills: 6, batchSize: 20, runs: 60 } as const;

/** What the trials see where a cure is taken out. `seed` is the first that usually finds it. */
export async function faultsOfMutant(
  name: Parameters<typeof buildMutant>[0],
  series: Pick<RewriteSeriesOptions, 'story' | 'seed' | 'until'>,
): Promise<string> {
  const { program, remove } = await buildMutant(name);
  onTestFinished(remove);
  return rewriteFaults(await runRewriteSeries({ ...often, ...series, program })).join('\n');
}
