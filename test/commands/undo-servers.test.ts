import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Edition } from '../../src/contract/editions.ts';
import type { UrlRecord } from '../../src/contract/records.ts';
import { faults } from '../support/faulty-steps.ts';
import { type Habits, type Item, itemHabits } from '../support/habits.ts';
import { test } from '../support/linkctl.ts';
import { readBody, withText } from '../support/readings.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { foreign, killed, newestFor, redoLast, runs, undoLast, values } from './undo-world.ts';

/** Gives new links values that nobody asked for. */
const withDefaults = (defaults: Item): Habits =>
  itemHabits({ stored: ({ isCreation, ...item }) => (isCreation ? { ...defaults, ...item } : item) });

const cutLabels = itemHabits({
  stored: ({ isCreation: _, ...item }) => ({
    ...item,
    ...(Array.isArray(item.tags) && { tags: item.tags.map((label) => String(label).slice(0, 6)) }),
  }),
});

const without = (member: string): Habits => itemHabits({ shown: ({ [member]: _, ...item }) => item });

describe.each<[edition: Edition, defaults: Item, emptied: Partial<UrlRecord>]>([
  ['a', { note: 'Page title' }, { note: '' }],
  ['a', { expiration_date: '2199-01-01' }, { expiration_date: null }],
  ['a', { max_clicks: 100 }, { max_clicks: 0 }],
  ['b', { tags: ['auto'] }, { tags: ['-auto'] }],
])('edition %s, and a server that gives new links %j', (edition, defaults, emptied) => {
  test.override({ edition, habits: withDefaults(defaults) });

  test('U5, B90: new links are reported as created, and leave a record', async ({ linkctl, folder }) => {
    expect((await linkctl(['shorten', 'https://example.com/typed'])).code).toBe(0);
    expect(await runs(linkctl)).toHaveLength(1);
    const file = join(folder, 'urls.txt');
    writeFileSync(file, 'https://example.com/1\nhttps://example.com/2\n');
    expect(await linkctl(['shorten', '-f', file])).toMatchObject({ code: 0, stderr: expect.stringContaining('2 created') });
    expect((await linkctl(['shorten', 'https://example.com/own', '--hash', 'own'])).code).toBe(0);
    expect(await undoLast(linkctl)).toMatchObject({ code: 0, stdout: 'own\n' });
  });

  test('U7: what a file created is proven by the listing, and what was typed alone needs --force', async ({
    linkctl,
    service,
    folder,
  }) => {
    const file = join(folder, 'urls.txt');
    writeFileSync(file, 'https://example.com/1\n');
    await linkctl(['shorten', '-f', file]);
    expect(await undoLast(linkctl)).toMatchObject({ code: 0 });
    await linkctl(['shorten', 'https://example.com/typed']);
    expect(await undoLast(linkctl)).toMatchObject({ code: 3, stderr: expect.stringContaining('may have existed before') });
    expect(await undoLast(linkctl, ['--force'])).toMatchObject({ code: 0 });
    expect(await stored(service)).toEqual([]);
  });

  test.for([
    ['are deleted', 0, undefined],
    ['are left if somebody changed them meanwhile', 3, { note: 'theirs' }],
    ['are left if somebody took such a value away meanwhile', 3, emptied],
  ] as const)(
    'U2: links that a killed run made with such values %s',
    async ([, code, change], { linkctl, service, wire, env, folder }) => {
      const file = join(folder, 'urls.txt');
      writeFileSync(file, 'https://example.com/0\nhttps://example.com/1\nhttps://example.com/2\n');
      const words = ['shorten', '-f', file, '--generate-hashes'];
      const post = { only: { method: 'POST' } };
      await killed(words, { ...post, ...faults.silentAfter }, { wire, env }, [post, post]);
      const newest = (await stored(service)).at(-1);
      if (change) await foreign(service, 'PATCH', `/urls/${newest?.hash}`, change);
      expect((await linkctl(words)).code).toBe(0);
      expect((await undoLast(linkctl)).code).toBe(code);
      expect((await stored(service)).map(({ hash }) => hash)).toEqual(code === 0 ? [] : [newest?.hash]);
    },
  );

  test('B90: apply reports a link that it made as created, and undo deletes it', async ({ linkctl, service, folder }) => {
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'hash,long_url\nnew,https://example.com/new\n');
    const applied = await linkctl(['apply', '-f', file, '--yes', '-o', 'json']);
    expect(JSON.parse(applied.stdout)).toMatchObject({ summary: { created: 1 } });
    expect(await undoLast(linkctl)).toMatchObject({ code: 0 });
    expect(await stored(service)).toEqual([]);
  });

  test('U2: a link that is made again with other values is reported', async ({ linkctl, service }) => {
    await store(service, numbered(1));
    expect((await linkctl(['delete', 'h0', '--yes'])).code).toBe(0);
    const [field = ''] = Object.keys(defaults);
    expect(await undoLast(linkctl)).toMatchObject({ code: 6, stderr: expect.stringContaining(`not applied: ${field}`) });
  });
});

