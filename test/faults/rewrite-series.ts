import type { Edition } from '../../src/contract/editions.ts';
import { startFaultyHost } from '../support/faulty-process.ts';
import { type Pace, type RewriteFindings, type RewriteTrialOptions, runRewriteTrial } from './rewrite-trial.ts';
import { type PreparedAccount, prepareAccount } from './served-account.ts';

export interface RewriteSeriesOptions extends Omit<RewriteTrialOptions, 'pace'> {
  /** Links of each account. */
  readonly links: number;
  /** The seeds are `seed`, `seed + 1` and so on; odd ones are for edition B. */
  readonly runs: number;
  readonly jobs: number;
  /** None begins after one of which this is said: for a program that is to be found out. */
  readonly until?: RegExp;
  onFindings?(findings: RewriteFindings, done: number): void;
}

/** Trials on copies of two accounts, some at a time. The first of each edition, without kills, says how long things take. */
export async function runRewriteSeries({
  links,
  runs,
  jobs,
  until,
  onFindings,
  ...options
}: RewriteSeriesOptions): Promise<RewriteFindings[]> {
  const host = await startFaultyHost();
  const accounts: PreparedAccount[] = [];
  try {
    const paces = { a: startPace(), b: startPace() };
    const byEdition = new Map<Edition, PreparedAccount>();
    for (const edition of ['a', 'b'] as const) {
      const account = await prepareAccount(edition, links);
      accounts.push(account);
      byEdition.set(edition, account);
    }
    const all: RewriteFindings[] = [];
    const run = async (seed: number, more: Partial<RewriteTrialOptions> = {}): Promise<void> => {
      const edition = seed % 2 === 0 ? 'a' : 'b';
      const account = byEdition.get(edition) as PreparedAccount;
      const findings = await runRewriteTrial(account, host, { ...options, ...more, seed, pace: paces[edition] });
      all.push(findings);
      onFindings?.(findings, all.length);
    };
    await Promise.all([0, 1].map((seed) => run(seed, { kills: 0, story: 'all domains' })));
    let next = options.seed;
    const work = async (): Promise<void> => {
      while (next < options.seed + runs && !until?.test(rewriteFaults(all).join('\n'))) await run(next++);
    };
    await Promise.all(Array.from({ length: jobs }, work));
    return all;
  } finally {
    await host.close();
    for (const { remove } of accounts) remove();
  }
}

function startPace(): Pace {
  return { rewrite: { toPlan: 1000, toEnd: 1000 }, undo: { toPlan: 1000, toEnd: 1000 } };
}

/** What went wrong, to be read where a test fails. */
export function rewriteFaults(all: readonly RewriteFindings[]): string[] {
  return all
    .filter(({ notes }) => notes.length > 0)
    .map(({ seed, title, notes }) => `seed ${seed} (${title}):\n${notes.join('\n')}`);
}

export function rewriteSums(all: readonly RewriteFindings[]): object {
  const sum = (count: (findings: RewriteFindings) => number): number => all.reduce((total, one) => total + count(one), 0);
  const most = (count: (findings: RewriteFindings) => number): number => Math.max(...all.map(count));
  return {
    runs: all.length,
    wrong: all.filter(({ notes }) => notes.length > 0).length,
    selected: sum(({ selected }) => selected),
    starts: sum(({ starts }) => starts),
    kills: sum(({ kills }) => kills),
    calls: sum(({ sent }) => sent.calls),
    linksSent: sum(({ sent }) => sent.links),
    sentAgain: sum(({ sent }) => sent.again),
    largestCall: most(({ sent }) => sent.largest),
    leftAlone: sum(({ leftAlone }) => leftAlone),
    peakMebibytes: [Math.min(...all.map(({ peakMebibytes }) => peakMebibytes)), most(({ peakMebibytes }) => peakMebibytes)],
  };
}
