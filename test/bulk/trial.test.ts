import { expect, test } from 'vitest';
import { runTrial, type TrialOptions, type TrialResult } from './trial.ts';

/** Runs of each kind; the long trial: `LINKCTL_TRIALS=1000`, from the seed `LINKCTL_TRIAL_SEED`. */
const runs = Number(process.env.LINKCTL_TRIALS ?? (process.env.CI ? 15 : 6));
const firstSeed = Number(process.env.LINKCTL_TRIAL_SEED ?? 1);

async function trials(options: Omit<TrialOptions, 'seed'>): Promise<TrialResult[]> {
  const results: TrialResult[] = [];
  for (let seed = firstSeed; seed < firstSeed + runs; seed += 1) results.push(await runTrial({ ...options, seed }));
  return results;
}

const sum = (results: readonly TrialResult[], member: keyof TrialResult): number =>
  results.reduce((total, result) => total + result[member], 0);

test('G1: keyed, with late requests and a foreign writer: nothing lost, duplicated or wrongly mapped', async () => {
  const results = await trials({ mode: 'keyed', late: true, foreign: true });
  expect(sum(results, 'crashes')).toBeGreaterThan(runs);
  expect([sum(results, 'lost'), sum(results, 'duplicated'), sum(results, 'wrong'), sum(results, 'unknown')]).toEqual([
    0, 0, 0, 0,
  ]);
}, 3_600_000);

test('G2: checked, nobody else writing: nothing lost, duplicated or wrongly mapped', async () => {
  const results = await trials({ mode: 'checked' });
  expect(sum(results, 'crashes')).toBeGreaterThan(runs);
  expect([sum(results, 'lost'), sum(results, 'duplicated'), sum(results, 'wrong'), sum(results, 'unknown')]).toEqual([
    0, 0, 0, 0,
  ]);
}, 3_600_000);
