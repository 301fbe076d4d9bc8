import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test as base, type Linkctl } from '../support/linkctl.ts';
import { runningClock } from '../support/running-clock.ts';
import { needs } from '../support/tools.ts';

const [minute, day] = [60_000, 86_400_000];
/** 2026-03-02, a Monday, 02:00 UTC: when the readings of these tests begin. */
const begin = Date.UTC(2026, 2, 2, 2);

interface Fixtures {
  /** Makes the server list these records, and nothing else, of one domain. */
  listing: (...urls: object[]) => Promise<void>;
  /** Runs `linkctl` so many days after `begin`; what is no recorder a minute later, when the readings of that moment are made. */
  on: (days: number, ...argv: string[]) => ReturnType<Linkctl>;
  /** The file of the history. */
  history: () => string;
}

export const test = base.extend<Fixtures>({
  on: async ({ linkctl }, use) => {
    await use((days, ...argv) => {
      const since = argv.includes('--record') ? 0 : minute;
      return linkctl(argv, { now: runningClock(begin + days * day + since) });
    });
  },
  listing: async ({ wire }, use) => {
    const error = { code: 0, message: '' };
    await use(async (...urls) => {
      await wire.script([
        {
          times: 'all',
          only: { path: '/domains' },
          answer: { body: { error, domains: [{ domain: 's.ex', status: 'default' }] } },
        },
        { times: 'all', only: { path: 'offset=' }, answer: { body: { error, urls: [] } } },
        { times: 'all', answer: { body: { error, urls } } },
      ]);
    });
  },
  history: async ({ folder }, use) => {
    await use(() => {
      const all = join(folder, '.local', 'share', 'linkctl', 'history');
      return join(all, readdirSync(all)[0] ?? '', 'history.db');
    });
  },
});

export const record = ['stats', '--record'] as const;

/** The rows that somebody else's SQLite answers a query with, their values with blanks between; `values` by name. */
export async function answerOf(file: string, query: string, values: object = {}): Promise<string[]> {
  needs('python3');
  const script = `import json, sqlite3, sys
for row in sqlite3.connect(f'file:{sys.argv[1]}?mode=ro', uri=True).execute(sys.argv[2], json.loads(sys.argv[3])): print(*row)`;
  const { stdout } = await promisify(execFile)('python3', ['-c', script, file, query, JSON.stringify(values)]);
  return stdout.split('\n').slice(0, -1);
}
