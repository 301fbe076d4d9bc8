import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect } from 'vitest';
import { type BeforeImage, keptImages } from '../../src/bulk/journal/images.ts';
import { editItemsOperation, editSameOperation } from '../../src/bulk/operations/editing.ts';
import { deleteOperation, resetOperation } from '../../src/bulk/operations/removal.ts';
import { imagesName, runRecord } from '../../src/bulk/past-runs/run-names.ts';
import type { OperationSettings, RunPlan } from '../../src/bulk/run-plan.ts';
import type { LinkKey } from '../../src/contract/link.ts';
import type { UrlRecord } from '../../src/contract/records.ts';
import { faults } from '../support/faulty-steps.ts';
import { type BulkWorld, test } from './bulk-world.ts';
import { fill, longRun, named } from './change-runs.ts';
import { type CrashStep, crashingFile } from './crashing-file.ts';

const onPatch = { only: { method: 'PATCH' } };
const onRead = { only: { method: 'GET', path: 'hashes=' } };
const keeping: Partial<RunPlan<LinkKey>> = { undo: true };
const noting = (settings: OperationSettings) => editSameOperation(settings, { note: 'after' });
const removing = (settings: OperationSettings) => deleteOperation(settings);

async function methods({ server }: BulkWorld): Promise<string[]> {
  return (await server.requests()).filter(({ url }) => !/domains|account/.test(url)).map(({ method }) => method);
}

async function changesSent(world: BulkWorld): Promise<number> {
  return (await methods(world)).filter((method) => method !== 'GET').length;
}

function runFolder({ state }: BulkWorld): string {
  const [run = ''] = readdirSync(join(state, 'runs')).filter((name) => !name.startsWith('.'));
  return join(state, 'runs', run);
}

