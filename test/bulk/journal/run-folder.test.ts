import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { claimRun, foldRun } from '../../../src/bulk/journal/run-folder.ts';
import { pruneRuns } from '../../../src/bulk/past-runs/pruning.ts';
import { forgetRun, listRuns } from '../../../src/bulk/runs.ts';
import type { Client } from '../../../src/client/client.ts';
import { faults } from '../../support/faulty-steps.ts';
import { createMoment } from '../../support/moment.ts';
import { type BulkWorld, rowsOf, type ShortenRun, test } from '../bulk-world.ts';

const keyed = (count: number) => rowsOf(count, (index) => ({ custom_hash: `k${index}` }));

/** A client that stays where the account is asked for its quota: the run is being begun. */
function askingForQuota(client: Client, stay: () => Promise<void>): Client {
  const send: Client['send'] = async (operation, ...rest) => {
    if (operation === 'getAccount') await stay();
    return await client.send(operation, ...rest);
  };
  return { ...client, send };
}

/** An operation that stays in its first call. */
function staying(stay: () => Promise<void>): ShortenRun['spoil'] {
  return (operation) => ({
    ...operation,
    call: async (items, signal) => {
      await stay();
      return await operation.call(items, signal);
    },
  });
}

describe('F66, J4: two processes', () => {
  test('F66: nobody works on a run that another one works on', async ({ world }) => {
    const call = createMoment();
    const run = world.shorten(keyed(3), { spoil: staying(call.stay) });
    await call.reached;
    await expect(world.shorten(keyed(3))).rejects.toThrow(/^run \S+ is in use by another linkctl/);
    expect(await world.posts()).toEqual([]);
    call.leave();
    expect((await run).exit).toBe(0);
  });

  test('J4: nobody searches for a run that another one is beginning', async ({ world }) => {
    const quota = createMoment();
    const first = world.shorten(keyed(3), { environment: { client: askingForQuota(world.client, quota.stay) } });
    await quota.reached;
    await expect(world.shorten(keyed(3))).rejects.toThrow(/^the start of this run is in use by another linkctl/);
    quota.leave();
    expect((await first).exit).toBe(0);
  });

  test('R 1.2: nobody shortens in checked mode for an account that another one shortens for', async ({ world }) => {
    const call = createMoment();
    const first = world.shorten(rowsOf(3), { name: 'one.csv', spoil: staying(call.stay) });
    await call.reached;
    await expect(world.shorten(rowsOf(4), { name: 'two.csv' })).rejects.toThrow(/^shortening in checked mode for ann is in use/);
    // Links with a hash of their own are distinguished.
    expect((await world.shorten(keyed(2), { name: 'three.csv' })).exit).toBe(0);
    call.leave();
    expect((await first).exit).toBe(0);
  });
});

describe('D38, D39: runs that are deleted', () => {
  test.override({ options: { limits: { maxUrls: 2 } } });

  test('D38: a run that its quota forbids is gone when another process may search for it', async ({ world }) => {
    const quota = createMoment();
    const first = world.shorten(keyed(3), { environment: { client: askingForQuota(world.client, quota.stay) } });
    await quota.reached;
    const second = world.shorten(keyed(3), {
      environment: {
        system: {
          ...world.system,
          // It waits already for the first one.
          sleep: async (milliseconds) => {
            quota.leave();
            await delay(milliseconds);
          },
        },
      },
    });
    await expect(first).rejects.toMatchObject({ exitCode: 7 });
    await expect(second).rejects.toMatchObject({ exitCode: 7 });
    expect(readdirSync(join(world.state, 'runs'))).toEqual([]);
  });
});

