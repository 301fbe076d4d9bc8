import { expect, test } from 'vitest';
import { startFaultyHost } from '../support/faulty-process.ts';
import { runSeries } from './trial-series.ts';

const runs = Number(process.env.LINKCTL_TRIALS ?? 1000);
const seed = Number(process.env.LINKCTL_TRIAL_SEED ?? 1);
const jobs = Number(process.env.LINKCTL_TRIAL_JOBS ?? 3);
const mode = process.env.LINKCTL_TRIAL_MODE === 'checked' ? 'checked' : 'keyed';
const clean = { lost: 0, duplicated: 0, wrong: 0, unknown: 0, unaccounted: 0 };

test(`G1 to G3: ${runs} runs, ${mode}`, async () => {
  const host = await startFaultyHost();
  const started = performance.now();
  let done = 0;
  const total = await runSeries(host, {
    mode,
    runs,
    seed,
    jobs,
    kills: 8,
    pause: 10,
    onResult(result, seedOfRun) {
      done += 1;
      const { lost, duplicated, wrong, unknown, unaccounted } = result;
      if (lost + duplicated + wrong + unknown + unaccounted > 0) console.log(`seed ${seedOfRun}: ${JSON.stringify(result)}`);
      if (done % 50 === 0) console.log(`${done} runs`);
    },
  });
  await host.close();
  console.log(JSON.stringify({ mode, runs, seed, seconds: Math.round((performance.now() - started) / 1000), ...total }));
  expect(total).toMatchObject(clean);
});
