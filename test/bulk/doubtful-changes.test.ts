import { describe, expect } from 'vitest';
import { editItemsOperation, editSameOperation } from '../../src/bulk/operations/editing.ts';
import type { ChangeSettings } from '../../src/bulk/operations/named-links.ts';
import type { BulkOperation } from '../../src/bulk/operations/operation.ts';
import { deleteOperation } from '../../src/bulk/operations/removal.ts';
import type { OperationSettings } from '../../src/bulk/run-plan.ts';
import type { LinkKey } from '../../src/contract/link.ts';
import { faults, type Step } from '../support/faulty-steps.ts';
import { type BulkWorld, test } from './bulk-world.ts';
import { change, fill, longRun, named } from './change-runs.ts';
import { crashingFile } from './crashing-file.ts';

const onPatch = { only: { method: 'PATCH' } };
const onDelete = { only: { method: 'DELETE' } };
const onGet = { only: { method: 'GET', path: '/urls' } };
/** An answer that is no use, to a request that is applied when the client looks already. */
const appliedLate: Step = {
  apply: { late: 'release' },
  answer: { headers: { 'content-encoding': 'gzip' }, body: 'x' },
};
/** What was there before it was applied is answered after it was. */
const slowLook: Step = { ...onGet, held: true };

/** Applies what is late when it was looked at, and answers the look after that; so many times. */
async function landLate({ server }: BulkWorld, looks = 1): Promise<void> {
  for (let look = 0; look < looks; look += 1) {
    await server.held();
    await server.release();
  }
}

const deleting = (settings: OperationSettings) => deleteOperation({ ...settings, batchSize: 2 });
const editing = (settings: OperationSettings) => editItemsOperation({ ...settings, batchSize: 2 });

async function hashes(world: BulkWorld): Promise<string> {
  const found = (await world.stored()).map(({ hash }) => hash);
  return found.filter((hash) => !/^h\d{2,}$/.test(hash)).join(' ');
}

async function asked({ server }: BulkWorld): Promise<string[]> {
  return (await server.requests()).map(({ method, url }) => `${method} ${new URL(url, 'http://x').pathname.slice(6)}`);
}

interface LateChange {
  readonly name: string;
  readonly only: Pick<Step, 'only'>;
  /** So many readings settle the doubt. */
  readonly looks: number;
  operation(settings: ChangeSettings): BulkOperation<LinkKey>;
  readonly rows: readonly LinkKey[];
  readonly done: string;
}

const renames = [0, 1].map((nth) => ({ hash: `h${nth}`, custom_hash: `n${nth}` }));
const late: readonly LateChange[] = [
  { name: 'deletion', only: onDelete, looks: 1, operation: deleteOperation, rows: named('h0', 'h1'), done: 'deleted' },
  { name: 'rename', only: onPatch, looks: 2, operation: editItemsOperation, rows: renames, done: 'changed' },
];

