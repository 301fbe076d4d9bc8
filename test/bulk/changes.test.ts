import { describe, expect } from 'vitest';
import { editItemsOperation, editSameOperation, matchEdits } from '../../src/bulk/operations/editing.ts';
import { deleteOperation, resetOperation } from '../../src/bulk/operations/removal.ts';
import type { OperationSettings } from '../../src/bulk/run-plan.ts';
import { faults } from '../support/faulty-steps.ts';
import { type BulkWorld, test } from './bulk-world.ts';
import { change, fill, longRun, named } from './change-runs.ts';
import { crashingFile } from './crashing-file.ts';

const onPatch = { only: { method: 'PATCH' } };
const onDelete = { only: { method: 'DELETE' } };

async function calls({ server }: BulkWorld, method: string): Promise<number> {
  return (await server.requests()).filter((request) => request.method === method).length;
}

describe('delete of many', () => {
  test('deletes all in one call', async ({ world }) => {
    await fill(world, 5);
    const { exit } = await change(world, deleteOperation({ ...world, batchSize: 1000 }), named('h0', 'h1', 'h2'));
    expect(exit).toBe(0);
    expect((await world.stored()).map(({ hash }) => hash)).toEqual(['h3', 'h4']);
    expect(await calls(world, 'DELETE')).toBe(1);
  });

  test('CLI 3.9.4: one that is missing: the others are deleted, and it alone is reported', async ({ world }) => {
    await fill(world, 3);
    await world.server.script([{ ...faults.refuse(1306), ...onDelete }]);
    const { exit, statuses } = await change(world, deleteOperation({ ...world, batchSize: 1000 }), named('h0', 'none', 'h2'));
    expect(statuses).toBe('deleted 1306 deleted');
    expect(exit).toBe(3);
    expect((await world.stored()).map(({ hash }) => hash)).toEqual(['h1']);
  });

  test.for([
    ['F04', faults.dropBefore],
    ['F05', faults.dropAfter],
    ['F30', faults.badGatewayAfter],
  ] as const)('%s: an answer that does not come: 1306 afterwards means that it is done', async ([, fault], { world }) => {
    await fill(world, 4);
    await world.server.script([{ ...fault, ...onDelete }]);
    const { exit, statuses } = await change(world, deleteOperation({ ...world, batchSize: 1000 }), named('h0', 'h1', 'h2'));
    expect([exit, statuses]).toEqual([0, 'deleted deleted deleted']);
    expect((await world.stored()).map(({ hash }) => hash)).toEqual(['h3']);
  });

  test('F08: no answer at all: looked at, and what is left is deleted', async ({ world }) => {
    await fill(world, 4);
    await world.server.script([{ ...faults.dropAfter, ...onDelete, times: 5 }]);
    const { exit } = await change(world, deleteOperation({ ...world, batchSize: 1000 }), named('h0', 'h1'));
    expect(exit).toBe(0);
    expect((await world.stored()).map(({ hash }) => hash)).toEqual(['h2', 'h3']);
  });

  test('all missing: 5', async ({ world }) => {
    expect((await change(world, deleteOperation({ ...world, batchSize: 1000 }), named('x', 'y'))).exit).toBe(5);
    expect((await change(world, deleteOperation({ ...world, batchSize: 1000 }), named('x'))).exit).toBe(5);
  });
});

