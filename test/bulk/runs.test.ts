import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { pruneRuns } from '../../src/bulk/past-runs/pruning.ts';
import { forgetRun, listRuns, showRun } from '../../src/bulk/runs.ts';
import { faults } from '../support/faulty-steps.ts';
import { inputOf, rowsOf, test } from './bulk-world.ts';

const onPost = { only: { method: 'POST' } };

test('U4: runs list: finished and unfinished ones, the newest first, with what their rows got', async ({ world }) => {
  await world.shorten(rowsOf(3), { name: 'one.csv' });
  await world.server.script([onPost, { ...faults.refuse(1303), ...onPost }]);
  await world.shorten(rowsOf(5), { name: 'two.csv', batchSize: 2 });
  const runs = await listRuns(world.folders);
  expect(runs).toMatchObject([
    { state: 'unfinished', counts: { created: 2, not_sent: 3 }, lastEnd: 'quota' },
    { state: 'finished', counts: { created: 3 }, lastEnd: 'complete' },
  ]);
  expect(await showRun(world.folders, runs[1]?.run ?? '')).toEqual(runs[1]);
  await expect(showRun(world.folders, 'nope')).rejects.toMatchObject({ exitCode: 5 });
});

test('J2: a result that is damaged while its run is resumed stops the run: exit 9, and the journal says why', async ({
  world,
}) => {
  const rows = rowsOf(30, (index) => ({ custom_hash: `h${index}` }));
  await world.server.script([onPost, onPost, { ...faults.refuse(1303), ...onPost }]);
  await world.shorten(rows, { batchSize: 10, concurrency: 1 });
  const [run] = await listRuns(world.folders);
  const journal = run?.journal ?? '';
  const input = inputOf(rows, join(world.folder, 'links.csv'));
  async function* open() {
    const lines = readFileSync(journal, 'utf8').split('\n');
    const nth = lines.findLastIndex((line) => line.includes('"hashes"'));
    writeFileSync(journal, lines.with(nth, (lines[nth] ?? '').replace('"h0"', '"h7"')).join('\n'));
    yield* input.open();
  }
  const { exit, summary } = await world.shorten(rows, { batchSize: 10, input: { ...input, open } });
  expect({ exit, stop: summary.stop }).toMatchObject({
    exit: 9,
    stop: { error: { message: expect.stringContaining('damaged') } },
  });
  expect(readFileSync(journal, 'utf8')).toMatch(/"end","reason":"local"/);
});

test('runs list: a damaged journal is named and does not hide the others', async ({ world }) => {
  await world.shorten(rowsOf(3), { name: 'one.csv' });
  const [run] = await listRuns(world.folders);
  appendFileSync(run?.journal ?? '', 'rubbish\n');
  appendFileSync(run?.journal ?? '', 'more\n');
  expect((await listRuns(world.folders))[0]?.state).toBe('finished');
  const { encodeLine } = await import('../../src/bulk/journal/lines.ts');
  appendFileSync(run?.journal ?? '', encodeLine({ type: 'signal', at: '' }));
  expect((await listRuns(world.folders))[0]).toMatchObject({ state: 'damaged', problem: expect.stringContaining('damaged') });
});

test('runs forget deletes the journal, but not while the run is at work', async ({ world }) => {
  let refused: unknown;
  let tried: Promise<void> | undefined;
  await world.shorten(rowsOf(20), {
    batchSize: 5,
    onRow: () => {
      const [run = ''] = readdirSync(join(world.state, 'runs'));
      tried ??= forgetRun(world.folders, run, world.system).catch((error: unknown) => {
        refused = error;
      });
    },
  });
  await tried;
  expect(refused).toMatchObject({ exitCode: 9 });
  const [{ run = '', journal = '' } = {}] = await listRuns(world.folders);
  await forgetRun(world.folders, run, world.system);
  expect(existsSync(journal)).toBe(false);
});

test('finished journals are kept 30 days, unfinished ones until they are forgotten; time without a run counts as a week', async ({
  world,
}) => {
  await world.shorten(rowsOf(3), { name: 'one.csv' });
  await world.server.script([onPost, { ...faults.refuse(1303), ...onPost }]);
  await world.shorten(rowsOf(5), { name: 'two.csv', batchSize: 2 });
  const ended = world.system.now();
  const after = (days: number) => ({ ...world.system, now: () => ended + days * 86_400_000 });
  const weeks = [7, 14, 21, 28];
  for (const days of weeks) await world.shorten(rowsOf(days), { name: `${days}.csv`, environment: { system: after(days) } });
  for (const [days, states] of [
    [29, ['unfinished', 'finished']],
    [31, ['unfinished']],
    [365, ['unfinished']],
  ] as const) {
    await pruneRuns(world.folders, after(days));
    expect((await listRuns(world.folders)).map(({ state }) => state)).toEqual([...weeks.map(() => 'finished'), ...states]);
  }
});
