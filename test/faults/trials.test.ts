import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type FaultyHost, startFaultyHost } from '../support/faulty-process.ts';
import { assertApplicable, buildMutant, mutants } from './mutant.ts';
import { runTrial, type TrialResult } from './trial.ts';
import { runSeries } from './trial-series.ts';

let host: FaultyHost;
beforeAll(async () => {
  host = await startFaultyHost();
});
afterAll(() => host.close());

const slow = { timeout: 600_000 };
const clean = { lost: 0, duplicated: 0, wrong: 0, unknown: 0, unaccounted: 0 };

test('G1, G3, F60: 4 keyed runs with kills, faults, late requests and a foreign writer: every row has one link', async () => {
  const total = await runSeries(host, { mode: 'keyed', runs: 4, seed: 1, kills: 3, pause: 10, jobs: 3 });
  expect(total).toMatchObject(clean);
  expect(total.kills).toBeGreaterThan(4);
});

test('G2, G3, F60: 3 checked runs with kills and faults, and nobody else writes: every row has one link', async () => {
  const total = await runSeries(host, { mode: 'checked', runs: 3, seed: 1, kills: 3, pause: 10, jobs: 3 });
  expect(total).toMatchObject(clean);
  expect(total.kills).toBeGreaterThan(3);
});

test.for(['keyed', 'checked'] as const)(
  'F62: %s, and what was not synced is lost with the process: every row has one link',
  slow,
  async (mode) => {
    const program = await mutant('loses what was not synced');
    const total = await runSeries(host, { mode, runs: 3, seed: 100, kills: 3, pause: 10, jobs: 3, program });
    expect(total).toMatchObject(clean);
  },
);

test.for([
  ['retries blindly', 'duplicated'],
  ['sends before its intent is synced', 'duplicated'],
  ['matches by position', 'wrong'],
] as const)('R 3.5.5: a program that %s is found out: rows are %s', slow, async ([name, fault]) => {
  const program = await mutant(name);
  let found: TrialResult | undefined;
  for (let seed = 1; seed <= 15 && !found?.[fault]; seed += 1) {
    found = await runTrial(host, { mode: 'checked', seed, kills: 8, pause: 50, program });
  }
  expect(found?.[fault]).toBeGreaterThan(0);
});

test.for(Object.keys(mutants) as (keyof typeof mutants)[])(
  'R 3.5.5: a program that %s can be built from these sources',
  (name) => {
    assertApplicable(name);
  },
);

async function mutant(name: keyof typeof mutants): Promise<string> {
  const { program, remove } = await buildMutant(name);
  onTestFinished(remove);
  return program;
}
