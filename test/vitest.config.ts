import { defineConfig } from 'vitest/config';
import { onlyOnce } from './service/only-once.ts';
import { LongestFirst } from './support/longest-first.ts';
import { SkippedReporter } from './support/skipped.ts';

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    globalSetup: ['test/support/build.ts'],
    setupFiles: ['test/support/one-edition.ts'],
    pool: 'forks',
    // Files share a worker and what it has imported, which is a third of their processor time: modules of src keep no state but caches.
    isolate: false,
    reporters: ['default', new SkippedReporter()],
    // Of two cores vitest would leave one idle, while most tests wait for programs that they started.
    maxWorkers: 5,
    // Rarer collections of new objects, which took the workers a twentieth of their processor time; and only what runs very often is
    // optimised, as most code of a test runs too seldom to pay for it.
    execArgv: ['--max-semi-space-size=64', '--min-semi-space-size=16', '--interrupt-budget=5000000'],
    sequence: { sequencer: LongestFirst },
    // For what never ends, on a machine with much else to do, too: no test is judged by how long it takes (D58).
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      { extends: true, test: { name: 'all', include: ['test/**/*.test.ts'] } },
      // What the store and the service do, once more over the other engine; not what is decided before a store is asked.
      {
        extends: true,
        test: {
          name: 'postgresql',
          include: ['test/service/*.test.ts'],
          exclude: onlyOnce.map((name) => `test/service/${name}.test.ts`),
          env: { LINKCTL_TEST_ENGINE: 'postgresql' },
        },
      },
    ],
  },
});
