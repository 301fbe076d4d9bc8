import { defineConfig } from 'vitest/config';
import { SkippedReporter } from './support/skipped.ts';

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    pool: 'forks',
    reporters: ['default', new SkippedReporter()],
    // Of two cores vitest would leave one idle, while half of the tests wait for programs that they started.
    maxWorkers: 3,
    // For what never ends, on a machine with much else to do, too: no test is judged by how long it takes (D58).
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
