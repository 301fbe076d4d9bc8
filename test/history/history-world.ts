import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test as base, type Linkctl } from '../support/linkctl.ts';
import { runningClock } from '../support/running-clock.ts';

const [minute, day] = [60_000, 86_400_000];
/** 2026-03-02, a Monday, 02:00 UTC: when the readings of these tests begin. */
const begin = Date.UTC(2026, 2, 2, 2);

interface Fixtures {
  /** Runs `linkctl` so many days after `begin`; what is no recorder a minute later, when the readings of that moment are made. */
  on: (days: number, ...argv: string[]) => ReturnType<Linkctl>;
  /** The file of readings. */
  readings: () => string;
}

export const test = base.extend<Fixtures>({
  on: async ({ linkctl }, use) => {
    await use((days, ...argv) => {
      const since = argv.includes('--record') ? 0 : minute;
      return linkctl(argv, { now: runningClock(begin + days * day + since) });
    });
  },
  readings: async ({ folder }, use) => {
    await use(() => {
      const all = join(folder, '.local', 'share', 'linkctl', 'history');
      return join(all, readdirSync(all)[0] ?? '', 'readings');
    });
  },
});

export const record = ['stats', '--record'] as const;
