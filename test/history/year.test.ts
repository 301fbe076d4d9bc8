import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { foldReadings, openReadings } from '../../src/history/history-folder.ts';
import { KnownLinks } from '../../src/history/known-links.ts';
import { openToRecord } from '../../src/history/reading-writer.ts';
import { compare } from './oracle.ts';
import { SimulatedAccount } from './simulated-account.ts';

test.each([1, 2])('H1, H2: the figures of 40 days are those of an oracle that knows every click (seed %d)', async (seed) => {
  const folder = mkdtempSync(join(tmpdir(), 'linkctl-year-'));
  try {
    const account = new SimulatedAccount({ links: 400, seed, folder });
    for (let day = 0; day < 40; day += 1) {
      account.live();
      // Nobody recorded for a week.
      if (day < 15 || day >= 22) await account.record();
    }
    const count = account.readings.length;
    for (let tries = 0; tries < 25; tries += 1) {
      const last = 2 + Math.floor(account.random() * (count - 2));
      const first = 1 + Math.floor(account.random() * (last - 1));
      compare(account, first, last);
    }
    expect(count).toBe(33);
    await expectKnown(account);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** What the last recorder has kept for the next one is what the readings say. */
async function expectKnown(simulated: SimulatedAccount): Promise<void> {
  const { account } = simulated;
  const system = () => simulated.system();
  const readings = openReadings(account, system());
  if (readings === undefined) throw new Error('no readings');
  const folded = new KnownLinks();
  foldReadings(readings, folded);
  readings.close();
  const writer = await openToRecord(account, system());
  const kept = writer.known();
  writer.discard();
  expect(readFileSync(writer.paths.known).length).toBeGreaterThan(folded.count * 30);
  expect(kept.head()).toEqual(folded.head());
  expect(Buffer.concat(kept.columns())).toEqual(Buffer.concat(folded.columns()));
}