describe('a server that shows no short URLs', () => {
  test.override({
    edition: 'b',
    habits: itemHabits({ shown: ({ short_url: _, short_url_with_protocol: __, ...item }) => item }),
  });

  test('U2: links that exchanged their hashes get them back', async ({ linkctl, service, folder }) => {
    await store(service, numbered(2));
    const before = await values(service);
    const edits = join(folder, 'edits.csv');
    writeFileSync(edits, 'hash,custom_hash\nh0,between\nh1,h0\nbetween,h1\n');
    expect((await linkctl(['edit', '-f', edits])).code).toBe(0);
    expect(await undoLast(linkctl)).toMatchObject({ code: 0 });
    expect(await values(service)).toEqual(before);
  });
});

describe('a server that cuts labels', () => {
  test.override({ habits: cutLabels });

  test('U2: the labels that it made of those of an edit are detached', async ({ linkctl, service }) => {
    await store(service, numbered(1, { tags: ['kept'] }));
    const before = await values(service);
    expect((await linkctl(['edit', 'h0', '--add-tag', 'LongLabel'])).code).toBe(6);
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await values(service)).toEqual(before);
  });

  test('U2: they are left alone if the labels have changed since', async ({ linkctl, service }) => {
    await store(service, numbered(1));
    await linkctl(['edit', 'h0', '--add-tag', 'LongLabel']);
    await foreign(service, 'PATCH', '/urls/h0', { tags: ['+theirs'] });
    expect(await undoLast(linkctl)).toMatchObject({ code: 3, stderr: expect.stringContaining('changed since: tags') });
  });

  test('U5, B45: a link that was made with them leaves a record, and no hint detaches them', async ({ linkctl }) => {
    const made = await linkctl(['shorten', 'https://example.com/', '--hash', 'own', '--tag', 'LongLabel']);
    expect(made).toMatchObject({ code: 6, stderr: expect.not.stringContaining('--remove-tag') });
    expect(await runs(linkctl)).toHaveLength(1);
  });
});

describe('a server that trims labels', () => {
  test.override({
    habits: itemHabits({
      stored: ({ isCreation: _, ...item }) => ({
        ...item,
        ...(Array.isArray(item.tags) && { tags: item.tags.map((label) => String(label).trim()) }),
      }),
    }),
  });

  test('U2: a label that was asked for with blanks is attached, undone and detached', async ({ linkctl, service }) => {
    const made = await linkctl(['shorten', 'https://example.com/', '--hash', 'h0', '--tag', 'kept ']);
    expect(made).toMatchObject({ code: 0 });
    const before = await values(service);
    expect(await linkctl(['edit', 'h0', '--add-tag', 'x '])).toMatchObject({ code: 0, stdout: 'h0\n' });
    expect(await stored(service)).toMatchObject([{ tags: ['kept', 'x'] }]);
    expect(await undoLast(linkctl)).toMatchObject({ code: 0, stdout: 'h0\n' });
    expect(await values(service)).toEqual(before);
    expect(await linkctl(['edit', 'h0', '--remove-tag', 'kept '])).toMatchObject({ code: 0, stdout: 'h0\n' });
    expect(await stored(service)).toMatchObject([{ tags: [] }]);
    expect(await undoLast(linkctl)).toMatchObject({ code: 0, stdout: 'h0\n' });
    expect(await values(service)).toEqual(before);
  });
});

describe.each(['note', 'expiration_date', 'max_clicks', 'email_stats', 'tags'] as const)(
  'a server that never shows %s',
  (member) => {
    test.override({ habits: without(member) });

    test('U2: an edit of it is not called undone', async ({ linkctl, service }) => {
      await store(service, numbered(1));
      const flags = {
        note: ['--note', 'new'],
        expiration_date: ['--expires', '2199-01-01'],
        max_clicks: ['--max-clicks', '5'],
        email_stats: ['--email-stats'],
        tags: ['--add-tag', 'new'],
      };
      expect((await linkctl(['edit', 'h0', ...flags[member]])).code).toBe(0);
      const edited = await values(service);
      const undone = await undoLast(linkctl);
      expect(undone).toMatchObject({ code: 3, stderr: expect.stringContaining(`the server does not show: ${member}`) });
      expect(await values(service)).toEqual(edited);
    });
  },
);

