import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect } from 'vitest';
import { faults, type Step } from '../support/faulty-steps.ts';
import { test as base, sent } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { hideResult } from './undo-world.ts';

const inUse = 300;
const day = 86_400_000;
/** Ten minutes before midnight. */
const evening = Date.UTC(2026, 0, 31, 23, 50);
const inThirtyDays = new Date(evening + 30 * day).toISOString().slice(0, 10);
const onPost = { only: { method: 'POST' } } as const;
const quota: Step = { ...faults.refuse(1303), ...onPost };

const test = base.extend({ startsAt: evening }).extend<{ file: string }>({
  file: async ({ folder }, use) => {
    const file = join(folder, 'links.csv');
    const rows = Array.from({ length: 40 }, (_, nth) => `https://new.example/${nth}`);
    writeFileSync(file, ['long_url', ...rows].join('\n'));
    await use(file);
  },
});

describe.each([
  ['a', 'domain'],
  ['b', 'account'],
] as const)('edition %s, an account in use', (edition, scope) => {
  test.override({ edition });
  const keep = `to keep the links of rows that have some, add --again --dedupe ${scope}`;
  const second = '; to make second ones, add --again';
  beforeEach<{ service: { baseUrl: string } }>(async ({ service }) => await store(service, numbered(inUse)));

  test.for([
    [
      '--generate-hashes',
      ['--generate-hashes'],
      'mode checked, now keyed, --generate-hashes',
      `${keep} instead of --generate-hashes${second}`,
    ],
    ['another note', ['--note', 'n'], '--note'],
    ['labels and a last day', ['--tag', 't', '--expires', '2031-01-31'], '--expires, --tag'],
    ['the same flags', [], undefined],
    ['--dedupe', ['--dedupe', 'account'], 'mode checked, now dedupe', 'to run it again, add --again'],
  ] as const)(
    'D23: a file that is done is not done again with %s',
    async ([, flags, named, again = `${keep}${second}`], { linkctl, file, service, wire }) => {
      expect(await linkctl(['shorten', '-f', file, '--batch-size', '10'])).toMatchObject({ code: 0 });
      const before = (await sent(wire)).filter(({ call }) => call.startsWith('POST')).length;
      const ran = await linkctl(['shorten', '-f', file, ...flags]);
      expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/was already completed by run \S+/) });
      if (named) expect(ran.stderr).toContain(`with other flags (${named})`);
      expect(ran.stderr).toContain(`\nhint: ${again}; to see the run: linkctl runs show `);
      expect((await sent(wire)).filter(({ call }) => call.startsWith('POST')).length).toBe(before);
      expect(await stored(service)).toHaveLength(inUse + 40);
      expect(await linkctl(['shorten', '-f', file, ...flags, '--again', '-q'])).toMatchObject({ code: 0 });
    },
  );

  test('D23: the refusal of a file that is done names rows that failed, and the flags that send them without second links', async ({
    linkctl,
    folder,
    service,
  }) => {
    const mixed = join(folder, 'mixed.txt');
    writeFileSync(mixed, 'https://e.com/1\nhttp://localhost/own\n');
    expect((await linkctl(['shorten', '-f', mixed])).code).toBe(3);
    const refused = await linkctl(['shorten', '-f', mixed]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/ was already completed by run \S+ \(1 failed\)\n/) });
    const [, scope = ''] =
      refused.stderr.match(
        /\nhint: to keep the links of rows that have some, add --again --dedupe (\S+); to make second ones, add --again; to see/,
      ) ?? [];
    const again = await linkctl(['shorten', '-f', mixed, '--again', '--dedupe', scope]);
    expect(again).toMatchObject({ code: 3, stderr: expect.stringContaining('1 existing, 1 failed') });
    expect(await stored(service)).toHaveLength(inUse + 1);
  });

  test('B90: a command that finds its run done says so, and announces no rows', async ({ linkctl, file }) => {
    const words = ['shorten', '-f', file];
    expect(await linkctl(words)).toMatchObject({ code: 0, stderr: expect.stringContaining('shortening 40 rows of ') });
    await hideResult(linkctl);
    const shown = await linkctl(words);
    expect(shown.code).toBe(0);
    expect(shown.stderr).toMatch(/^resuming run \S+: 40 of 40 rows are done\n40 rows: 40 created \(/m);
  });

  test('D24: --expires +30d is the same flag after midnight: the run is gone on with, on the dates that it was begun with', async ({
    linkctl,
    file,
    service,
    wire,
  }) => {
    const words = ['shorten', '-f', file, '--batch-size', '10', '--expires', '+30d'];
    await wire.script([onPost, onPost, quota]);
    expect(await linkctl(words, { now: () => evening })).toMatchObject({ code: 7 });
    const on = await linkctl(words, { now: () => evening + day });
    expect(on).toMatchObject({ code: 0, stderr: expect.stringMatching(/^resuming run \S+: 20 of 40 rows are done$/m) });
    const made = (await stored(service)).slice(inUse);
    expect(made).toHaveLength(40);
    expect(new Set(made.map(({ expiration_date }) => expiration_date))).toEqual(new Set([inThirtyDays]));
    const again = await linkctl(words, { now: () => evening + 2 * day });
    expect(again).toMatchObject({ code: 2, stderr: expect.stringMatching(/was already completed by run \S+\n/) });
    expect(await stored(service)).toHaveLength(inUse + 40);
  });

  test('D24: an edit from a file of hashes resumes with its dates, too', async ({ linkctl, folder, service, wire }) => {
    const hashes = join(folder, 'hashes.txt');
    writeFileSync(hashes, Array.from({ length: 40 }, (_, nth) => `h${nth}\n`).join(''));
    const words = ['edit', '--hashes-from', hashes, '--batch-size', '10', '--expires', '+30d', '--yes'];
    await wire.script([{ only: { method: 'PATCH' } }, { ...faults.refuse(1303), only: { method: 'PATCH' } }]);
    expect(await linkctl([...words, '--concurrency', '1'], { now: () => evening })).toMatchObject({ code: 7 });
    expect(await linkctl(words, { now: () => evening + day })).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining('past'),
    });
    const dates = (await stored(service)).slice(0, 40).map(({ expiration_date }) => expiration_date);
    expect(new Set(dates)).toEqual(new Set([inThirtyDays]));
  });

  test('D24, J8: another day is another flag, and an unfinished run is not gone on with', async ({ linkctl, file, wire }) => {
    await wire.script([onPost, quota]);
    await linkctl(['shorten', '-f', file, '--batch-size', '10', '--expires', '+30d'], { now: () => evening });
    expect(await linkctl(['shorten', '-f', file, '--expires', '+60d'], { now: () => evening })).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('with other flags (--expires)'),
    });
    // The same day, said in another way.
    expect(await linkctl(['shorten', '-f', file, '--expires', inThirtyDays, '-q'], { now: () => evening })).toMatchObject({
      code: 0,
    });
  });

  test('D30: with the clock set back an unfinished --again is found, and nothing is made a third time', async ({
    linkctl,
    file,
    service,
    wire,
  }) => {
    expect(await linkctl(['shorten', '-f', file, '-q'], { now: () => evening })).toMatchObject({ code: 0 });
    const words = ['shorten', '-f', file, '--batch-size', '10', '--again'];
    await wire.script([onPost, onPost, quota]);
    const before = { now: () => evening - 3_600_000 };
    expect(await linkctl(words, before)).toMatchObject({ code: 7 });
    const on = await linkctl(words, before);
    expect(on).toMatchObject({ code: 0, stderr: expect.stringMatching(/^resuming run \S+: 20 of 40 rows are done$/m) });
    expect(await stored(service)).toHaveLength(inUse + 80);
  });

  test('D30: of runs that are finished the last one is named, also where the clock was set back between them', async ({
    linkctl,
    file,
  }) => {
    const words = ['shorten', '-f', file];
    await linkctl(words, { now: () => evening });
    await linkctl([...words, '--again'], { now: () => evening - 3_600_000 });
    const [{ run }] = JSON.parse((await linkctl(['runs', '-o', 'json'])).stdout).runs;
    const refused = await linkctl(words, { now: () => evening });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`was already completed by run ${run}\n`) });
  });

  test('D23, D30: a run of which nothing was applied does not hide one that is finished', async ({
    linkctl,
    file,
    service,
    wire,
  }) => {
    await wire.script([quota]);
    const at = (nth: number) => ({ now: () => evening + nth * 60_000 });
    expect(await linkctl(['shorten', '-f', file, '--note', 'n'], at(0))).toMatchObject({ code: 7 });
    expect(await linkctl(['shorten', '-f', file, '-q'], at(1))).toMatchObject({ code: 0 });
    for (const flags of [[], ['--note', 'n']]) {
      expect(await linkctl(['shorten', '-f', file, ...flags], at(2))).toMatchObject({ code: 2 });
    }
    expect(await stored(service)).toHaveLength(inUse + 40);
  });
});

describe('the domain of a run', () => {
  test.override({ domains: [{ name: 'a.ex' }, { name: 'localhost:8787' }] });

  test.for([
    ['a.ex', 'A.EX', 'a.ex:443', 'A.ex:80'],
    ['localhost:1', 'localhost', 'LOCALHOST:2'],
  ])(
    'D23, B97: a file that is done on %s is not done again on other spellings of it',
    async (names, { linkctl, file, service }) => {
      const [first = '', ...others] = names;
      expect(await linkctl(['shorten', '-f', file, '--domain', first])).toMatchObject({ code: 0 });
      for (const other of others) {
        const ran = await linkctl(['shorten', '-f', file, '--domain', other]);
        expect(ran).toMatchObject({ code: 2, stderr: expect.stringMatching(/was already completed by run \S+/) });
      }
      expect(await stored(service, first)).toHaveLength(40);
    },
  );
});