describe('D39: runs that another process deletes', () => {
  const daysLater = (days: number, { system }: BulkWorld) => ({ ...system, now: () => system.now() + days * 86_400_000 });
  /** When finished runs are old enough to be deleted. */
  const later = (world: BulkWorld) => daysLater(33, world);

  /** Runs in each of the next weeks. Returns their names, newest first. */
  async function runLater(world: BulkWorld): Promise<string[]> {
    const before = new Set(readdirSync(join(world.state, 'runs')));
    for (const days of [7, 14, 21, 28]) {
      await world.shorten(
        rowsOf(1, () => ({ long_url: `https://later-${days}/` })),
        { name: `${days}.csv`, environment: { system: daysLater(days, world) } },
      );
    }
    return (await listRuns(world.folders)).map(({ run }) => run).filter((run) => !before.has(run));
  }

  /** Three finished runs. */
  async function threeRuns(world: BulkWorld): Promise<string[]> {
    for (const name of ['a.csv', 'b.csv', 'c.csv']) {
      await world.shorten(
        rowsOf(1, () => ({ long_url: `https://${name}/` })),
        { name },
      );
    }
    return (await listRuns(world.folders)).map(({ run }) => run);
  }

  test('D39: one that goes while the list is made is not in it, and not damaged', async ({ world }) => {
    const [first, second] = await threeRuns(world);
    const listing = listRuns(world.folders);
    const names = readdirSync(join(world.state, 'runs'));
    rmSync(join(world.state, 'runs', names.at(-1) ?? ''), { recursive: true });
    const listed = await listing;
    expect(listed.map(({ state }) => state)).toEqual(['finished', 'finished']);
    expect([first, second]).toContain(listed[0]?.run);
  });

  test('D39: two processes that clear up at once both continue, and the next one clears what each left to the other', async ({
    world,
  }) => {
    await threeRuns(world);
    const newer = await runLater(world);
    await Promise.all([pruneRuns(world.folders, later(world)), pruneRuns(world.folders, later(world))]);
    // A run that the other process was at counts as one that stays, after which a deleted one leaves a trace.
    await pruneRuns(world.folders, later(world));
    expect(readdirSync(join(world.state, 'runs')).toSorted().reverse()).toEqual(newer);
  });

  test('D39: a finished run that another process is at stays until the next time', async ({ world }) => {
    const [first = ''] = await threeRuns(world);
    const newer = await runLater(world);
    const claim = await claimRun(first, world.folders, world.system);
    await pruneRuns(world.folders, later(world));
    expect((await listRuns(world.folders)).map(({ run }) => run)).toEqual([...newer, first]);
    claim.release();
    await pruneRuns(world.folders, later(world));
    expect((await listRuns(world.folders)).map(({ run }) => run)).toEqual(newer);
  });

  test('D39: what is read of a run that is gone is nothing; a run that is there and has no journal is reported', async ({
    world,
  }) => {
    const [first = '', second = ''] = await threeRuns(world);
    const folders = world.folders;
    rmSync(join(folders.runs, first), { recursive: true });
    expect(await foldRun(first, folders)).toBeUndefined();
    rmSync(join(folders.runs, second, 'journal.log'));
    await expect(foldRun(second, folders)).rejects.toMatchObject({
      exitCode: 9,
      message: expect.stringMatching(/^cannot read .*journal\.log: no such file/),
    });
  });

  test('B88, D39: the lock of a run that is gone leaves nothing that resembles a run', async ({ world }) => {
    const [first = ''] = await threeRuns(world);
    const folders = world.folders;
    rmSync(join(folders.runs, first), { recursive: true });
    (await claimRun(first, folders, world.system)).release();
    expect(readdirSync(folders.runs)).not.toContain(first);
  });

  test('D39: a run that is forgotten twice at once is gone, and leaves nothing that resembles one', async ({ world }) => {
    const [first = ''] = await threeRuns(world);
    const both = await Promise.allSettled([
      forgetRun(world.folders, first, world.system),
      forgetRun(world.folders, first, world.system),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(forgetRun(world.folders, first, world.system)).rejects.toMatchObject({ exitCode: 5 });
    expect(readdirSync(join(world.state, 'runs'))).not.toContain(first);
  });

  test('D39: an unfinished run of the same file that goes while it is read hinders no new one', async ({ world }) => {
    await world.server.script([{ ...faults.refuse(1303), only: { method: 'POST' } }]);
    await world.shorten(keyed(4), { batchSize: 1, name: 'links.csv' });
    const other = rowsOf(2, (index) => ({ custom_hash: `o${index}` }));
    const beginning = world.shorten(other, { name: 'links.csv' });
    for (const name of readdirSync(join(world.state, 'runs'))) rmSync(join(world.state, 'runs', name), { recursive: true });
    expect((await beginning).exit).toBe(0);
  });
});