describe('edit of many', () => {
  test('style 2: the same fields for all, in one call', async ({ world }) => {
    await fill(world, 3);
    const operation = editSameOperation({ ...world, batchSize: 1000 }, { note: 'n', tags: ['+t'] });
    const { exit, statuses, outcomes } = await change(world, operation, named('h0', 'h2'));
    expect([exit, statuses]).toEqual([0, 'changed changed']);
    expect(world.plain(outcomes[0]?.record)).toMatchObject({ hash: 'h0', note: 'n', tags: ['t'] });
    expect(await calls(world, 'PATCH')).toBe(1);
  });

  test('style 3: fields of their own; one that is missing fails alone', async ({ world }) => {
    await fill(world, 3);
    const { exit, statuses } = await change(world, editItemsOperation({ ...world, batchSize: 1000 }), [
      { hash: 'h0', note: 'a' },
      { hash: 'none', note: 'b' },
      { hash: 'h2', custom_hash: 'new', note: 'c' },
    ]);
    expect([exit, statuses]).toEqual([3, 'changed 1306 changed']);
    expect((await world.stored()).map(({ hash, note }) => `${hash} ${note}`)).toEqual(['h0 a', 'h1 ', 'new c']);
  });

  test.for([
    ['F04', faults.dropBefore],
    ['F05', faults.dropAfter],
    ['F06', faults.dropMiddle(1)],
    ['F10', faults.cutAfter],
    ['F20', faults.htmlAfter],
    ['F30', faults.badGatewayBefore],
  ] as const)('%s: a rename in doubt is looked at before it is repeated', async ([, fault], { world }) => {
    await fill(world, 3);
    await world.server.script([{ ...fault, ...onPatch }]);
    const { exit, statuses } = await change(world, editItemsOperation({ ...world, batchSize: 1000 }), [
      { hash: 'h0', custom_hash: 'n0' },
      { hash: 'h1', custom_hash: 'n1' },
    ]);
    expect([exit, statuses]).toEqual([0, 'changed changed']);
    expect((await world.stored()).map(({ hash }) => hash)).toEqual(['n0', 'n1', 'h2']);
  });

  test('CLI 3.5: a field that came back different fails its row: not applied', async ({ world }) => {
    await fill(world, 2);
    const old = (hash: string) => ({ hash, note: 'old', long_url: 'https://example.com/', error: { code: 0, message: '' } });
    const answer = { body: { error: { code: 0, message: '' }, urls: [old('h0'), { ...old('h1'), note: 'n' }] } };
    await world.server.script([{ ...onPatch, apply: false, answer }]);
    const operation = editSameOperation({ ...world, batchSize: 1000 }, { note: 'n' });
    const { exit, statuses, outcomes } = await change(world, operation, named('h0', 'h1'));
    expect([exit, statuses]).toEqual([3, 'failed changed']);
    expect(outcomes[0]?.error?.message).toBe('not applied: note');
  });
});

describe('reset of many', () => {
  test('in doubt nothing is repeated: 10', async ({ world }) => {
    await fill(world, 2);
    await world.server.script([{ ...faults.dropAfter, ...onDelete }]);
    const { exit, statuses } = await change(world, resetOperation({ ...world, batchSize: 1000 }), named('h0', 'h1'));
    expect([exit, statuses]).toEqual([10, 'unknown unknown']);
    expect(await calls(world, 'DELETE')).toBe(1);
  });
});

describe('R-53: changes of many have the same journal', () => {
  const steps = ['before append', 'after sync'] as const;

  test.for(steps)(
    'delete, killed at a result (%s): the same command resumes, and nothing is reported missing',
    async (step, { world }) => {
      await fill(world, 6);
      const operation = (settings: OperationSettings) => deleteOperation({ ...settings, batchSize: 2 });
      const rows = named('h0', 'h1', 'h2', 'h3');
      const { openJournalFile, released } = crashingFile({ crashAt: { line: 'result', step, nth: 2 } });
      await longRun(world, operation, rows, openJournalFile);
      expect(released()).toBe(true);
      expect(await longRun(world, operation, rows)).toEqual({ exit: 0, statuses: 'deleted deleted deleted deleted' });
      expect((await world.stored()).map(({ hash }) => hash)).toEqual(['h4', 'h5']);
    },
  );

  test.for(steps)('renames, killed at a result (%s): looked at before they are repeated', async (step, { world }) => {
    await fill(world, 4);
    const operation = (settings: OperationSettings) => editItemsOperation({ ...settings, batchSize: 2 });
    const rows = [0, 1, 2, 3].map((nth) => ({ hash: `h${nth}`, custom_hash: `n${nth}`, note: 'x' }));
    const { openJournalFile, released } = crashingFile({ crashAt: { line: 'result', step } });
    await longRun(world, operation, rows, openJournalFile);
    expect(released()).toBe(true);
    expect(await longRun(world, operation, rows)).toEqual({ exit: 0, statuses: 'changed changed changed changed' });
    expect((await world.stored()).map(({ hash }) => hash)).toEqual(['n0', 'n1', 'n2', 'n3']);
  });

  test('resets, killed after the request: not repeated, unknown, 10; the others are done', async ({ world }) => {
    await fill(world, 4);
    const operation = (settings: OperationSettings) => resetOperation({ ...settings, batchSize: 2 });
    const { openJournalFile, released } = crashingFile({ crashAt: { line: 'intent', step: 'after sync' } });
    await longRun(world, operation, named('h0', 'h1', 'h2', 'h3'), openJournalFile);
    expect(released()).toBe(true);
    const again = await longRun(world, operation, named('h0', 'h1', 'h2', 'h3'));
    expect(again).toEqual({ exit: 10, statuses: 'unknown unknown reset reset' });
  });
});

