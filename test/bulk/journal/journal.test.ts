import { appendFileSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { LocalError } from '../../../src/base/errors.ts';
import { foldJournal } from '../../../src/bulk/journal/fold.ts';
import { outcomeFailure } from '../../../src/bulk/results/outcome-failure.ts';
import { UnrecordedError } from '../../../src/bulk/results/row-outcome.ts';
import { createStop } from '../../../src/bulk/sending/stop.ts';
import { faults } from '../../support/faulty-steps.ts';
import { type BulkWorld, multiplicity, rowsOf, test } from '../bulk-world.ts';
import { type CrashStep, crashingFile } from '../crashing-file.ts';

const onPost = { only: { method: 'POST' } };

function journalPath({ state }: BulkWorld): string {
  const [run = ''] = readdirSync(join(state, 'runs')).filter((name) => !name.startsWith('.'));
  return join(state, 'runs', run, 'journal.log');
}

describe('J1 to J9', () => {
  test('J1: the intent of a batch is synced before a byte of it is sent', async ({ world }) => {
    const synced: number[] = [];
    let postsAtIntent = 0;
    const { openJournalFile } = crashingFile({
      onSync: async (text) => {
        if (!text.includes('"type":"intent"')) return;
        // As slow as a disk can be: an engine that does not wait would have sent by now.
        await new Promise((resolve) => setTimeout(resolve, 20));
        synced.push((await world.posts()).length);
        postsAtIntent += 1;
      },
    });
    await world.shorten(rowsOf(30), { batchSize: 10, environment: { openJournalFile } });
    expect(postsAtIntent).toBe(3);
    expect(synced).toEqual([0, 1, 2]);
  });

  test('J2: no row is reported before its result is synced', async ({ world }) => {
    let reported = 0;
    const reportedAtSync: number[] = [];
    const { openJournalFile } = crashingFile({
      onSync: async (text) => {
        if (!text.includes('"type":"result"')) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
        reportedAtSync.push(reported);
      },
    });
    await world.shorten(rowsOf(20), {
      batchSize: 10,
      environment: { openJournalFile },
      onRow: () => {
        reported += 1;
      },
    });
    expect(reportedAtSync[0]).toBe(0);
    expect(reportedAtSync[1]).toBeLessThanOrEqual(10);
  });

  const namesIn = ({ journal }: BulkWorld): Set<string> => new Set(journal().map((line) => Object.keys(line).join(' ')));

  test('J8: what a journal holds keeps its names from version to version, so that old runs can be resumed', async ({ world }) => {
    await world.server.script([{ ...faults.dropBefore, ...onPost }]);
    await world.shorten(rowsOf(2));
    expect(namesIn(world)).toEqual(
      new Set([
        'type version run order operation mode server account domain input options edition outputs at',
        'type batch rows payload mark',
        'type batch rows reason',
        'type batch conclusive found total',
        'type batch rows states released',
        'type batch rows states hashes shortUrls longUrls values given',
        'type reason clock at',
        'type at',
      ]),
    );
    const [intent] = world.journal().filter((line) => line.type === 'intent');
    expect(intent).toMatchObject({ mark: { known: [], total: 0 } });
  });

  test('J8: so do generated hashes', async ({ world }) => {
    await world.shorten(rowsOf(1), { generateHashes: true });
    expect(namesIn(world)).toContain('type batch rows payload keys');
  });

  test('J5, R-X9: the results are in their place before the journal says that the run is complete', async ({ world }) => {
    const results = join(world.folder, 'results.csv');
    const inPlace: boolean[] = [];
    const { openJournalFile } = crashingFile({
      onSync: async (text) => {
        if (text.includes('"type":"end"')) inPlace.push(existsSync(results));
      },
    });
    await world.shorten(rowsOf(3), { results, environment: { openJournalFile } });
    expect(inPlace).toEqual([true]);
  });

  test.for([
    [
      'a flipped bit in the middle',
      (path: string) => {
        const bytes = readFileSync(path);
        bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
        writeFileSync(path, bytes);
      },
    ],
    ['cut to nothing', (path: string) => truncateSync(path, 0)],
    [
      'begun twice',
      (path: string) => {
        const first = readFileSync(path, 'utf8').split('\n')[0];
        appendFileSync(path, `${first}\n`);
      },
    ],
  ] as const)('J3, F63: %s: exit 9, and nothing is sent', async ([, damage], { world }) => {
    await world.server.script([{ ...faults.refuse(1303), ...onPost }]);
    await world.shorten(rowsOf(30), { batchSize: 10 });
    damage(journalPath(world));
    const before = (await world.posts()).length;
    await expect(world.shorten(rowsOf(30), { batchSize: 10 })).rejects.toMatchObject({ exitCode: 9 });
    expect((await world.posts()).length).toBe(before);
  });

  test('J6: an intent without a result is class A when the run is resumed', async ({ world }) => {
    const rows = rowsOf(20);
    const { openJournalFile, released } = crashingFile({ crashAt: { line: 'result', step: 'before append' } });
    await world.shorten(rows, { batchSize: 10, environment: { openJournalFile } });
    released();
    expect((await foldJournal(journalPath(world))).open.size).toBe(1);
    const { exit } = await world.shorten(rows, { batchSize: 10 });
    expect(exit).toBe(0);
    expect(multiplicity(rows, await world.stored())).toEqual({ 1: 20 });
    expect(await world.posts()).toEqual([10, 10]);
  });

  test('J7: an intent that cannot be written: nothing is sent, exit 9', async ({ world }) => {
    const { openJournalFile } = crashingFile({ failAt: { line: 'intent', code: 'ENOSPC' } });
    const { exit, summary } = await world.shorten(rowsOf(10), { environment: { openJournalFile } });
    expect(exit).toBe(9);
    expect(await world.posts()).toEqual([]);
    expect(summary.tally.counts.not_sent).toBe(10);
  });

  test('J7: a result that cannot be written: each row and its short URL are reported, exit 9', async ({ world }) => {
    const { openJournalFile } = crashingFile({ failAt: { line: 'result', code: 'EIO' } });
    const { exit, summary, outcomes } = await world.shorten(rowsOf(3), { environment: { openJournalFile } });
    expect(exit).toBe(9);
    const { identity } = world.client;
    const failures = outcomes.map((outcome) => outcomeFailure(outcome, identity, { input: 'links.txt' }));
    // The hint of the run says what to do, not an edit of the links.
    expect(failures.map((failure) => [failure?.kind, failure?.hint])).toEqual(new Array(3).fill(['unknown', undefined]));
    const details = summary.stop?.kind === 'error' ? summary.stop.error.details : [];
    expect(details.filter((line) => /^line \d+: created .*s\.ex\/\w+/i.test(line))).toHaveLength(3);
  });

  test('J7: what was done is named also where another batch met the broken journal first', () => {
    const stop = createStop();
    stop.because(new LocalError('cannot write the journal'));
    stop.because(new UnrecordedError('cannot write the journal', 1, ['line 1: created s.ex/a']));
    stop.because(new LocalError('cannot write the journal'));
    stop.because(new UnrecordedError('cannot write the journal', 1, ['line 2: created s.ex/b']));
    expect(stop.reason).toMatchObject({ error: { rows: 2, details: ['line 1: created s.ex/a', 'line 2: created s.ex/b'] } });
  });

  test('J8: the same run with other flags is refused, exit 9', async ({ world }) => {
    await world.server.script([onPost, { ...faults.refuse(1303), ...onPost }]);
    await world.shorten(rowsOf(5), { options: { note: 'a' }, batchSize: 2 });
    await expect(world.shorten(rowsOf(5), { options: { note: 'b' } })).rejects.toMatchObject({ exitCode: 9 });
    await expect(world.shorten(rowsOf(5), { options: { note: 'a' }, generateHashes: true })).rejects.toMatchObject({
      exitCode: 9,
      message: expect.stringContaining('with other flags (mode checked, now keyed, --generate-hashes)'),
    });
  });

  test('J8: values on their way that would be others now are not sent', async ({ world }) => {
    const { openJournalFile, released } = crashingFile({ crashAt: { line: 'intent', step: 'after sync' } });
    const rows = rowsOf(5);
    await world.shorten(rows, { environment: { openJournalFile } });
    released();
    const { exit } = await world.shorten(rows, { payload: (item: object) => ({ ...item, note: 'new' }) } as object);
    expect(exit).toBe(10);
    expect(await world.posts()).toEqual([]);
  });

  test('J8, F65: a file that changed since an unfinished run is refused, exit 9', async ({ world }) => {
    await world.server.script([onPost, { ...faults.refuse(1303), ...onPost }]);
    await world.shorten(rowsOf(5), { batchSize: 2 });
    await expect(world.shorten(rowsOf(6))).rejects.toMatchObject({ exitCode: 9 });
  });

  test('J8: a run of which nothing was applied hinders no other', async ({ world }) => {
    await world.server.script([{ ...faults.refuse(1300), ...onPost }]);
    expect((await world.shorten(rowsOf(5), { options: { note: 'a' } })).exit).toBe(4);
    expect((await world.shorten(rowsOf(5), { options: { note: 'b' } })).exit).toBe(0);
    expect((await world.shorten(rowsOf(6))).exit).toBe(0);
  });
});

const steps: readonly CrashStep[] = ['before append', 'in append', 'after append', 'after sync'];
const lines = {
  checked: ['begin', 'intent', 'ambiguous', 'reconcile', 'result', 'end'],
  keyed: ['intent', 'result', 'end'],
  dedupe: ['intent', 'result'],
} as const;
const modes = ['checked', 'keyed', 'dedupe'] as const;

describe('F61, F62: a crash at any step of the journal', () => {
  test.for(modes.flatMap((mode) => lines[mode].flatMap((line) => steps.map((step) => [mode, line, step] as const))))(
    '%s mode, %s line, %s: the same command again leaves one link per row and one outcome each',
    async ([mode, line, step], { world }) => {
      const rows = rowsOf(9);
      const flags = { batchSize: 3, generateHashes: mode === 'keyed', dedupe: mode === 'dedupe' ? 'account' : 'off' } as const;
      await world.server.script([{}, faults.dropAfter].map((fault) => ({ ...fault, ...onPost })));
      const { openJournalFile, released } = crashingFile({ crashAt: { line, step, nth: line === 'result' ? 2 : 1 } });
      await world.shorten(rows, { ...flags, environment: { openJournalFile } }).catch(() => undefined);
      expect(released()).toBe(true);
      const results = join(world.folder, 'results.csv');
      const again = await world.shorten(rows, { ...flags, results }).catch((error: { exitCode?: number }) => error);
      expect(multiplicity(rows, await world.stored())).toEqual({ 1: 9 });
      // Only the line that says that it was finished makes the second command one too many.
      if ('exitCode' in again) expect([line, again.exitCode]).toEqual(['end', 2]);
      else
        expect(
          readFileSync(results, 'utf8')
            .trim()
            .split('\n')
            .slice(1)
            .map((text) => text.split(',')[0]),
        ).toEqual(rows.map((_, index) => String(index + 1)));
      expect(existsSync(join(world.state, 'runs'))).toBe(true);
    },
  );
});

test('J8, R-X8: a run on what is not the default domain any more is not restarted on another', async ({ world }) => {
  await world.server.script([onPost, { ...faults.refuse(1303), ...onPost }]);
  await world.shorten(rowsOf(5), { batchSize: 2 });
  const domains = [{ domain: 'new.ex', status: 'default' }];
  const answer = { body: { error: { code: 0, message: '' }, version: '3.1', domains } };
  await world.server.script([{ only: { path: '/domains' }, apply: false, answer }]);
  await expect(world.shorten(rowsOf(5))).rejects.toMatchObject({ exitCode: 9, message: expect.stringContaining('s.ex') });
});
