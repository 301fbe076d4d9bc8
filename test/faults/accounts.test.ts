import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type FaultyHost, startFaultyHost } from '../support/faulty-process.ts';
import { faults } from '../support/faulty-steps.ts';
import { runAccountSeries, toldFaults } from './account-series.ts';
import type { Circumstances } from './circumstances.ts';
import type { FaultName, Findings } from './findings.ts';
import { buildMutant, type mutants } from './mutant.ts';

/** A sample of `npm run trials:shorten` and `trials:change`, on accounts in use, and what the trials see where a cure is taken out. */
let host: FaultyHost;
beforeAll(async () => {
  host = await startFaultyHost();
});
afterAll(() => host.close());

const slow = { timeout: 120_000 };

test.for(['shorten', 'change'] as const)(
  '%s, six times on accounts in use: nothing lost, doubled or touched, no false word',
  slow,
  async (kind) => {
    const all = await runAccountSeries(host, { kind, runs: 6, seed: 1, jobs: 3 });
    expect(toldFaults(all)).toEqual([]);
    expect(all.reduce((rows, findings) => rows + findings.rows, 0)).toBeGreaterThan(60);
  },
);

/** Nobody else is there, so that what goes wrong is the program's doing. */
const alone = {
  foreign: 'none',
  late: 0,
  timeout: undefined,
  signals: 0,
  concurrency: 1,
  budget: undefined,
} as const satisfies Partial<Circumstances>;

/** Where each root shows: a quota that is used up after a doubt, a capped page, any change, and two domains. */
const controls: readonly {
  readonly mutant: keyof typeof mutants;
  readonly kind: 'shorten' | 'change';
  readonly fault: FaultName;
  /** That shows it at once; the ones after it are tried as well, should trials be drawn otherwise some day. */
  readonly seed: number;
  given(drawn: Circumstances): Partial<Circumstances>;
}[] = [
  {
    mutant: 'forgets that rows were in doubt',
    kind: 'shorten',
    fault: 'falseNotSent',
    seed: 5,
    given: ({ faulty }) => ({
      ...alone,
      manners: {},
      batchSize: 5,
      faulty: {
        seed: faulty.seed,
        spells: [
          { from: 4, times: 1, step: { ...faults.dropAfter, only: { method: 'POST' } } },
          { from: 5, times: 3, step: { ...faults.refuse(1303), only: { method: 'POST' } } },
        ],
      },
    }),
  },
  {
    mutant: 'believes one page',
    kind: 'change',
    fault: 'falseFailed',
    seed: 10,
    given: ({ faulty }) => ({
      ...alone,
      batchSize: 100,
      manners: { pageCap: 30 },
      faulty: {
        seed: faulty.seed,
        pageCap: 30,
        spells: [{ from: 1, times: 5, step: { ...faults.dropBefore, only: { method: 'DELETE' } } }],
      },
    }),
  },
  {
    mutant: 'keeps nothing for undo',
    kind: 'change',
    fault: 'lost',
    seed: 5,
    given: ({ faulty }) => ({ ...alone, manners: {}, faulty: { seed: faulty.seed } }),
  },
  {
    mutant: 'drops the domain of a link',
    kind: 'change',
    fault: 'touched',
    seed: 5,
    given: ({ faulty }) => ({
      ...alone,
      edition: 'a',
      domains: ['s.ex', 'go.ex'],
      domain: undefined,
      manners: {},
      batchSize: 10,
      faulty: { seed: faulty.seed },
    }),
  },
];

test.for(controls)('R 3.5.5: a program that $mutant is found out', slow, async ({ mutant, kind, fault, seed: first, given }) => {
  const { program, remove } = await buildMutant(mutant);
  onTestFinished(remove);
  let found: Findings | undefined;
  for (let seed = first; seed < first + 20 && !found?.faults[fault]; seed += 1) {
    [found] = await runAccountSeries(host, { kind, runs: 1, seed, jobs: 1, program, given });
  }
  expect(found?.faults[fault]).toBeGreaterThan(0);
});
