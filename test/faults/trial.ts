import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { doneStatuses, type RowStatus } from '../../src/bulk/results/row-outcome.ts';
import type { ShortenItem } from '../../src/contract/operations.ts';
import type { Ended } from '../support/built-program.ts';
import type { FaultyHost } from '../support/faulty-process.ts';
import { faults, type Step, usualFaults } from '../support/faulty-steps.ts';
import { seededRandom } from '../support/seeded-random.ts';
import type { StoredLink } from '../support/stored-links.ts';
import { type ResultRow, readResults, resultsPath } from './deeds.ts';
import { type FaultWorld, openFaultWorld } from './fault-world.ts';
import { startHurried } from './hurried-program.ts';

export interface TrialOptions {
  /** Keyed: with late requests and a foreign writer (G1). Checked: without either (G2). */
  readonly mode: 'keyed' | 'checked';
  readonly seed: number;
  /** Kills at most. */
  readonly kills: number;
  /** Milliseconds between the effect of a request and its answer: moments that a kill can hit. */
  readonly pause: number;
  /** Another program than the built one: a mutant. */
  readonly program?: string | undefined;
}

/** What the service has in the end, against what was asked for and what was reported. */
export interface TrialResult {
  readonly rows: number;
  readonly kills: number;
  readonly requests: number;
  /** Rows without a link, whatever they were reported. */
  readonly lost: number;
  /** Links more than one for a row. */
  readonly duplicated: number;
  /** Rows reported as done whose hash leads elsewhere or is another row's too. */
  readonly wrong: number;
  readonly unknown: number;
  /** Rows that the results file does not hold exactly once with a final status (G3). */
  readonly unaccounted: number;
}

const usual: readonly Step[] = [...usualFaults, faults.longer];

/** Processes that may be needed until a run is over; a run that needs more never ends. */
const maximalStarts = 40;

/**
 * One file through everything that goes wrong: faults on 35 % of the POSTs, every answer shuffled, kill -9 at random moments,
 * repeated rows; the same command again until it says that it is done.
 */
export async function runTrial(host: FaultyHost, { mode, seed, kills, pause, program }: TrialOptions): Promise<TrialResult> {
  const random = seededRandom(seed);
  const pick = (count: number): number => Math.floor(random() * count);
  const keyed = mode === 'keyed';
  const steps = [...usual, ...(keyed ? [faults.late(30)] : [])].map((step): Step => ({ ...step, only: { method: 'POST' } }));
  const world = await openFaultWorld(host, {
    faulty: { seed, pause, keepBodies: false, shuffles: true, chance: { rate: 0.35, steps } },
  });
  const over = new AbortController();
  try {
    const rows = trialRows(pick, 20 + pick(40));
    const foreign = keyed ? writeForeign(world, rows, over.signal) : Promise.resolve();
    const argv = commandOf(world, rows, keyed, 5 + pick(10));
    let killed = 0;
    for (let starts = 0; starts < maximalStarts; starts += 1) {
      const mayKill = killed < kills && pick(6) > 0;
      const { code, signal } = await runOnce(argv, world, program, mayKill ? pick(70) : undefined);
      if (signal) killed += 1;
      else if (code === 0 || code === 2 || (!keyed && nothingLeft(readResults(world)))) break;
    }
    over.abort();
    await foreign;
    await world.server.settled({ late: true });
    const requests = (await world.server.requests()).length;
    return { rows: rows.length, kills: killed, requests, ...judge(rows, await world.stored(), readResults(world)) };
  } finally {
    over.abort();
    await world.close();
  }
}

/** Some rows are equal, some differ in their notes alone. */
function trialRows(pick: (count: number) => number, count: number): ShortenItem[] {
  return Array.from({ length: count }, (_, index) => ({
    long_url: `https://example.com/${pick(8) ? index : pick(5)}`,
    note: pick(3) === 0 ? `n${pick(3)}` : '',
  }));
}

function commandOf(world: FaultWorld, rows: readonly ShortenItem[], keyed: boolean, batchSize: number): string[] {
  const file = join(world.folder, 'links.csv');
  writeFileSync(file, `long_url,note\n${rows.map(({ long_url, note }) => `${long_url},${note}\n`).join('')}`);
  const mode = keyed ? ['--generate-hashes'] : [];
  return ['shorten', '-f', file, ...mode, '--batch-size', String(batchSize), '--results', resultsPath(world)];
}

/** Kills it some milliseconds after it said its first word: reading the file and starting Node are over by then. */
async function runOnce(
  argv: readonly string[],
  world: FaultWorld,
  program: string | undefined,
  killAfter: number | undefined,
): Promise<Ended> {
  const { process: child, ended } = startHurried(argv, world.env, program);
  if (killAfter === undefined) return await ended;
  const spoken = child.stderr && once(child.stderr, 'data').then(() => delay(killAfter));
  await Promise.race([ended, spoken]);
  child.kill('SIGKILL');
  return await ended;
}

/** What is unknown stays so in checked mode; keyed rows are sent again by the next start. */
function nothingLeft(results: readonly ResultRow[]): boolean {
  return results.length > 0 && results.every(({ status }) => status !== 'not_sent');
}

/** Somebody else makes links with the same long URLs at the same time. */
async function writeForeign(world: FaultWorld, rows: readonly ShortenItem[], over: AbortSignal): Promise<void> {
  for (let written = 0; !over.aborted && written < 50; written += 1) {
    const { long_url } = rows[written % rows.length] as ShortenItem;
    await world.create([{ long_url, note: 'foreign' }]);
    await delay(10);
  }
}

type Judgement = Omit<TrialResult, 'rows' | 'kills' | 'requests'>;

function judge(rows: readonly ShortenItem[], stored: readonly StoredLink[], results: readonly ResultRow[]): Judgement {
  const key = ({ long_url, note = '' }: Pick<ShortenItem, 'long_url' | 'note'>): string => JSON.stringify([long_url, note]);
  const records = stored.filter(({ note }) => note !== 'foreign');
  const balance = new Map<string, number>();
  for (const row of rows) balance.set(key(row), (balance.get(key(row)) ?? 0) - 1);
  for (const record of records) balance.set(key(record), (balance.get(key(record)) ?? 0) + 1);
  const values = [...balance.values()];
  const byHash = new Map(records.map((record) => [record.hash, record]));
  const done = results.filter(({ status }) => doneStatuses.has(status as RowStatus));
  const astray = done.filter(({ row, hash }) => {
    const [asked, found] = [rows[Number(row) - 1], byHash.get(hash)];
    return !asked || !found || key(found) !== key(asked);
  });
  const finals = new Set(results.filter(({ status }) => status !== 'not_sent').map(({ row }) => row));
  return {
    lost: -sum(values.filter((value) => value < 0)),
    duplicated: sum(values.filter((value) => value > 0)),
    wrong: astray.length + done.length - new Set(done.map(({ hash }) => hash)).size,
    unknown: results.filter(({ status }) => status === 'unknown').length,
    unaccounted: rows.length - finals.size + (results.length - finals.size),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
