import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startPooler } from '../support/pgbouncer.ts';
import { clusterFolder, createCluster, query, serverUser } from '../support/postgres.ts';
import { postgresFolder } from '../support/tools.ts';
import { endure, minutes, type Stage, seed } from './database-trial.ts';

/**
 * A primary that is killed with -9 and its synchronous standby promoted, three times; and a PgBouncer in between that is restarted twice. For a
 * person to start: `LINKCTL_TRIAL_MINUTES=10 LINKCTL_TRIAL_SEED=1 npm run trials:failover`.
 */

/** A server of the pair, in a folder that is also where its socket is. */
class Server {
  readonly folder = clusterFolder();
  readonly #data = join(this.folder, 'data');

  get url(): string {
    return `postgresql://linkctl@/postgres?host=${encodeURIComponent(this.folder)}`;
  }

  /** From the primary, with all that it has; then it follows. */
  follow(primary: Server): void {
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder, { mode: 0o711 });
    const user = serverUser();
    if (user) execFileSync('chown', [`${user.uid}:${user.gid}`, this.folder]);
    this.#run(
      'pg_basebackup',
      '-h',
      primary.folder,
      '-U',
      'linkctl',
      '-D',
      this.#data,
      '-X',
      'stream',
      '-R',
      '--checkpoint=fast',
    );
    const settings = ['listen_addresses=', `unix_socket_directories=${this.folder}`, 'max_connections=300'];
    const options = settings.map((each) => `-c ${each}`).join(' ');
    this.#run('pg_ctl', 'start', '--wait', '--pgdata', this.#data, '--log', join(this.folder, 'log'), '-o', options);
  }

  promote(): void {
    this.#run('pg_ctl', 'promote', '--wait', '--pgdata', this.#data);
  }

  /** With the processes of its connections, and nothing is written any more. */
  kill(): void {
    const [server = ''] = readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n');
    const children = readFileSync(`/proc/${server}/task/${server}/children`, 'utf8').split(' ').filter(Boolean);
    for (const id of [server, ...children]) process.kill(Number(id), 'SIGKILL');
  }

  stop(): void {
    try {
      this.kill();
    } catch {
      // It is not running.
    }
  }

  #run(program: string, ...argv: string[]): void {
    execFileSync(join(postgresFolder() ?? '', program), argv, {
      ...serverUser(),
      cwd: this.folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
}

/** A commit is acknowledged when the standby has it, from now on, or not. */
async function demandStandby({ url }: Server, isDemanded: boolean): Promise<void> {
  await query(url, `ALTER SYSTEM SET synchronous_standby_names = '${isDemanded ? '*' : ''}'`);
  await query(url, 'SELECT pg_reload_conf()');
}

test(`O1: seed ${seed}: ${minutes} minutes, three failovers: nothing acknowledged is lost, and all processes go on`, async () => {
  const [first, second] = [new Server(), new Server()];
  createCluster(first.folder, { isDurable: true });
  let [primary, standby] = [first, second];
  const follow = async (): Promise<void> => {
    standby.follow(primary);
    await expect
      .poll(() => query(primary.url, "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'"), { timeout: 60_000 })
      .toHaveLength(1);
    await demandStandby(primary, true);
  };
  await follow();
  const failOver = async ({ processes, said }: Stage): Promise<void> => {
    primary.kill();
    await delay(1000);
    standby.promote();
    const promoted = performance.now();
    await demandStandby(standby, false);
    const waits = await Promise.all(processes.map((process) => writing(process, promoted)));
    said.push(`after the promotion all processes wrote within ${(Math.max(...waits) / 1000).toFixed(1)} s`);
    expect(Math.max(...waits)).toBeLessThan(10_000);
    [primary, standby] = [standby, primary];
    await follow();
  };
  try {
    await endure({
      store: `${first.url},${encodeURIComponent(second.folder)}&target_session_attrs=read-write`,
      oracle: () => primary.url,
      disturb: (stage) => [
        (async () => {
          for (let times = 0; times < 3; times += 1) {
            await delay((minutes * 60_000) / 4);
            await failOver(stage);
          }
        })(),
      ],
    });
  } finally {
    for (const server of [first, second]) server.stop();
  }
});

/** Milliseconds since then until the process has made a link. */
async function writing(process: Stage['processes'][number], since: number): Promise<number> {
  for (;;) {
    const answer = await process.call('POST', '/tags', { label: `at-${Math.floor(performance.now())}` });
    if (answer?.error.code === 0) return performance.now() - since;
    await delay(50);
  }
}

test.for(['session', 'transaction'] as const)(
  `O1: seed ${seed}: ${minutes} minutes with PgBouncer by %s, restarted twice: nothing acknowledged is lost`,
  async (mode) => {
    const cluster = createCluster(clusterFolder(), { isDurable: true });
    const folder = mkdtempSync(join(tmpdir(), 'linkctl-pooler-'));
    let pooler = await startPooler(folder, cluster.url, mode);
    try {
      await endure({
        store: pooler.url,
        oracle: () => cluster.url,
        disturb: () =>
          [1, 2].map(async (time) => {
            await delay((time * minutes * 60_000) / 3);
            pooler.stop();
            await delay(500);
            pooler = await startPooler(folder, cluster.url, mode);
          }),
      });
    } finally {
      pooler.stop();
      cluster.stop('immediate');
      rmSync(folder, { recursive: true });
    }
  },
);
