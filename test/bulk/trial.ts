import type { ShortenItem } from '../../src/contract/operations.ts';
import { faults, type Step, usualFaults } from '../support/faulty-steps.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type BulkWorld, type Ended, openWorld, type ShortenRun } from './bulk-world.ts';
import { crashingFile } from './crashing-file.ts';

export interface TrialOptions {
  readonly mode: 'keyed' | 'checked';
  readonly seed: number;
  /** Requests that are applied after the client gave them up. */
  readonly late?: boolean;
  /** Somebody else who makes links with the same long URLs at the same time. */
  readonly foreign?: boolean;
  /** For negative controls. */
  readonly spoil?: ShortenRun['spoil'];
  readonly forgetsIntents?: boolean;
}

export interface TrialResult {
  readonly rows: number;
  readonly crashes: number;
  /** Rows without a link, whatever was reported. */
  readonly lost: number;
  /** Links more than one for a row. */
  readonly duplicated: number;
  /** Rows reported as done whose hash leads elsewhere. */
  readonly wrong: number;
  readonly unknown: number;
}

/** What happens to a POST in a trial. */
export const trialFaults: readonly Step[] = [...usualFaults, faults.shuffled, faults.longer];

/**
 * One run through everything that goes wrong: faults on a third of the POSTs, answers shuffled and cut, crashes at random steps of
 * the journal, repeated rows; the same command again until it is done. Counts against what the server has in the end.
 */
export async function runTrial({
  mode,
  seed,
  late = false,
  foreign = false,
  spoil,
  forgetsIntents = false,
}: TrialOptions): Promise<TrialResult> {
  const random = seededRandom(seed);
  const pick = (count: number): number => Math.floor(random() * count);
  const steps = [...trialFaults, ...(late ? [faults.late(30)] : [])].map((step) => ({ ...step, only: { method: 'POST' } }));
  const world = await openWorld({ faulty: { seed, chance: { rate: 0.35, steps } } });
  try {
    const rows = trialRows(pick, 20 + pick(60));
    let isOver = false;
    const writer = foreign ? writeForeign(world, rows, () => isOver) : Promise.resolve();
    let crashes = 0;
    let ended: Ended | undefined;
    let isDone = false;
    for (let attempt = 0; attempt < 40 && !isDone; attempt += 1) {
      const steps = ['before append', 'in append', 'after append', 'after sync'] as const;
      const crash = { step: steps[pick(4)] ?? 'after sync', nth: 1 + pick(12) };
      const { openJournalFile, released } = crashingFile({
        forgetsIntents,
        ...(attempt < 20 && pick(4) > 0 && { crashAt: crash }),
      });
      const settings: ShortenRun = {
        batchSize: 5 + pick(10),
        generateHashes: mode === 'keyed',
        environment: { openJournalFile },
      };
      const result = await world.shorten(rows, { ...settings, ...(spoil && { spoil }) }).catch((error: { exitCode?: number }) => {
        // The crash came after the run was done: it is finished, and says so.
        isDone = error.exitCode === 2;
        return undefined;
      });
      const crashed = released();
      if (crashed) crashes += 1;
      else if (result && (result.exit === 0 || (mode === 'checked' && result.summary.tally.counts.not_sent === 0))) {
        ended = result;
        isDone = true;
      }
    }
    isOver = true;
    await writer;
    if (late) await new Promise((resolve) => setTimeout(resolve, 60));
    return { crashes, ...(await judge(world, rows, ended, isDone)) };
  } finally {
    await world.close();
  }
}

/** Some rows are equal, some differ in their notes alone. */
export function trialRows(pick: (count: number) => number, count: number): ShortenItem[] {
  return Array.from({ length: count }, (_, index) => ({
    long_url: `https://example.com/${pick(8) ? index : pick(5)}`,
    ...(pick(3) === 0 && { note: `n${pick(3)}` }),
  }));
}

async function writeForeign({ direct }: BulkWorld, rows: readonly ShortenItem[], isOver: () => boolean): Promise<void> {
  for (let written = 0; !isOver() && written < 50; written += 1) {
    const { long_url } = rows[written % rows.length] as ShortenItem;
    await direct.send('shortenUrls', { query: {}, body: { urls: [{ long_url, note: 'foreign' }] } });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function judge(
  { stored }: Pick<BulkWorld, 'stored'>,
  rows: readonly ShortenItem[],
  ended: Ended | undefined,
  isDone: boolean,
): Promise<Omit<TrialResult, 'crashes'>> {
  const key = ({ long_url, note }: { long_url: string; note?: string }): string => JSON.stringify([long_url, note ?? '']);
  const records = (await stored()).filter(({ note }) => note !== 'foreign');
  const balance = new Map<string, number>();
  for (const row of rows) balance.set(key(row), (balance.get(key(row)) ?? 0) - 1);
  for (const record of records) balance.set(key(record), (balance.get(key(record)) ?? 0) + 1);
  const byHash = new Map(records.map((record) => [record.hash, record]));
  const done = ended?.outcomes.filter(({ status }) => status === 'created' || status === 'existing') ?? [];
  const hashes = done.map(({ record }) => record?.hash ?? '');
  const astray = done.filter(({ payload, record }) => {
    const found = byHash.get(record?.hash ?? '');
    return !found || key(found) !== key(payload);
  });
  const values = [...balance.values()];
  return {
    rows: rows.length,
    lost: -values.filter((value) => value < 0).reduce((sum, value) => sum + value, 0),
    duplicated: values.filter((value) => value > 0).reduce((sum, value) => sum + value, 0),
    wrong: astray.length + (hashes.length - new Set(hashes).size),
    unknown: ended ? ended.summary.tally.counts.unknown : isDone ? 0 : rows.length,
  };
}
