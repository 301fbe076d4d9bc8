import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compare } from './oracle.ts';
import { SimulatedAccount } from './simulated-account.ts';

// `npm run trials:history` takes other seeds, and a year.
test('H1, H2: the figures of 40 days are those of an oracle that knows every click', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'linkctl-year-'));
  try {
    const account = new SimulatedAccount({ links: 400, seed: 1, folder });
    for (let day = 0; day < 40; day += 1) {
      account.live();
      // Nobody recorded for a week.
      if (day < 15 || day >= 22) await account.record();
    }
    const count = account.readings.length;
    for (let tries = 0; tries < 25; tries += 1) {
      const last = 2 + Math.floor(account.random() * (count - 2));
      const first = 1 + Math.floor(account.random() * (last - 1));
      await compare(account, first, last);
    }
    expect(count).toBe(33);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
