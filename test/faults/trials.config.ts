import { defineConfig } from 'vitest/config';

/**
 * What takes too long for every day: `npm run trials`, `npm run million`. The environment says how long: `LINKCTL_TRIALS=1000
 * LINKCTL_TRIAL_MODE=keyed LINKCTL_TRIAL_SEED=1 npm run trials`.
 */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/faults/*.trial.ts', 'test/packages/*.trial.ts'],
    globalSetup: ['test/support/build.ts'],
    pool: 'forks',
    reporters: ['verbose'],
    disableConsoleIntercept: true,
    testTimeout: 24 * 3_600_000,
    hookTimeout: 24 * 3_600_000,
  },
});
