import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { historyPaths, openHistory } from '../../src/history/history-database.ts';
import { wholeAccount } from '../../src/history/readings.ts';
import { recordedClicks } from '../../src/history/recorded-clicks.ts';
import { startRecording } from '../../src/history/recording.ts';
import { buildChild, type ChildProgram, ended } from '../support/child-program.ts';
import { createTestSystem } from '../support/test-system.ts';
import { childAccount, pageOf } from './record-pages.ts';

let child: ChildProgram;
let home: string;

beforeAll(async () => {
  child = await buildChild(join(import.meta.dirname, 'record-child.ts'));
  home = mkdtempSync(join(tmpdir(), 'linkctl-record-'));
});
afterAll(() => {
  child.remove();
  rmSync(home, { recursive: true });
});

const pages = 4;
const day = 86_400_000;
const system = (now?: number) => createTestSystem({ env: { HOME: home }, ...(now !== undefined && { now: () => now }) });

async function record(clicks: number, now: number): Promise<void> {
  const recording = await startRecording(childAccount, { scope: wholeAccount, edition: 'a', defaultDomain: '' }, system(now));
  for (let page = 0; page < pages; page += 1) recording.add(pageOf(page, clicks));
  recording.finish();
}

/** All that a history says of the counters. */
async function dump(): Promise<unknown> {
  const history = await openHistory(childAccount, system());
  const all = history.work('read', (connection) =>
    ['readings', 'counters', 'events', 'links'].map((table) => connection.sql(`SELECT * FROM ${table}`).all()),
  );
  history.close();
  return all;
}

/** Records in a process whose files can have no more than so many KiB. */
function limitedRecord(kibibytes: number, args: readonly number[]) {
  const command = ['trap "" XFSZ; ulimit -f "$0"; exec "$@"', kibibytes, process.execPath, child.file, ...args].map(String);
  return ended(
    spawn('bash', ['-c', ...command], { env: { PATH: process.env.PATH, HOME: home }, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

test('H1: kill -9 at any moment and a full disk leave the history as it was; the next recorder goes on with it', async () => {
  const begin = Date.UTC(2026, 2, 2);
  await record(0, begin);
  const { file, lock } = historyPaths(childAccount, system());
  const before = await dump();
  for (const killedAt of [2, pages]) {
    const { signal } = await ended(child.start([begin + day, pages, 5, killedAt].map(String), { HOME: home, XDG_DATA_HOME: '' }));
    expect(signal).toBe('SIGKILL');
    expect(await dump()).toEqual(before);
    // Its lock is left behind, and holds nobody up.
    expect(readdirSync(lock).length).toBeGreaterThan(0);
  }
  // Less than what the reading changes.
  const full = await limitedRecord(100, [begin + day, pages, 0]);
  expect(full).toMatchObject({ code: 9, stderr: expect.stringContaining(`cannot write ${file}: `) });
  expect(await dump()).toEqual(before);
  await record(7, begin + day);
  const until = begin + day;
  const span = { since: begin, until, now: until };
  expect((await recordedClicks({ span, scope: wholeAccount }, childAccount, system())).total.clicks).toBe(pages * 7000);
});

test('H1: two recorders at once make two readings, one after the other', async () => {
  const begin = Date.UTC(2026, 3, 1);
  await record(10, begin);
  const two = [1, 2].map((days) =>
    ended(child.start([begin + days * day, pages, 20].map(String), { HOME: home, XDG_DATA_HOME: '' })),
  );
  expect(await Promise.all(two)).toMatchObject([{ code: 0 }, { code: 0 }]);
  const until = begin + 2 * day;
  const { total } = await recordedClicks(
    { span: { since: begin, until, now: until }, scope: wholeAccount },
    childAccount,
    system(),
  );
  expect(total.clicks).toBe(pages * 10_000);
});

test('H1, F64: a reading that is written stays so on a disk that is full before it is in the one file, and the lock is released', async () => {
  const begin = Date.UTC(2026, 4, 1);
  await record(20, begin);
  const { file, lock } = historyPaths(childAccount, system());
  // Room for the new links beside the file, and none at its end.
  const limit = Math.floor(statSync(file).size / 1024) - 1;
  expect(await limitedRecord(limit, [begin + day, pages + 1, 20])).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(lock)).toEqual([]);
  const span = { since: begin, until: begin + day, now: begin + day };
  const clicks = await recordedClicks({ span, scope: wholeAccount }, childAccount, system());
  expect(clicks.total.clicks).toBe(20_000);
});