/** By row. */
async function imagesOf(world: BulkWorld, rows: number): Promise<Map<number, BeforeImage>> {
  const images = new Map<number, BeforeImage>();
  for await (const some of (await keptImages(runRecord(basename(runFolder(world)), world.folders), rows)).backwards()) {
    for (const image of some) {
      expect(images.has(image.row)).toBe(false);
      images.set(image.row, world.plain(image));
    }
  }
  return new Map([...images].sort(([one], [other]) => one - other));
}

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ options: { edition } });

  test('U1: the whole records of a batch are synced before a byte of its change is sent', async ({ world }) => {
    await fill(world, 4);
    const before = await world.stored();
    const sentAtSync: number[] = [];
    const { openJournalFile } = crashingFile({
      onSync: async (text) => {
        if (!text.includes('"type":"before"')) return;
        // As slow as a disk can be: an engine that does not wait would have sent by now.
        await new Promise((resolve) => setTimeout(resolve, 20));
        sentAtSync.push(await changesSent(world));
      },
    });
    expect(await longRun(world, noting, named('h0', 'h1', 'h2', 'h3'), openJournalFile, keeping)).toMatchObject({ exit: 0 });
    expect(sentAtSync).toEqual([0, 1]);
    expect(await methods(world)).toEqual(['GET', 'PATCH', 'GET', 'PATCH']);
    const images = await imagesOf(world, 4);
    expect([...images.values()].map(({ record }) => record)).toEqual(before);
    expect(images.get(2)?.payload).toMatchObject({ hash: 'h2', note: 'after' });
  });

  const steps: readonly CrashStep[] = ['before append', 'in append', 'after append', 'after sync'];
  const kills = (['before', 'intent', 'result'] as const).flatMap((line) =>
    steps.flatMap((step) => [1, 2].map((nth) => [line, step, nth] as const)),
  );

  test.for(kills)(
    'U1, F61: killed at a %s line (%s, batch %i): what the server shows as changed has its image, and the same command resumes',
    async ([line, step, nth], { world }) => {
      await fill(world, 4);
      const before = await world.stored();
      const rows = named('h0', 'h1', 'h2', 'h3');
      const { openJournalFile, released } = crashingFile({ crashAt: { line, step, nth } });
      await longRun(world, noting, rows, openJournalFile, keeping);
      expect(released()).toBe(true);
      await expectImages(world, before);
      expect(await longRun(world, noting, rows, undefined, keeping)).toMatchObject({ exit: 0 });
      expect((await world.stored()).map(({ note }) => note)).toEqual(['after', 'after', 'after', 'after']);
      await expectImages(world, before);
    },
  );

  test.for(['before append', 'after sync'] as const)(
    'U1, F61: a deletion that is killed at its images (%s): all that is gone can be made again',
    async (step, { world }) => {
      await fill(world, 4);
      const before = await world.stored();
      const rows = named('h0', 'h1', 'h2', 'h3');
      const { openJournalFile } = crashingFile({ crashAt: { line: 'before', step, nth: 2 } });
      await longRun(world, removing, rows, openJournalFile, keeping);
      await expectImages(world, before);
      expect(await longRun(world, removing, rows, undefined, keeping)).toEqual({
        exit: 0,
        statuses: 'deleted deleted deleted deleted',
      });
      expect([...(await imagesOf(world, 4)).values()].map(({ record }) => record)).toEqual(before);
    },
  );

  test('U1, F64: on a full disk the batch is not sent: exit 9, and the same command resumes', async ({ world }) => {
    await fill(world, 4);
    const rows = named('h0', 'h1', 'h2', 'h3');
    const { openJournalFile } = crashingFile({});
    // The journal itself still takes its lines.
    const full: typeof openJournalFile = async (path, size) => {
      const file = await openJournalFile(path, size);
      const append = () => Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }));
      return path.endsWith(imagesName) ? { ...file, append } : file;
    };
    const refused = { exit: 9, statuses: 'not_sent not_sent not_sent not_sent' };
    expect(await longRun(world, noting, rows, full, keeping)).toEqual(refused);
    expect(await longRun(world, noting, rows, full, { ...keeping, concurrency: 4 })).toEqual(refused);
    expect(await changesSent(world)).toBe(0);
    expect((await world.stored()).every(({ note }) => note === '')).toBe(true);
    expect(await longRun(world, noting, rows, undefined, keeping)).toMatchObject({ exit: 0 });
  });

  test.for([
    ['502', faults.badGatewayBefore, 8, 'not_sent'],
    ['an answer that never comes', faults.dropBefore, 8, 'not_sent'],
    ['HTML', faults.htmlBefore, 8, 'not_sent'],
    ['1303', faults.refuse(1303), 7, '1303'],
    ['1217', faults.refuse(1217), 4, '1217'],
  ] as const)(
    'U1: what cannot be read is not changed (%s), and the same command resumes',
    async ([, fault, exit, status], { world }) => {
      await fill(world, 4);
      const rows = named('h0', 'h1', 'h2', 'h3');
      await world.server.script([onRead, { ...fault, ...onRead, times: 'all' }]);
      expect(await longRun(world, noting, rows, undefined, keeping)).toEqual({
        exit,
        statuses: `changed changed ${status} ${status}`,
      });
      expect(await changesSent(world)).toBe(1);
      await world.server.script([]);
      expect(await longRun(world, noting, rows, undefined, keeping)).toEqual({
        exit: 0,
        statuses: 'changed changed changed changed',
      });
      expect(await changesSent(world)).toBe(2);
    },
  );

  test('U1, D2: rows in doubt keep the image of before their first attempt', async ({ world }) => {
    await fill(world, 2);
    const before = await world.stored();
    await world.server.script([{ ...faults.dropAfter, ...onPatch, times: 'all' }]);
    const appending = (settings: OperationSettings) => editSameOperation(settings, { tags: ['+new'], note: 'after' });
    const { openJournalFile } = crashingFile({ crashAt: { line: 'ambiguous', step: 'after sync' } });
    await longRun(world, appending, named('h0', 'h1'), openJournalFile, keeping);
    expect((await world.stored()).map(({ note }) => note)).toEqual(['after', 'after']);
    await world.server.script([]);
    expect(await longRun(world, appending, named('h0', 'h1'), undefined, keeping)).toEqual({
      exit: 0,
      statuses: 'changed changed',
    });
    expect([...(await imagesOf(world, 2)).values()].map(({ record }) => record)).toEqual(before);
  });

  const theirs = { long_url: 'https://foreign.example/', note: 'theirs' };
  const theirEdit = async ({ direct }: BulkWorld, fields: Partial<typeof theirs>) =>
    await direct.send('editUrl', { path: { hash: 'h0' }, query: {}, body: { urls: [fields] } });
  const theirLink = async ({ direct }: BulkWorld) =>
    await direct.send('shortenUrls', { query: {}, body: { urls: [{ custom_hash: 'h0', ...theirs }] } });

  test.for([
    ['was not applied', faults.dropBefore],
    ['was applied', faults.dropAfter],
  ] as const)(
    'U1, U2: an edit in doubt (it %s) overwrites what somebody changed meanwhile only once that is in the image',
    async ([, fault], { world }) => {
      await fill(world, 2);
      const before = await world.stored();
      const rows = [0, 1].map((nth) => ({ hash: `h${nth}`, long_url: `https://to.example/${nth}`, note: 'after' }));
      await world.server.script([{ ...fault, ...onPatch, times: 'all' }]);
      const { openJournalFile } = crashingFile({ crashAt: { line: 'ambiguous', step: 'after sync' } });
      await longRun(world, editItemsOperation, rows, openJournalFile, { undo: true });
      await theirEdit(world, { note: 'theirs' });
      await world.server.script([]);
      expect(await longRun(world, editItemsOperation, rows, undefined, { undo: true })).toEqual({
        exit: 0,
        statuses: 'changed changed',
      });
      expect((await world.stored()).map(({ note }) => note)).toEqual(['after', 'after']);
      const images = [...(await imagesOf(world, 2)).values()];
      expect(images.map(({ record }) => record)).toEqual(before);
      expect(images.map(({ seen }) => seen?.map(({ values }) => values))).toEqual([[{ note: 'theirs' }], undefined]);
    },
  );

  test.for([
    ['was not applied, and the link was changed', faults.dropBefore, async (world: BulkWorld) => await theirEdit(world, theirs)],
    ['was applied, and the link was made anew', faults.dropAfter, theirLink],
  ] as const)(
    'U1, U2: a deletion in doubt (it %s) leaves alone what is not the link of its image',
    async ([, fault, meanwhile], { world }) => {
      await fill(world, 2);
      const rows = named('h0', 'h1');
      await world.server.script([{ ...fault, only: { method: 'DELETE' }, times: 'all' }]);
      const { openJournalFile } = crashingFile({ crashAt: { line: 'ambiguous', step: 'after sync' } });
      await longRun(world, removing, rows, openJournalFile, keeping);
      await meanwhile(world);
      await world.server.script([]);
      expect(await longRun(world, removing, rows, undefined, keeping)).toEqual({ exit: 3, statuses: 'failed deleted' });
      expect(await world.stored()).toMatchObject([{ hash: 'h0', ...theirs }]);
    },
  );

  test('U1, U2: a link that is made anew between two attempts of its deletion stays', async ({ world }) => {
    await fill(world, 2);
    await world.server.script([
      { ...faults.dropAfter, only: { method: 'DELETE' } },
      { only: { method: 'DELETE' }, held: true },
    ]);
    const running = longRun(world, removing, named('h0', 'h1'), undefined, keeping);
    await world.server.held();
    await theirLink(world);
    await world.server.release();
    expect(await running).toEqual({ exit: 3, statuses: 'failed deleted' });
    expect(await world.stored()).toMatchObject([{ hash: 'h0', ...theirs }]);
  });

  test('U1: rows that were certainly not changed are read again, and the last image counts', async ({ world }) => {
    await fill(world, 2);
    const rows = named('h0', 'h1');
    await world.server.script([{ ...faults.refuse(1303), ...onPatch }]);
    expect(await longRun(world, noting, rows, undefined, keeping)).toMatchObject({ exit: 7 });
    await world.direct.send('editUrl', { path: { hash: 'h0' }, query: {}, body: { urls: [{ note: 'meanwhile' }] } });
    expect(await longRun(world, noting, rows, undefined, keeping)).toMatchObject({ exit: 0 });
    expect((await imagesOf(world, 2)).get(0)?.record?.note).toBe('meanwhile');
  });

  test('U1: a torn last line is cut off when the run is resumed', async ({ world }) => {
    await fill(world, 4);
    const before = await world.stored();
    const rows = named('h0', 'h1', 'h2', 'h3');
    const { openJournalFile } = crashingFile({ crashAt: { line: 'before', step: 'after sync', nth: 2 } });
    await longRun(world, noting, rows, openJournalFile, keeping);
    const path = join(runFolder(world), imagesName);
    const size = statSync(path).size;
    appendFileSync(path, readFileSync(path).subarray(0, 300));
    expect(statSync(path).size).toBe(size + 300);
    expect(await longRun(world, noting, rows, undefined, keeping)).toMatchObject({ exit: 0 });
    expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(3);
    expect([...(await imagesOf(world, 4)).values()].map(({ record }) => record)).toEqual(before);
  });

  test('U1: images that somebody damaged stop a resumed run before anything is sent: exit 9', async ({ world }) => {
    await fill(world, 4);
    const rows = named('h0', 'h1', 'h2', 'h3');
    const { openJournalFile } = crashingFile({ crashAt: { line: 'before', step: 'after sync', nth: 2 } });
    await longRun(world, noting, rows, openJournalFile, keeping);
    const path = join(runFolder(world), imagesName);
    const text = readFileSync(path, 'utf8');
    appendFileSync(path, `rubbish\n${text}`);
    const sent = await changesSent(world);
    await expect(longRun(world, noting, rows, undefined, keeping)).rejects.toMatchObject({ exitCode: 9 });
    expect(await changesSent(world)).toBe(sent);
  });

  test('U1: a run is undone as a whole: what it began with decides when it is resumed', async ({ world }) => {
    await fill(world, 4);
    const rows = named('h0', 'h1', 'h2', 'h3');
    await world.server.script([onPatch, { ...faults.refuse(1303), ...onPatch }]);
    expect(await longRun(world, noting, rows, undefined, keeping)).toMatchObject({ exit: 7 });
    expect(await longRun(world, noting, rows)).toMatchObject({ exit: 0 });
    expect((await imagesOf(world, 4)).size).toBe(4);
  });

  test('U1, R 2.1: a reset keeps the counters, and in doubt nothing is repeated', async ({ world }) => {
    await fill(world, 2);
    const before = await world.stored();
    const resetting = (settings: OperationSettings) => resetOperation(settings);
    await world.server.script([{ ...faults.dropAfter, only: { method: 'DELETE' } }]);
    expect(await longRun(world, resetting, named('h0', 'h1'), undefined, keeping)).toEqual({
      exit: 10,
      statuses: 'unknown unknown',
    });
    expect(await changesSent(world)).toBe(1);
    expect([...(await imagesOf(world, 2)).values()].map(({ record }) => record)).toEqual(before);
  });

  test('W3: links that swap their hashes in one file are not called missing', async ({ world }) => {
    await fill(world, 2);
    const rows = [
      { hash: 'h0', custom_hash: 'tmp' },
      { hash: 'h1', custom_hash: 'h0' },
      { hash: 'tmp', custom_hash: 'h1' },
    ];
    const swapping = { undo: true, batchSize: 10 };
    expect(await longRun(world, editItemsOperation, rows, undefined, swapping)).toEqual({
      exit: 0,
      statuses: 'changed changed changed',
    });
    expect((await world.stored()).map(({ hash }) => hash)).toEqual(['h1', 'h0']);
  });

  test('U1, B85: two calls a batch, however long the hashes are: a batch is no larger than what one call reads', async ({
    world,
  }) => {
    const long = (index: number): string => `long-hash-of-25-chars-${String(index).padStart(3, '0')}`;
    const bound = edition === 'a' ? 1000 : 500;
    const urls = Array.from({ length: bound }, (_, index) => ({ custom_hash: long(index), long_url: 'https://example.com/' }));
    await world.direct.send('shortenUrls', { query: {}, body: { urls } });
    const rows = urls.map(({ custom_hash }) => ({ hash: custom_hash, note: 'after' }));
    const run = await longRun(world, editItemsOperation, rows, undefined, { undo: true, batchSize: bound });
    expect(run.exit).toBe(0);
    const sent = await methods(world);
    const batches = Math.ceil((bound * 28) / 5800);
    expect(sent.filter((method) => method === 'PATCH')).toHaveLength(batches);
    expect(sent.filter((method) => method === 'GET')).toHaveLength(batches);
  });
});

/** Every link that is not as it was has an image with what it was. */
async function expectImages(world: BulkWorld, before: readonly UrlRecord[]): Promise<void> {
  const images = await imagesOf(world, before.length);
  const now = new Map((await world.stored()).map((record) => [record.hash, record]));
  for (const [row, record] of before.entries()) {
    if (now.get(record.hash)?.note !== record.note) expect(images.get(row)?.record).toEqual(record);
  }
}

test('U1: where the run cannot get its file, nothing is sent at all: exit 9', async ({ world }) => {
  await fill(world, 2);
  const rows = named('h0', 'h1');
  const openJournalFile = crashingFile({}).openJournalFile;
  const readOnly: typeof openJournalFile = async (path, size) => {
    if (path.endsWith(imagesName)) throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
    return await openJournalFile(path, size);
  };
  await expect(longRun(world, noting, rows, readOnly, keeping)).rejects.toMatchObject({ exitCode: 9 });
  expect(await methods(world)).toEqual([]);
});