test('4.1.7: rows of several domains go out in calls of their own', async ({ world }) => {
  const rows = [
    { hash: 'a', domain: 'x.ex' },
    { hash: 'b', domain: 'y.ex' },
    { hash: 'c', domain: 'x.ex' },
  ];
  await world.server.script([{ ...onDelete, apply: false, times: 'all' }]);
  await change(world, deleteOperation({ ...world, batchSize: 1000 }), rows);
  const urls = (await world.server.requests()).map(({ url }) => url);
  expect(urls.map((url) => url.replace(/^.*\/urls/, ''))).toEqual(['?domain=x.ex&hashes=a%2Cc', '/b?domain=y.ex']);
});

test('R-14, B85: 10,000 hashes: no address above 6,000 bytes, none above the bound', async ({ world }) => {
  await world.server.script([{ ...onDelete, apply: false, times: 'all' }]);
  const rows = named(...Array.from({ length: 10_000 }, (_, index) => `hash-${index}`));
  const { exit } = await change(world, deleteOperation({ ...world, batchSize: 1000 }), rows);
  expect(exit).toBe(0);
  const lists = (await world.server.requests()).map(({ url }) => url);
  expect(Math.max(...lists.map(({ length }) => length))).toBeLessThanOrEqual(6000);
  const hashes = lists.flatMap((url) => new URL(url, 'http://x').searchParams.get('hashes')?.split(',') ?? []);
  expect(hashes).toEqual(rows.map(({ hash }) => hash));
});

test.for<[string, { hash: string; custom_hash?: string }[], unknown[], string]>([
  ['reordered', [{ hash: 'a' }, { hash: 'b' }], [{ hash: 'b' }, { hash: 'a' }], 'a b'],
  ['left out', [{ hash: 'a' }, { hash: 'b' }], [{ hash: 'b' }], '? b'],
  ['renamed', [{ hash: 'a', custom_hash: 'n' }], [{ hash: 'n' }], 'n'],
  ['a rename that was ignored', [{ hash: 'a', custom_hash: 'n' }], [{ hash: 'a' }], 'a'],
  [
    'a chain of renames',
    [
      { hash: 'a', custom_hash: 'b' },
      { hash: 'b', custom_hash: 'c' },
    ],
    [{ hash: 'c' }, { hash: 'b' }],
    'b c',
  ],
  [
    'a chain, refused',
    [
      { hash: 'a', custom_hash: 'b' },
      { hash: 'b', custom_hash: 'c' },
    ],
    [{ hash: 'b', error: { code: 1215 } }, { hash: 'b' }],
    'b 1215',
  ],
  ['another case', [{ hash: 'Ab' }], [{ hash: 'aB' }], 'aB'],
  ["F38: a hash that two rows may mean is neither's", [{ hash: 'ab' }, { hash: 'aB' }], [{ hash: 'AB' }], '? ? +AB'],
  ['F35: an item twice', [{ hash: 'a' }, { hash: 'A' }], [{ hash: 'a' }, { hash: 'a' }], 'a ?'],
  ['a refusal without an echo', [{ hash: 'a' }], [{ error: { code: 1306 } }], '1306'],
  ['one more', [{ hash: 'a' }], [{ hash: 'a' }, { hash: 'z' }], 'a +z'],
])('edits are matched by hash: %s', ([, sent, answer, expected]) => {
  const { verdicts, surplus } = matchEdits(sent, answer);
  const words = verdicts.map((verdict) =>
    verdict?.kind === 'done' ? verdict.record?.hash : verdict?.kind === 'failed' ? String(verdict.error.code) : '?',
  );
  expect([...words, ...surplus.map(({ hash }) => `+${hash}`)].join(' ')).toBe(expected);
});
