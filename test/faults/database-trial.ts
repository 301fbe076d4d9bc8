import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { query } from '../support/postgres.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type Ledger, sharedUrls, Writer } from './concurrent-writer.ts';
import { type Item, Serving } from './shared-database.ts';

/** How long a trial with a database is, and what decides its chances. */
export const minutes = Number(process.env.LINKCTL_TRIAL_MINUTES ?? 10);
export const seed = Number(process.env.LINKCTL_TRIAL_SEED ?? 1);

/** Links that the account may hold: soon reached, and then fought for. */
const urlLimit = 2000;

/** Visits a second to links without a limit, to all processes together. */
const visitRate = 100;

const key = 'k'.repeat(32);

interface Figures {
  readonly waits: number[];
  readonly statuses: Map<number, number>;
  samples: number;
  mostUrls: number;
  rounds: number;
  undisturbed: number;
}

/** What a trial is about. */
interface Trial {
  /** What the processes are told. */
  readonly store: string;
  /** The program of another version, which two of the four processes run. */
  readonly other?: string | undefined;
  /** Where the oracle looks: the server that takes changes now. */
  readonly oracle: () => string;
  /** What happens meanwhile. */
  readonly disturb: (stage: Stage) => readonly Promise<void>[];
}

export interface Stage {
  readonly processes: readonly Serving[];
  readonly random: () => number;
  readonly isOver: () => boolean;
  /** Lines of the report. */
  readonly said: string[];
}

/** Four `serve` on one database, eight writers, visitors and what disturbs them; then an oracle. */
export async function endure({ store, other, oracle, disturb }: Trial): Promise<void> {
  const random = seededRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), 'linkctl-postgres-'));
  writeFileSync(join(folder, 'key'), key, { mode: 0o600 });
  const flags = ['--store', store, '--data', folder, '--api-key-file', join(folder, 'key'), '--max-urls', String(urlLimit)];
  const authorization = `Basic ${Buffer.from(`sandbox:${key}`).toString('base64')}`;
  const processes = Array.from(
    { length: 4 },
    (_, index) => new Serving([...flags, '--domain', 's.example'], authorization, index % 2 ? other : undefined),
  );
  try {
    // In an upgrade the older ones are there before.
    for (const share of [1, 0]) for (const process of processes.filter((_, index) => index % 2 === share)) await process.start();
    const ledger: Ledger = { winners: new Map(), doubts: 0, acknowledged: 0, overLimit: 0 };
    const writers = Array.from(
      { length: 8 },
      (_, index) => new Writer(`w${index}`, seededRandom(seed * 100 + index), processes, ledger),
    );
    const figures: Figures = { waits: [], statuses: new Map(), samples: 0, mostUrls: 0, rounds: 0, undisturbed: 0 };
    const end = performance.now() + minutes * 60_000;
    const isOver = (): boolean => performance.now() >= end;
    const during = async (work: () => Promise<void>) => {
      while (!isOver()) await work();
    };
    const stable = ['v1', 'v2', 'v3', 'v4', 'v5'];
    await processes[0]?.call('POST', '/urls', {
      urls: stable.map((hash) => ({ custom_hash: hash, long_url: `https://visited.example/${hash}` })),
    });
    const said: string[] = [];
    await Promise.all([
      ...writers.map((writer) => during(() => writer.step())),
      during(() => visitSteadily(processes, stable, figures, random)),
      during(() => useUp(processes, figures)),
      during(() => sample(oracle(), figures)),
      ...disturb({ processes, random, isOver, said }),
    ]);
    await expect.poll(() => processes[0]?.call('GET', '/tags'), { timeout: 60_000 }).toBeDefined();
    await judge(oracle(), writers, ledger);
    const stored = await query(oracle(), "SELECT sum(total_clicks)::int AS clicks FROM urls WHERE hash LIKE 'v_'");
    report(figures, ledger, processes, Number(stored[0]?.clicks));
    console.log(said.join('\n'));
  } finally {
    for (const process of processes) process.stop();
    rmSync(folder, { recursive: true });
  }
}

async function visitSteadily(processes: readonly Serving[], hashes: readonly string[], figures: Figures, random: () => number) {
  const visits = processes.map(async (process) => {
    const hash = hashes[Math.floor(random() * hashes.length)];
    const { status, wait } = await process.visit(`/${hash}`, `visitor ${Math.floor(random() * 1000)}`);
    figures.statuses.set(status, (figures.statuses.get(status) ?? 0) + 1);
    if (status === 303) figures.waits.push(wait);
  });
  void Promise.all(visits);
  await delay((1000 * processes.length) / visitRate);
}

