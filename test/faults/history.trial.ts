import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { historyPaths } from '../../src/history/history-database.ts';
import { compare } from '../history/oracle.ts';
import { SimulatedAccount } from '../history/simulated-account.ts';

const links = Number(process.env.LINKCTL_TRIALS ?? 100_000);
const seed = Number(process.env.LINKCTL_TRIAL_SEED ?? 1);
const days = 365;
/** Two weeks in which nobody recorded: the numbers of their first days. */
const missing = [100, 101, 102, 103, 104, 105, 106, 250, 251, 252, 253, 254, 255, 256];

test(`H1, H2: a year of ${links} links: at most 120 MB, and the figures of an oracle that knows every click`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'linkctl-year-'));
  try {
    const account = new SimulatedAccount({ links, seed, folder });
    let seconds = 0;
    let changed = 0;
    for (let day = 0; day < days; day += 1) {
      account.live();
      if (missing.includes(day)) continue;
      const start = performance.now();
      const { counted } = await account.record();
      seconds = (performance.now() - start) / 1000;
      changed = counted;
      if (day % 50 === 0) say(`day ${day}: ${counted} changed, ${size(account)} bytes, last record ${seconds.toFixed(2)} s`);
    }
    const bytes = size(account);
    say(`${account.links.length} links, ${account.readings.length} readings, ${changed} changed a day: ${bytes} bytes`);
    say(`last record, without the listing: ${seconds.toFixed(2)} s`);
    for (const period of [1, 7, 30, 120, 240]) {
      const last = account.readings.length - 1;
      const start = performance.now();
      await compare(account, Math.max(0, last - period), last);
      say(`figures of ${period} days, compared: ${((performance.now() - start) / 1000).toFixed(2)} s`);
    }
    for (let tries = 0; tries < 20; tries += 1) {
      const last = 2 + Math.floor(account.random() * (account.readings.length - 2));
      await compare(account, 1 + Math.floor(account.random() * (last - 1)), last);
    }
    expect(bytes).toBeLessThan(120e6 * Math.max(1, links / 100_000));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function size(account: SimulatedAccount): number {
  return statSync(historyPaths(account.account, account.system()).file).size;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
