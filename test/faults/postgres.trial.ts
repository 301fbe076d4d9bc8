import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'vitest';
import { clusterFolder, createCluster } from '../support/postgres.ts';
import { endure, minutes, seed } from './database-trial.ts';

/**
 * Four `serve` on one database, eight writers, kill -9 of processes at random and two restarts of the database. For a person to start:
 * `LINKCTL_TRIAL_MINUTES=10 LINKCTL_TRIAL_SEED=1 npm run trials:postgres`.
 */
test(`S2, S5: seed ${seed}: ${minutes} minutes: nothing acknowledged is lost, no hash is there twice, no quota is broken`, async () => {
  const cluster = createCluster(clusterFolder(), { isDurable: true });
  try {
    await endure({
      store: cluster.url,
      oracle: () => cluster.url,
      disturb: ({ processes, random, isOver }) => [
        (async () => {
          while (!isOver()) {
            await delay(3000 + 7000 * random());
            if (!isOver()) await processes[Math.floor(random() * processes.length)]?.kill();
          }
        })(),
        ...(['fast', 'immediate'] as const).map(async (mode, index) => {
          await delay(((index + 1) * minutes * 60_000) / 3);
          cluster.stop(mode);
          await delay(1000);
          cluster.start();
        }),
      ],
    });
  } finally {
    cluster.stop('immediate');
  }
});
