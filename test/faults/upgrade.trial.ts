import { test } from 'vitest';
import { clusterFolder, createCluster } from '../support/postgres.ts';
import { leave } from '../support/tools.ts';
import { endure, minutes, seed } from './database-trial.ts';

/**
 * Two processes of the release before and two of this one on one database. For a person to start, with the `linkctl.js` of the other release:
 * `LINKCTL_TRIAL_OTHER=…/bin/linkctl.js LINKCTL_TRIAL_MINUTES=5 npm run trials:upgrade`.
 */
test(`O3: seed ${seed}: ${minutes} minutes of two releases at once: nothing acknowledged is lost`, async () => {
  const other = process.env.LINKCTL_TRIAL_OTHER;
  if (!other) leave('LINKCTL_TRIAL_OTHER does not say where the release before is');
  const cluster = createCluster(clusterFolder(), { isDurable: true });
  try {
    await endure({ store: cluster.url, other, oracle: () => cluster.url, disturb: () => [] });
  } finally {
    cluster.stop('immediate');
  }
});