describe.each([
  ['leaves out tags', without('tags')],
  ['sends null for no tags', itemHabits({ shown: (item) => ({ ...item, tags: String(item.tags) === '' ? null : item.tags }) })],
] as const)('a server that %s', (_, habits) => {
  test.override({ habits });

  test('F40: diff, apply and merges work', async ({ linkctl, service, folder }) => {
    await store(service, numbered(2));
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'hash,long_url,tags\nh0,https://example.com/0,x\n');
    expect(await linkctl(['diff', '-f', file])).toMatchObject({ code: 12 });
    expect(await linkctl(['apply', '-f', file, '--prune', 'x', '--yes'])).toMatchObject({ code: 0 });
    expect((await stored(service)).flatMap(({ tags }) => tags)).toEqual(['x']);
    await linkctl(['tags', 'merge', 'x', '--into', 'y', '--yes', '--max-affected', '5']);
  });
});

describe('a server that writes hashes in lower case', () => {
  const lower = (item: Item): Item => withText(item, 'custom_hash', (hash) => hash.toLowerCase());
  test.override({ habits: itemHabits({ stored: ({ isCreation: _, ...item }) => lower(item) }) });

  test('U2, F38: a rename is undone and redone', async ({ linkctl, service }) => {
    await store(service, numbered(1));
    const before = await values(service);
    expect(await linkctl(['edit', 'h0', '--new-hash', 'NewName'])).toMatchObject({ code: 0, stdout: 'newname\n' });
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await values(service)).toEqual(before);
    expect((await redoLast(linkctl)).code).toBe(0);
    expect(Object.keys(await values(service))).toEqual(['newname']);
  });
});

describe('a server that shows what was percent-encoded as it reads', () => {
  const long_url = 'https://files.example/My%20Report.pdf?q=%C3%A4%20b';
  test.override({ habits: itemHabits({ shown: (item) => withText(item, 'long_url', decodeURI) }) });

  test('U2: a deleted link is made again, and an edit is undone and redone', async ({ linkctl, service }) => {
    await store(service, [{ custom_hash: 'h0', long_url }]);
    const before = 'https://files.example/My%20Report.pdf?q=ä%20b';
    for (const words of [
      ['delete', 'h0', '--yes'],
      ['edit', 'h0', '--url', 'https://example.com/'],
    ]) {
      expect(await linkctl(words)).toMatchObject({ code: 0 });
      expect(await undoLast(linkctl)).toMatchObject({ code: 0 });
      expect(await stored(service)).toMatchObject([{ long_url: before }]);
    }
    expect(await redoLast(linkctl)).toMatchObject({ code: 0 });
    expect(await stored(service)).toMatchObject([{ long_url: 'https://example.com/' }]);
    expect(await undoLast(linkctl)).toMatchObject({ code: 0 });
    expect(await stored(service)).toMatchObject([{ long_url: before }]);
  });

  test('U2: an edit that somebody took back already needs no undo', async ({ linkctl, service }) => {
    await store(service, [{ custom_hash: 'h0', long_url }]);
    expect(await linkctl(['edit', 'h0', '--url', 'https://example.com/'])).toMatchObject({ code: 0 });
    await foreign(service, 'PATCH', '/urls/h0', { long_url });
    expect(await undoLast(linkctl)).toMatchObject({ code: 0, stderr: expect.stringContaining('unchanged') });
    expect(await stored(service)).toMatchObject([{ long_url }]);
  });
});

describe('a domain that the account no longer has', () => {
  let isGone = false;
  const gone: Habits = {
    stored: (request) => (isGone ? { ...request, url: request.url.replace('b.example', 'gone.example') } : request),
    shown: (answer) => {
      const body = readBody(answer.body);
      if (!isGone || !Array.isArray(body?.domains)) return answer;
      const domains = body.domains.filter(({ domain }: { domain: string }) => domain !== 'b.example');
      return { ...answer, body: Buffer.from(JSON.stringify({ ...body, domains })) };
    },
    plain: (printed) => printed,
  };
  test.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }], habits: gone });

  test('U2: its links are named, and those of other domains are undone', async ({ linkctl, service }) => {
    await store(service, numbered(2), 'a.example');
    await store(service, numbered(1), 'b.example');
    const before = await values(service, 'a.example');
    const links = ['a.example/h0', 'b.example/h0', 'a.example/h1'];
    expect((await linkctl(['delete', ...links, '--yes', '--max-affected', '3'])).code).toBe(0);
    isGone = true;
    const undone = await linkctl(['undo', await newestFor('undo', linkctl), '--yes']);
    isGone = false;
    expect(undone).toMatchObject({ code: 3, stderr: expect.stringContaining('the account has no domain b.example') });
    expect(await values(service, 'a.example')).toEqual(before);
    expect(await stored(service, 'b.example')).toEqual([]);
  });
});
