import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect } from 'vitest';
import type { FaultyServer } from '../support/faulty-server.ts';
import { faults, type Step } from '../support/faulty-steps.ts';
import { type Linkctl, sent, test } from '../support/linkctl.ts';
import { numbered, store, stored, visit } from '../support/stored-links.ts';
import { runs, undoLast, values } from './undo-world.ts';

const inUse = 300;
const onPost = { only: { method: 'POST' } } as const;

/** What a results file says of its rows, by long URL. */
function statuses(path: string): Record<string, string> {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n').slice(1);
  return Object.fromEntries(lines.map((line) => line.split(',')).map((cells) => [cells[4], cells[1]]));
}

describe.each(['a', 'b'] as const)('edition %s, an account in use', (edition) => {
  test.override({ edition });
  // Nobody clicked them, and they hold nothing but where they lead.
  beforeEach<{ service: { baseUrl: string } }>(async ({ service }) => await store(service, numbered(inUse)));

  /** Links that are there, the oldest and the newest of them, and new ones. */
  const old = [0, 1, 2, 150, 298, 299].map((nth) => `https://example.com/${nth}`);
  const fresh = Array.from({ length: 14 }, (_, nth) => `https://new.example/${nth}`);
  const mixed = fresh.flatMap((url, nth) => [url, ...(old[nth] ? [old[nth]] : [])]);

  test('R 1.5: of several links to one destination, --dedupe gives the one that has the fields of the row', async ({
    linkctl,
    service,
  }) => {
    const long_url = 'https://shared.example/';
    await store(service, [{ long_url, note: 'theirs', custom_hash: 'theirs' }]);
    await store(service, [{ long_url, note: 'mine', custom_hash: 'mine', tags: ['t'] }]);
    const words = ['shorten', long_url, '--dedupe', 'account', '--note'];
    expect(await linkctl([...words, 'mine', '--tag', 't'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\/mine\n$/),
    });
    expect(await linkctl([...words, 'theirs'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/\/theirs\n$/) });
    expect(await stored(service)).toHaveLength(inUse + 2);
  });

  test.for([1, 4])(
    'D26: --dedupe reports links that were there as existing and new ones as created, %i calls at once',
    async (concurrency, { linkctl, folder, service }) => {
      const [file, results] = [join(folder, 'links.txt'), join(folder, 'results.csv')];
      writeFileSync(file, mixed.join('\n'));
      const words = ['shorten', '-f', file, '--dedupe', 'account', '--batch-size', '3', '--concurrency', String(concurrency)];
      const ran = await linkctl([...words, '--results', results]);
      expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('20 rows: 14 created, 6 existing (') });
      const told = statuses(results);
      expect(old.map((url) => told[url])).toEqual(old.map(() => 'existing'));
      expect(fresh.map((url) => told[url])).toEqual(fresh.map(() => 'created'));
      expect(await stored(service)).toHaveLength(inUse + 14);
      const again = await linkctl([...words, '--again']);
      expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('20 rows: 20 existing (') });
    },
  );

  test('B26: on a terminal, a link that was there is marked', async ({ linkctl }) => {
    const terminal = { terminal: { stdout: true, stderr: true }, env: { NO_COLOR: '1' } };
    const ran = await linkctl(['shorten', 'https://example.com/7', 'https://new.example/', '--dedupe', 'account'], terminal);
    expect(ran.stdout).toMatch(/^✓ \S+ → https:\/\/example\.com\/7 \(existing\)\n✓ \S+ → https:\/\/new\.example\/\n/);
  });

  test('D26: a link that was typed is reported as it is, in JSON; the other formats do not say it and ask nothing', async ({
    linkctl,
    wire,
  }) => {
    const words = ['shorten', 'https://example.com/7', 'https://new.example/', '--dedupe', 'account'];
    const { urls, summary } = JSON.parse((await linkctl([...words, '-o', 'json'])).stdout);
    expect(urls.map(({ status }: { status: string }) => status)).toEqual(['existing', 'created']);
    expect(summary).toMatchObject({ created: 1, existing: 1 });
    const before = (await sent(wire)).length;
    await linkctl(words);
    expect((await sent(wire)).slice(before).map(({ call }) => call.split('?')[0])).toEqual(['POST /urls']);
  });

  test.for([
    ['none', { last_visit: null }, 'created'],
    ['the zero day of a database', { last_visit: '0000-00-00 00:00:00' }, 'created'],
    ['a day', { last_visit: '2026-01-31 09:00:00' }, 'existing'],
  ] as const)('D26: a link whose last visit is %s is reported as it is', async ([, visited, status], { linkctl, wire }) => {
    const [hash, long_url] = ['mine', 'https://new.example/'];
    const url = { hash, long_url, short_url: 'localhost/mine', total_clicks: 0, unique_clicks: 0, ...visited };
    await wire.script([{ ...onPost, times: 'all', answer: { body: { error: { code: 0, message: '' }, urls: [url] } } }]);
    const stdin = `long_url,custom_hash\n${long_url},${hash}\n`;
    const words = ['shorten', '-f', '-', '--input-format', 'csv', '-o', 'json'];
    expect(JSON.parse((await linkctl(words, { stdin })).stdout).urls).toMatchObject([{ hash, status }]);
  });

  test.for([
    ['has the oldest first', { oldestFirst: true }],
    ['lags', { lag: 60_000 }],
    ['gives out three rows at a time', { pageCap: 3, totalCount: 'page length' }],
  ] as const)(
    'D26: where the listing %s, nothing is called created that was there',
    async ([, manners], { linkctl, folder, wire }) => {
      const [file, results] = [join(folder, 'links.txt'), join(folder, 'results.csv')];
      writeFileSync(file, mixed.join('\n'));
      await wire.behave(manners);
      const ran = await linkctl(['shorten', '-f', file, '--dedupe', 'account', '--results', results]);
      expect(ran.code).toBe(0);
      expect(old.map((url) => statuses(results)[url])).toEqual(old.map(() => 'existing'));
    },
  );

  test('D26: a lost answer makes no link existing that the run made', async ({ linkctl, folder, wire }) => {
    const file = join(folder, 'links.txt');
    writeFileSync(file, mixed.join('\n'));
    await wire.script([{ ...faults.dropAfter, ...onPost }]);
    const ran = await linkctl(['shorten', '-f', file, '--dedupe', 'account']);
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('20 rows: 14 created, 6 existing (') });
  });

  test('D26: looking costs no row: where it fails or does not fit the budget, links are there all the same', async ({
    linkctl,
    folder,
    wire,
    service,
  }) => {
    const file = join(folder, 'links.txt');
    writeFileSync(file, mixed.join('\n'));
    await wire.script([{ only: { method: 'GET', path: '/urls' }, times: 'all', ...faults.htmlBefore }]);
    const words = ['shorten', '-f', file, '--dedupe', 'account', '--retries', '0'];
    expect(await linkctl(words)).toMatchObject({ code: 0, stderr: expect.stringContaining('20 rows: 20 existing (') });
    expect(await stored(service)).toHaveLength(inUse + 14);
    await wire.script([]);
    const before = (await sent(wire)).length;
    const budget = edition === 'a' ? 4 : 3;
    await linkctl([...words, '--again', '--budget', String(budget), '--batch-size', '20']);
    expect((await sent(wire)).length - before).toBe(budget);
  });

  test.for([
    ['typed', (): string[] => ['https://new.example/']],
    ['in a file whose listing cannot be read', (file: string): string[] => ['-f', file, '--retries', '0']],
  ] as const)(
    'U5, U7: a link that --dedupe may have created is recorded where it was %s: undo names it and takes back nothing older',
    async ([, wordsOf], { linkctl, folder, wire, service }) => {
      const file = join(folder, 'links.txt');
      writeFileSync(file, 'https://new.example/\n');
      expect((await linkctl(['edit', 'h0', '--note', 'older'])).code).toBe(0);
      await wire.script([{ only: { method: 'GET', path: '/urls' }, times: 'all', ...faults.htmlBefore }]);
      expect((await linkctl(['shorten', ...wordsOf(file), '--dedupe', 'account'])).code).toBe(0);
      await wire.script([]);
      expect((await runs(linkctl)).map(({ undo }) => undo)).toEqual(['with --force', 'yes']);
      const left = await undoLast(linkctl);
      expect(left).toMatchObject({ code: 3, stderr: expect.stringContaining('it may have existed before the run') });
      expect(left.stderr).not.toContain('linkctl undo');
      expect(await stored(service)).toHaveLength(inUse + 1);
      expect((await undoLast(linkctl, ['--force'])).code).toBe(0);
      expect(await stored(service)).toHaveLength(inUse);
      expect((await stored(service)).find(({ hash }) => hash === 'h0')?.note).toBe('older');
    },
  );

  describe('U2, U7: a run that was stopped while links were in doubt', () => {
    type World = { linkctl: Linkctl; folder: string; wire: FaultyServer };

    /** The run, of new links and old ones; it is resumed after its second batch had no answer and the third was refused. */
    async function resumedRun(
      { linkctl, folder, wire }: World,
      {
        steps = [],
        lost = faults.dropAfter,
        meanwhile,
      }: { steps?: readonly Step[]; lost?: Step; meanwhile?: () => Promise<unknown> } = {},
    ): Promise<string> {
      const file = join(folder, 'links.txt');
      writeFileSync(file, [...fresh.slice(0, 3), ...old.slice(0, 2), ...fresh.slice(3, 6), ...old.slice(2)].join('\n'));
      const words = ['shorten', '-f', file, '--dedupe', 'account', '--batch-size', '4', '--concurrency', '1', '--retries', '0'];
      await wire.script([...steps, onPost, { ...lost, ...onPost }]);
      expect((await linkctl(words)).code).not.toBe(0);
      await wire.script([]);
      await meanwhile?.();
      expect((await linkctl(words)).code).toBe(0);
      return (await runs(linkctl))[0]?.run ?? '';
    }

    test('undo names those that somebody else may have made, and --force keeps those that are older than it', async ({
      linkctl,
      folder,
      wire,
      service,
    }) => {
      const before = await values(service);
      const run = await resumedRun({ linkctl, folder, wire });
      expect(await stored(service)).toHaveLength(inUse + 6);
      const undone = await undoLast(linkctl);
      expect(undone).toMatchObject({ code: 3, stderr: expect.stringContaining('somebody else may have created it (3): ') });
      expect(undone.stderr).toContain('listed as older than the run (1): ');
      expect(await stored(service)).toHaveLength(inUse + 3);
      const forced = await linkctl(['undo', run, '--yes', '--force']);
      expect(forced).toMatchObject({ code: 3, stderr: expect.stringContaining('4 links: 3 deleted, 1 failed') });
      expect(await values(service)).toEqual(before);
    });

    test('undo leaves a link that a colleague made while it was stopped, and an old one that was restored', async ({
      linkctl,
      folder,
      wire,
      service,
    }) => {
      const elsewhere = { env: { XDG_STATE_HOME: join(folder, 'colleague') } };
      const [theirs = '', restored = ''] = [fresh[3], old[1]];
      await resumedRun(
        { linkctl, folder, wire },
        {
          lost: faults.dropBefore,
          meanwhile: async () => {
            expect((await linkctl(['shorten', theirs], elsewhere)).code).toBe(0);
            const { hash = '' } = (await stored(service)).find(({ long_url }) => long_url === restored) ?? {};
            expect((await linkctl(['delete', hash, '--yes'], elsewhere)).code).toBe(0);
            expect((await undoLast((argv) => linkctl(argv, elsewhere))).code).toBe(0);
          },
        },
      );
      expect((await undoLast(linkctl)).stderr).toContain('somebody else may have created it (2): ');
      const left = (await stored(service)).map(({ long_url }) => long_url);
      expect(left).toEqual(expect.arrayContaining([theirs, restored]));
    });

    test('where the newest links could not be read before it, undo names those in doubt', async ({
      linkctl,
      folder,
      wire,
      service,
    }) => {
      const listing = { only: { method: 'GET', path: '/urls' } } as const;
      const run = await resumedRun({ linkctl, folder, wire }, { steps: [{ ...faults.htmlBefore, ...listing, times: 'all' }] });
      const undone = await undoLast(linkctl);
      expect(undone).toMatchObject({ code: 3, stderr: expect.stringContaining('it may have existed before the run (') });
      expect((await stored(service)).filter(({ hash }) => /^h\d{1,3}$/.test(hash))).toHaveLength(inUse);
      expect((await linkctl(['undo', run, '-n', '--force'])).stderr).toContain('links would be deleted');
    });
  });

  describe('U7, D26: of links that are not as requested', () => {
    const rows = 'long_url,note\nhttps://example.com/7,my note\nhttps://new.example/,my note\n';
    const words = ['shorten', '-f', '-', '--input-format', 'csv', '--dedupe', 'account', '--retries', '0'];

    test('undo does not name those that were there before, and --force keeps them', async ({ linkctl, service }) => {
      expect((await linkctl(words, { stdin: rows })).stderr).toContain('1 created, 1 failed');
      const forced = await undoLast(linkctl, ['--force']);
      expect(forced).toMatchObject({ code: 0, stderr: expect.stringContaining('1 link would be deleted') });
      expect(await stored(service)).toHaveLength(inUse);
    });

    test('undo says that they may have existed, where nothing shows it', async ({ linkctl, wire }) => {
      await wire.script([{ only: { method: 'GET', path: '/urls' }, times: 'all', ...faults.htmlBefore }]);
      expect((await linkctl(words, { stdin: rows })).stderr).toContain('1 existing, 1 failed');
      await wire.script([]);
      const left = await undoLast(linkctl);
      expect(left).toMatchObject({ code: 3, stderr: expect.stringContaining('it may have existed before the run (2): ') });
      expect(left.stderr).not.toContain('not as requested');
    });

    test('undo calls created what is proven new', async ({ linkctl, wire, service }) => {
      await wire.script([{ alter: { each: { note: 'cut' } }, ...onPost }]);
      expect((await linkctl(words, { stdin: rows })).stderr).toContain('2 failed');
      const left = await undoLast(linkctl, ['-n']);
      expect(left).toMatchObject({ code: 0, stderr: expect.stringContaining('created, but not as requested (1): ') });
      expect(left.stderr).not.toContain('may have existed');
      expect((await undoLast(linkctl, ['--force'])).code).toBe(0);
      expect(await stored(service)).toHaveLength(inUse);
    });

    test('a typed one leaves a record only if it may be new', async ({ linkctl }) => {
      const typed = ['shorten', 'https://example.com/7', '--note', 'my note', '--dedupe', 'account'];
      expect((await linkctl([...typed, '-o', 'json'])).stderr).toContain('not applied: note');
      expect(await runs(linkctl)).toEqual([]);
      expect((await linkctl(typed)).stderr).toContain('not applied: note');
      const left = await undoLast(linkctl);
      expect(left).toMatchObject({ code: 3, stderr: expect.stringContaining('it may have existed before the run (1): ') });
    });
  });

  test('U7: at a terminal, a link that --dedupe made is proven new, and undo deletes it', async ({ linkctl, service }) => {
    const watched = { terminal: { stdin: true, stdout: true, stderr: true }, columns: 100 };
    expect((await linkctl(['shorten', 'https://new.example/', '--dedupe', 'account'], watched)).code).toBe(0);
    expect(await stored(service)).toHaveLength(inUse + 1);
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await stored(service)).toHaveLength(inUse);
  });

  test('U5: --dedupe that found the link leaves no record where that is certain', async ({ linkctl, service }) => {
    const [used] = await stored(service);
    await visit(service, used?.hash ?? '');
    expect((await linkctl(['shorten', used?.long_url ?? '', '--dedupe', 'account'])).code).toBe(0);
    expect((await linkctl(['shorten', 'https://example.com/7', '--dedupe', 'account', '-o', 'json'])).code).toBe(0);
    expect(await runs(linkctl)).toEqual([]);
  });

  test('D26, 4.3.4: --dedupe with --hash sends what was said, and says that it reuses only a link of that hash', async ({
    linkctl,
    wire,
  }) => {
    const words = ['shorten', 'https://example.com/7', '--hash', 'own', '--dedupe', 'account'];
    const warning = 'warning: with a custom hash, --dedupe reuses only a link that has this hash and the same URL\n';
    expect(await linkctl(words)).toMatchObject({ code: 0, stderr: expect.stringContaining(warning) });
    expect(await linkctl([...words, '--json'])).toMatchObject({ code: 0, stdout: expect.stringContaining('"existing"') });
    expect(await linkctl(words.with(1, 'https://example.com/8'))).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('[API 1215]'),
    });
    const said = edition === 'a' ? 'account' : '1';
    const [post] = (await sent(wire)).filter(({ call }) => call.startsWith('POST'));
    expect(post?.call).toContain(`disable_long_url_duplicates=${said}`);
  });
});

describe('of two domains', () => {
  test.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }] });

  test('U7: undo of a resumed run leaves the namesake of a link that it got from another domain', async ({
    linkctl,
    folder,
    wire,
    service,
  }) => {
    const file = join(folder, 'links.txt');
    writeFileSync(file, 'https://new.example/1\nhttps://new.example/2\n');
    const link = { long_url: 'https://new.example/1', custom_hash: 'same' };
    await store(service, [link], 'b.example');
    await wire.script([{ ...faults.dropAfter, ...onPost }]);
    const words = ['shorten', '-f', file, '--domain', 'a.example', '--dedupe', 'account', '--retries', '0'];
    expect((await linkctl(words)).code).toBe(10);
    expect((await linkctl(words)).stdout).toContain('b.example/same');
    await store(service, [link], 'a.example');
    const [{ run = '' } = {}] = await runs(linkctl);
    expect((await linkctl(['undo', run, '--yes', '--force'])).stderr).toContain('1 link: 1 deleted');
    expect((await stored(service, 'a.example')).map(({ hash }) => hash)).toEqual(['same']);
  });
});