for (const edition of ['a', 'b'] as const) {
  describe(`edition ${edition}, an account in use`, () => {
    test.override({ options: { edition } });

    test.for(late.flatMap((kind) => [1, 2].map((count) => ({ ...kind, count }))))(
      'D5: a $name of $count that lands late, after it was looked at, is reported as done',
      async ({ only, looks, operation, rows, done, count }, { world }) => {
        await fill(world, 300);
        await world.server.script([
          { ...appliedLate, ...only },
          { ...slowLook, times: looks },
        ]);
        const some = rows.slice(0, count);
        const [{ exit, statuses }] = await Promise.all([
          change(world, operation({ ...world, batchSize: 1000 }), some),
          landLate(world, looks),
        ]);
        expect([exit, statuses]).toEqual([0, some.map(() => done).join(' ')]);
        if (done === 'changed') expect(await hashes(world)).toMatch(count === 1 ? /^n0 h1/ : /^n0 n1/);
      },
    );

    test.for(late.flatMap((kind) => ['intent', 'result'].map((line) => ({ ...kind, line }))))(
      'D5: a $name that lands late, before the program is killed ($line)',
      async ({ only, looks, operation, rows, done, line }, { world }) => {
        await fill(world, 300);
        await world.server.script([
          { ...appliedLate, ...only },
          { ...slowLook, times: looks },
        ]);
        const { openJournalFile, released } = crashingFile({
          crashAt: { line, step: 'before append', nth: line === 'intent' ? 2 : 1 },
        });
        const pairs = (settings: OperationSettings) => operation({ ...settings, batchSize: 2 });
        await Promise.all([longRun(world, pairs, rows, openJournalFile), landLate(world, looks)]);
        expect(released()).toBe(true);
        expect(await longRun(world, pairs, rows)).toEqual({ exit: 0, statuses: `${done} ${done}` });
        expect(await hashes(world)).toMatch(done === 'changed' ? /^n0 n1/ : /^h2/);
      },
    );

    test("D6: the rename of a hash that never existed to somebody else's is not reported as changed", async ({ world }) => {
      await fill(world, 300);
      const row = { hash: 'ghost', custom_hash: 'h7' };
      await world.server.script([{ ...faults.dropBefore, ...onPatch }]);
      const operation = editItemsOperation({ ...world, batchSize: 1000 });
      expect(await change(world, operation, [row])).toMatchObject({ exit: 5, statuses: '1306' });
      await world.server.script([{ ...faults.dropBefore, ...onPatch }]);
      const typed = editSameOperation({ ...world, batchSize: 1000 }, { custom_hash: 'h7' });
      expect(await change(world, typed, named('ghost'))).toMatchObject({ exit: 5, statuses: '1306' });
      await world.server.script([
        { ...faults.dropBefore, ...onPatch },
        { ...faults.refuse(1303), ...onGet },
      ]);
      const { openJournalFile } = crashingFile({ crashAt: { line: 'ambiguous', step: 'after sync' } });
      await longRun(world, editing, [row], openJournalFile);
      await world.server.script([]);
      expect(await longRun(world, editing, [row])).toEqual({ exit: 5, statuses: '1306' });
    });

    test('D6: a rename whose answer is lost is ours where the link leads to what it led to before', async ({ world }) => {
      await fill(world, 300);
      await world.server.script([{ ...faults.dropAfter, ...onPatch }]);
      const typed = editSameOperation({ ...world, batchSize: 1000 }, { custom_hash: 'new' });
      expect(await change(world, typed, named('h0'))).toMatchObject({ exit: 0, statuses: 'changed' });
      // What an answer leaves out is asked for again.
      expect(await asked(world)).toEqual(['GET /urls', 'PATCH /urls/h0', 'GET /urls', 'GET /urls']);
    });

    test('D6: of a chain of renames whose answer is lost nothing is renamed twice', async ({ world }) => {
      await fill(world, 300);
      await world.server.script([{ ...faults.dropAfter, ...onPatch }]);
      const rows = [
        { hash: 'h1', custom_hash: 'n1' },
        { hash: 'h0', custom_hash: 'h1' },
      ];
      const { exit, statuses } = await change(world, editItemsOperation({ ...world, batchSize: 1000 }), rows);
      expect([exit, statuses]).toEqual([0, 'changed changed']);
      // One for each, because they share a hash.
      expect((await asked(world)).filter((call) => call.startsWith('PATCH'))).toHaveLength(2);
      const urls = new Map((await world.stored()).map(({ hash, long_url }) => [hash, long_url]));
      expect([urls.get('n1'), urls.get('h1')]).toEqual(['https://example.com/1', 'https://example.com/0']);
    });

    test('D5, W3: an edit that lands late, after it was looked at, is not reported as unchanged', async ({ world }) => {
      await fill(world, 300);
      await world.server.script([onGet, { ...appliedLate, ...onPatch }, slowLook]);
      const row = { hash: 'h0', note: 'n' };
      const [changed] = await Promise.all([
        longRun(world, editItemsOperation, [row], undefined, { undo: true, fromArguments: true }),
        landLate(world),
      ]);
      expect(changed).toEqual({ exit: 0, statuses: 'changed' });
    });

    test.for([1303, 1300, 1217, 1301])(
      'D9, R-12: after a lost answer and then %i nothing is asked; the rows are unknown, and the same command looks',
      async (code, { world }) => {
        await fill(world, 300);
        await world.server.script([
          { ...faults.dropAfter, ...onDelete },
          { ...faults.refuse(code), ...onDelete },
        ]);
        const rows = named('h0', 'h1', 'h2');
        const first = await longRun(world, deleting, rows);
        expect(first).toEqual({ exit: 10, statuses: 'unknown unknown not_sent' });
        expect((await asked(world)).slice(-2)).toEqual(['DELETE /urls', 'DELETE /urls']);
        expect(await longRun(world, deleting, rows)).toEqual({ exit: 0, statuses: 'deleted deleted deleted' });
      },
    );

    test.for([1303, 1300, 1217, 1301])('D9, R-12: %i on a look ends the looking', async (code, { world }) => {
      await fill(world, 300);
      await world.server.script([onGet, { ...faults.dropAfter, ...onPatch }, { ...faults.refuse(code), ...onGet }]);
      const rows = [0, 1, 2].map((nth) => ({ hash: `h${nth}`, custom_hash: `n${nth}` }));
      const first = await longRun(world, editing, rows);
      expect(first).toEqual({ exit: 10, statuses: 'unknown unknown not_sent' });
      expect((await asked(world)).at(-1)).toBe('GET /urls');
      expect(await longRun(world, editing, rows)).toEqual({ exit: 0, statuses: 'changed changed changed' });
    });

    test('D2: a budget that ends with a look leaves the rows unknown, and the next command resumes', async ({ world }) => {
      await fill(world, 300);
      await world.server.script([{ ...faults.dropBefore, ...onDelete, times: 5 }]);
      const rows = named('h0', 'h1');
      // On edition A the first call finds the default domain.
      const first = await longRun(world, deleting, rows, undefined, { budget: edition === 'a' ? 3 : 2 });
      expect(first).toEqual({ exit: 10, statuses: 'unknown unknown' });
      expect(await longRun(world, deleting, rows)).toEqual({ exit: 0, statuses: 'deleted deleted' });
    });
  });
}
