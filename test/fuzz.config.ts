import { defineConfig, mergeConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** What takes minutes, in full (G6, G12); `npm test` has a sample of each. `LINKCTL_FUZZ_SEED` makes it another run. */
export default mergeConfig(
  usual,
  defineConfig({
    test: {
      testTimeout: 3_600_000,
      env: { LINKCTL_FUZZ_ANSWERS: '100000', LINKCTL_FUZZ_FILES: '20000', ...(process.env as Record<string, string>) },
    },
  }),
);
