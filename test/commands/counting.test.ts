import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { FaultyServer } from '../support/faulty-server.ts';
import { sent, test } from '../support/linkctl.ts';
import type { Manners } from '../support/manners.ts';
import { numbered, store, stored } from '../support/stored-links.ts';

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, columns: 100, env: { NO_COLOR: '1' } };
const typed = (stdin: string) => ({ ...watched, stdin });
const changes = async (wire: FaultyServer): Promise<string[]> =>
  (await sent(wire)).map(({ call }) => call).filter((call) => !call.startsWith('GET'));

const manners: readonly Manners[] = [
  {},
  { totalCount: 'page length' },
  ...([30, 100] as const).flatMap((pageCap) =>
    ([undefined, 'missing', 'text', 'page length'] as const).map((totalCount) => ({
      pageCap,
      ...(totalCount && { totalCount }),
    })),
  ),
];

const byTags = [
  ['delete', '--by-tags', 'old'],
  ['edit', '--by-tags', 'old', '--note', 'n'],
  ['stats', '--reset', '--by-tags', 'old'],
] as const;

describe.for(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  // What a cap does to a page is the same in both editions.
  test.for(edition === 'a' ? manners : manners.filter(({ pageCap }) => pageCap !== 100))(
    'D13, B57: %o: of all that are selected none is touched above --max-affected, and all are reported',
    async (shown, { linkctl, wire, service }) => {
      // Several pages where they are capped; without a cap, more than the one page of edition B holds.
      const count = shown.pageCap === undefined ? 510 : 130;
      await store(service, [...numbered(count, { tags: ['old'] }), { custom_hash: 'kept', long_url: 'https://example.com/' }]);
      await wire.behave(shown);
      for (const words of byTags) {
        for (const bound of ['10', String(count - 1)]) {
          const ran = await linkctl([...words, '-y', '--max-affected', bound]);
          expect(ran).toMatchObject({ code: 2, stdout: '' });
          expect(ran.stderr).toMatch(
            /^error: (at least )?\d+ links would be affected, more than --max-affected \d+; nothing was changed\n/,
          );
        }
      }
      expect(await changes(wire)).toEqual([]);
      const asked = await linkctl(['delete', '--by-tags', 'old'], typed('5\n'));
      expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining(`Type ${count} to continue`) });
      const ran = await linkctl(['delete', '--by-tags', 'old', '-y', '--max-affected', String(count)]);
      const all = new RegExp(`^${count} (rows|links): ${count} deleted`, 'm');
      expect(ran).toMatchObject({ code: 0, stderr: expect.stringMatching(all) });
      expect((await stored(service)).map(({ hash }) => hash)).toEqual(['kept']);
    },
  );

  test('D13: a change is listed to an empty page, whatever the server counts, and no further than --max-affected allows', async ({
    linkctl,
    wire,
    service,
  }) => {
    const bound = edition === 'a' ? 1000 : 500;
    await store(service, numbered(2 * bound, { tags: ['old'] }));
    const listed = async (most: string): Promise<number> => {
      const before = (await sent(wire)).length;
      await linkctl(['delete', '--by-tags', 'old', '-n', '--max-affected', most]);
      return (await sent(wire)).slice(before).filter(({ call }) => call.startsWith('GET /urls?')).length;
    };
    expect(await listed('5000')).toBe(3);
    expect(await listed('10')).toBe(2);
  });

  test('D13: what cannot be listed whole is not touched: a server that ignores offset', async ({ linkctl, wire, service }) => {
    const urls = numbered(3, { tags: ['old'] });
    await store(service, urls);
    const records = urls.map(({ custom_hash, long_url }) => ({
      hash: custom_hash,
      short_url: `localhost/${custom_hash}`,
      long_url,
    }));
    const answer = { body: { error: { code: 0, message: '' }, urls: records, page: { total_count: 3 } } };
    await wire.script([{ only: { method: 'GET', path: '/urls' }, apply: false, answer, times: 'all' }]);
    for (const how of [[], ['--no-undo']]) {
      const ran = await linkctl(['delete', '--by-tags', 'old', '-y', '--max-affected', '10', ...how]);
      expect(ran).toMatchObject({ code: 8, stderr: expect.stringContaining('the listing may be incomplete') });
    }
    expect(await changes(wire)).toEqual([]);
  });

  test('D13: list --all is whole where pages are cut and the total is the length of the page', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(300));
    for (const pageCap of [30, 100]) {
      await wire.behave({ pageCap, totalCount: 'page length' });
      const { stdout } = await linkctl(['list', '--all', '--fields', 'hash']);
      expect(stdout.trimEnd().split('\n')).toHaveLength(300);
      const json = JSON.parse((await linkctl(['list', '--all', '-o', 'json'])).stdout);
      expect([json.urls.length, json.page]).toEqual([300, { results_count: 300, total_count: 300, offset: 0 }]);
    }
  });

  test('D50, B56: what was not found is shown and not counted', async ({ linkctl, service }) => {
    await store(service, numbered(3));
    const asked = await linkctl(['delete', 'h0', 'nope'], typed('n\n'));
    expect(asked.stderr.split('\n').slice(2)).toEqual([
      '  not found (1): nope',
      'clicks and creation order of deleted links cannot be restored',
      expect.stringMatching(/^Delete 1 link of account "ann" on 127\.0\.0\.1:\d+\? \[y\/N\] error: aborted/),
      '',
    ]);
    const none = await linkctl(['delete', 'nor', 'nope'], typed('n\n'));
    expect(none.stderr).toMatch(/^0 links would be deleted, 2 not found\n {2}not found \(2\): nor, nope\nerror: /);
    expect(none.code).toBe(5);
    const many = await linkctl(['stats', '--reset', 'h0', 'a', 'b', 'c', 'd', 'e', 'f', 'h2', 'h1'], typed('n\n'));
    expect(many.stderr.split('\n').slice(4)).toEqual([
      '  not found (6): a, b, c, d, e … and 1 more',
      'counters cannot be restored after a reset',
      expect.stringMatching(/^Reset the counters of 3 links of account/),
      '',
    ]);
    expect(await linkctl(['delete', 'h0', 'nope'], typed('y\n'))).toMatchObject({
      code: 3,
      stdout: '✓ Deleted h0 → https://example.com/0\n',
    });
  });

  test('D50, B56: from 100 links on the number of those that are there is typed', async ({ linkctl, wire, service, folder }) => {
    await store(service, numbered(120));
    await wire.behave({ pageCap: 30, totalCount: 'page length' });
    const path = join(folder, 'hashes.txt');
    const names = (count: number): void =>
      writeFileSync(path, [...numbered(count), { custom_hash: 'nope' }].map(({ custom_hash }) => custom_hash).join('\n'));
    names(99);
    const few = await linkctl(['delete', '--hashes-from', path], typed('n\n'));
    expect(few.stderr).toMatch(/… and 94 more\n {2}not found \(1\): nope\nclicks .*\nDelete 99 links of .*\? \[y\/N\] /);
    names(120);
    for (const answer of ['y\n', '121\n']) {
      const ran = await linkctl(['delete', '--hashes-from', path], typed(answer));
      expect(ran).toMatchObject({ code: 1, stderr: expect.stringMatching(/Delete 120 links of .*\? Type 120 to continue: /) });
    }
    expect(await changes(wire)).toEqual([]);
    await linkctl(['delete', '--hashes-from', path], typed('120\n'));
    expect(await stored(service)).toEqual([]);
  });

  test('D50, B56: tags delete says how many links lose the tag; from 100 on their number is typed', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(120, { tags: ['old', 'R&D'] }));
    await store(service, [{ custom_hash: 'x', long_url: 'https://example.com/x', tags: ['one', 'few'] }]);
    await store(service, [{ custom_hash: 'y', long_url: 'https://example.com/y', tags: ['few'] }]);
    await linkctl(['tags', 'add', 'empty']);
    const ask = async (...labels: string[]) => (await linkctl(['tags', 'delete', ...labels], typed('n\n'))).stderr;
    expect(await ask('one')).toMatch(/^account "ann" on .*:\nDelete tag "one" and detach it from \S+\/x: tags: -one\? \[y\/N\] /);
    expect(await ask('empty')).toMatch(/^Delete tag "empty", used by no link, of account/);
    const two = await ask('one', 'Few', 'nope');
    expect(two).toMatch(/^ {2}"nope" \(not found\)\n2 links would be changed\n/);
    expect(two).toMatch(/\nDelete 2 tags: "one", "few" and detach them from 2 links of account [^?]*\?\s\[y\/N\] /);
    expect(await ask('nope')).toMatch(/^error: no tag "nope"/);
    expect(await ask('R&D')).toMatch(
      /\nDelete tag "R&D" and detach it from 120 links of account [^?]*\?\sType 120 to continue: /,
    );
    for (const answer of ['y\n', '119\n']) {
      const ran = await linkctl(['tags', 'delete', 'old'], typed(answer));
      expect(ran).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/Delete tag "old" and detach it from 120 links of [^?]*\?\sType 120 to continue: /),
      });
    }
    expect((await changes(wire)).filter((call) => call.startsWith('DELETE'))).toEqual([]);
    expect(await linkctl(['tags', 'delete', 'old'], typed('120\n'))).toMatchObject({ code: 0, stdout: '✓ Deleted tag "old"\n' });
  });

  test('D50: with --no-undo a server that reads something else in a label leaves the number unknown', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(2, { tags: ['R&D'] }));
    const ask = async () => (await linkctl(['tags', 'delete', 'R&D', '--no-undo'], typed('n\n'))).stderr;
    const answer = (code: number, urls: object[]) => ({
      body: { error: { code, message: '' }, urls, page: { total_count: urls.length } },
    });
    const other = { hash: 'z', long_url: 'https://example.com/z', tags: ['R', 'D'] };
    for (const canned of [answer(0, []), answer(0, [other]), { ...answer(1305, []), status: 400 }]) {
      await wire.script([{ only: { path: 'tags=' }, apply: false, answer: canned, times: 'all' }]);
      expect(await ask()).toMatch(/\nDelete tag "R&D", used by an unknown number of links, of account .*\? \[y\/N\] /);
    }
  });

  test('D50: with --no-undo no links of a label that some servers assign themselves leave the number unknown', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(2, { tags: ['archived'] }));
    const none = { body: { error: { code: 0, message: '' }, urls: [], page: { total_count: 0 } } };
    await wire.script([{ only: { path: 'tags=' }, apply: false, answer: none, times: 'all' }]);
    const { stderr } = await linkctl(['tags', 'delete', 'archived', '--no-undo'], typed('n\n'));
    expect(stderr).toMatch(/\nDelete tag "archived", used by an unknown number of links, of account/);
    const words = ['tags', 'delete', 'archived', '--no-undo', '--yes', '--max-affected', '0'];
    expect(await linkctl(words)).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be counted') });
  });
});
