import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { sent, test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';

const file = (folder: string, rows: readonly object[]): string => {
  const path = join(folder, 'links.jsonl');
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  return path;
};

const doubtText = (count: number, rows: number) => `outcome unknown for ${count} of ${rows} rows; it cannot create duplicates`;

test('B87: --fail-fast whose failure is in the last batch stops nothing: the run is over, and the corrected file is another one', async ({
  linkctl,
  service,
  folder,
}) => {
  await store(service, numbered(1));
  const rows = (last: string) => [
    { custom_hash: 'h1', long_url: 'https://new.example/1' },
    { custom_hash: last, long_url: 'https://new.example/2' },
  ];
  const words = ['shorten', '-f', file(folder, rows('h0')), '--fail-fast'];
  const ran = await linkctl(words);
  expect(ran).toMatchObject({ code: 3, stderr: expect.not.stringContaining('resume') });
  file(folder, rows('free'));
  expect(await linkctl([...words, '--on-conflict', 'skip'])).toMatchObject({ code: 0 });
  expect((await stored(service)).map(({ hash }) => hash)).toEqual(['h0', 'h1', 'free']);
});

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test.for(['skip', 'rename'])(
    'E13: 1303 while the first row is sent a second time, with --on-conflict %s, is exit 7; the same command resumes the run',
    async (policy, { linkctl, wire, service, folder }) => {
      const words = ['shorten', '-f', file(folder, numbered(3)), '--on-conflict', policy];
      const taken = {
        custom_hash: 'h0',
        long_url: 'https://example.com/0',
        error: { code: 1215, message: 'taken', details: '' },
      };
      await wire.script([
        { only: { method: 'POST' } },
        { only: { method: 'POST' }, alter: { first: taken } },
        { only: { method: 'GET', path: 'hashes=h0' }, ...faults.refuse(1303) },
      ]);
      const ran = await linkctl(words);
      expect(ran.code, ran.stderr).toBe(7);
      expect(ran.stderr).not.toContain('4.3.4');
      expect((await linkctl(words)).code).toBe(0);
      expect((await stored(service)).map(({ hash }) => hash)).toEqual(['h0', 'h1', 'h2']);
    },
  );

  test.for([
    ['1301', faults.refuse(1301), 9],
    ['1303', faults.refuse(1303), 7],
    ['1300', faults.refuse(1300), 4],
  ] as const)(
    'E23a: %s after a doubt: the rows in doubt are counted, and that they make no second link',
    async ([, step, code], { linkctl, wire, folder }) => {
      const rows = numbered(3);
      await wire.script([
        { only: { method: 'POST' }, times: 2 },
        { only: { method: 'POST' }, end: 'reset' },
        { only: { method: 'POST' }, ...step },
      ]);
      const ran = await linkctl(['shorten', '-f', file(folder, rows)]);
      expect(ran.code, ran.stderr).toBe(code);
      expect(ran.stderr).toContain(doubtText(2, 3));
      expect((await linkctl(['shorten', '-f', file(folder, rows)])).code).toBe(0);
    },
  );

  test('J5, R-X9, B88: where the proof of the first row cannot be kept, the row is reported as created, and can be undone', async ({
    linkctl,
    service,
    folder,
    homeEnv,
  }) => {
    const results = join(folder, 'results.csv');
    const words = ['shorten', '-f', file(folder, numbered(6)), '--batch-size', '2', '--results', results];
    const statuses = (): string[] => readFileSync(results, 'utf8').match(/created|not_sent/g) ?? [];
    const state = join(homeEnv.HOME ?? '', '.local', 'state', 'linkctl');
    mkdirSync(state, { recursive: true });
    // Also for root, who may write into any folder.
    writeFileSync(join(state, 'canaries'), '');
    const ran = await linkctl(words);
    expect(ran.code, ran.stderr).toBe(9);
    expect(ran.stderr).toMatch(/6 rows: 1 created, 5 not sent /);
    expect(ran.stderr).toMatch(/\nto undo it: linkctl undo \S+\n/);
    expect(statuses()).toEqual(['created', ...new Array(5).fill('not_sent')]);
    expect((await stored(service)).map(({ hash }) => hash)).toEqual(['h0']);
    rmSync(join(state, 'canaries'));
    expect(await linkctl(words)).toMatchObject({ code: 0 });
    expect(statuses()).toEqual(new Array(6).fill('created'));
    expect(await stored(service)).toHaveLength(6);
  });

  test('R-26: a file of results that a resumed run began is its own', async ({ linkctl, wire, folder }) => {
    const results = join(folder, 'results.csv');
    const words = ['shorten', '-f', file(folder, numbered(6)), '--batch-size', '2', '--concurrency', '1'];
    const quota = { ...faults.refuse(1303), only: { method: 'POST' } };
    await wire.script([quota]);
    expect((await linkctl(words)).code).toBe(7);
    for (const ending of [7, 7, 0]) {
      await wire.script(ending === 0 ? [] : [quota]);
      expect((await linkctl([...words, '--results', results])).code).toBe(ending);
    }
    expect(readFileSync(results, 'utf8').match(/created/g)).toHaveLength(6);
  });

  test('E18: the state folder is removed during a run: exit 9 before the next batch is sent, and what was changed is named', async ({
    linkctl,
    wire,
    service,
    homeEnv,
  }) => {
    await store(service, numbered(6, { note: 'old' }));
    await wire.script([{ only: { method: 'PATCH' }, held: true }]);
    const words = ['edit', '--all', '--note', 'new', '--batch-size', '2', '--concurrency', '1', '--yes', '--max-affected', '9'];
    const running = linkctl(words);
    await wire.held();
    rmSync(join(homeEnv.HOME ?? '', '.local', 'state', 'linkctl'), { recursive: true });
    await wire.release();
    const ran = await running;
    expect(ran.code, ran.stderr).toBe(9);
    expect(ran.stderr).toContain('it was removed during the run');
    expect((await sent(wire)).filter(({ call }) => call.startsWith('PATCH'))).toHaveLength(1);
    const changed = (await stored(service)).filter(({ note }) => note === 'new').map(({ hash }) => hash);
    expect(changed).toHaveLength(2);
    for (const hash of changed) expect(ran.stderr).toMatch(new RegExp(`changed \\S*${hash}\\b`));
  });
});