/** A link for 25 clicks, which all processes are asked for at once until it is used up. */
async function useUp(processes: readonly Serving[], figures: Figures): Promise<void> {
  const max_clicks = 25;
  const custom_hash = `max-${Math.floor(performance.now())}`;
  const made = await processes[figures.rounds % 4]?.call('POST', '/urls', {
    urls: [{ custom_hash, long_url: 'https://max.example/', max_clicks }],
  });
  if (made?.urls[0]?.error?.code !== 0) return delay(100);
  figures.rounds += 1;
  const statuses: number[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    const visits = Array.from({ length: 8 }, (_, index) => processes[index % 4]?.visit(`/${custom_hash}`, `m${index}`));
    statuses.push(...(await Promise.all(visits)).map((visit) => visit?.status ?? 0));
  }
  const redirected = statuses.filter((status) => status === 303).length;
  const failed = statuses.filter((status) => status === 0 || status === 503).length;
  expect(redirected, `clicks of ${custom_hash}`).toBeLessThanOrEqual(max_clicks);
  // A visit that failed may have been counted before.
  expect(redirected + failed, `clicks of ${custom_hash}`).toBeGreaterThanOrEqual(max_clicks);
  if (failed === 0) figures.undisturbed += 1;
  await processes[0]?.call('DELETE', `/urls/${custom_hash}`);
}

/** What the database holds at this moment is within the quota, and as its counters say. */
async function sample(url: string, figures: Figures): Promise<void> {
  await delay(500);
  const text = 'SELECT (SELECT count(*) FROM urls)::int AS urls, (SELECT sum(urls) FROM domains)::int AS counted';
  const [row] = await query(url, text).catch(() => []);
  if (!row) return;
  figures.samples += 1;
  figures.mostUrls = Math.max(figures.mostUrls, Number(row.urls));
  expect(row.counted).toBe(row.urls);
  expect(row.urls).toBeLessThanOrEqual(urlLimit);
}

/** Every link as it was acknowledged. */
async function judge(url: string, writers: readonly Writer[], ledger: Ledger): Promise<void> {
  const rows = await query(url, 'SELECT hash, long_url, note FROM urls');
  const stored = new Map(rows.map((row) => [String(row.hash), row as Item]));
  expect(stored.size, 'hashes').toBe(rows.length);
  const wrong: string[] = [];
  for (const [hash, state] of writers.flatMap((writer) => [...writer.links])) {
    const link = stored.get(hash);
    if (state === 'doubtful') continue;
    if (state === 'gone' ? link : !link) wrong.push(`${hash} is ${link ? 'there' : 'lost'}`);
    else if (state !== 'gone' && link?.long_url !== state.longUrl) wrong.push(`${hash} leads elsewhere`);
    else if (state !== 'gone' && !state.isDoubtful && link?.note !== state.note) wrong.push(`${hash} has an old note`);
  }
  expect(wrong).toEqual([]);
  for (const [hash, winners] of ledger.winners) {
    expect(winners, hash).toHaveLength(1);
    expect(stored.get(hash)?.long_url, hash).toBe(winners[0]);
  }
  for (const shared of sharedUrls) expect(rows.filter((row) => row.long_url === shared).length, shared).toBeLessThanOrEqual(1);
}

function report(figures: Figures, ledger: Ledger, processes: readonly Serving[], clicks: number): void {
  const waits = figures.waits.sort((one, other) => one - other);
  const at = (share: number) => `${waits[Math.floor(share * waits.length)]?.toFixed(1)} ms`;
  const kills = processes.reduce((sum, process) => sum + process.kills, 0);
  console.log(
    [
      `${ledger.acknowledged} changes acknowledged, ${ledger.doubts} calls in doubt, ${ledger.overLimit} items over the limit of ${urlLimit}`,
      `${figures.samples} samples of the quota, at most ${figures.mostUrls} links; ${ledger.winners.size} contested hashes`,
      `${figures.rounds} links with max_clicks, ${figures.undisturbed} of them undisturbed and exact`,
      `${kills} kills; visits by status ${JSON.stringify([...figures.statuses])}, ${clicks} clicks stored`,
      `redirects: p50 ${at(0.5)}, p99 ${at(0.99)}, p99.9 ${at(0.999)}`,
    ].join('\n'),
  );
}
