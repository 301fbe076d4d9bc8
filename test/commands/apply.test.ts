import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { FaultyServer } from '../support/faulty-server.ts';
import { faults } from '../support/faulty-steps.ts';
import { sent, test } from '../support/linkctl.ts';
import { numbered, oddHashes, type Served, store, stored } from '../support/stored-links.ts';
import { foreign, redoLast, undoLast } from './undo-world.ts';

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, columns: 100, env: { NO_COLOR: '1' } };

/** The changes that were sent, without their bodies. */
async function changes(wire: FaultyServer): Promise<string[]> {
  return (await sent(wire)).map(({ call }) => call).filter((call) => !call.startsWith('GET'));
}

/** All that can be set of the links of an account, the oldest first. */
async function settable(service: Served, domain?: string): Promise<object[]> {
  return (await stored(service, domain)).map(({ hash, long_url, note, tags, expiration_date, email_stats, max_clicks }) => ({
    hash,
    long_url,
    note,
    tags: tags.toSorted(),
    expiration_date,
    email_stats,
    max_clicks,
  }));
}

const before = [
  { custom_hash: 'same', long_url: 'https://example.com/same', note: 'kept' },
  { custom_hash: 'hash', long_url: 'https://old.example/1', note: 'old', tags: ['git', 'a'], expiration_date: '2031-01-01' },
  { custom_hash: 'null', long_url: 'https://old.example/2', tags: ['git'] },
  {
    custom_hash: 'gone',
    long_url: 'https://example.com/gone',
    note: 'a note',
    tags: ['Git', 'x'],
    expiration_date: '2033-03-03',
  },
  { custom_hash: 'other', long_url: 'https://example.com/other', tags: ['gitlab'] },
];

const file = [
  'custom_hash,long_url,note,tags,expiration_date',
  'same,https://example.com/same,,,',
  'hash,https://new.example/1,now,"git,b",never',
  'null,https://old.example/2,,git,2032-02-02',
  'new,https://example.com/new,n,git,',
  'constructor,https://example.com/new,,,',
  '',
].join('\n');

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('P2: makes what is missing and edits what differs, deletes nothing, and then sends nothing', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    await store(service, before);
    const path = join(folder, 'links.csv');
    writeFileSync(path, file);
    const ran = await linkctl(['apply', '-f', path, '--yes']);
    expect(ran).toMatchObject({ code: 0, stdout: 'hash\nnull\nnew\nconstructor\n' });
    expect(ran.stderr).toContain('5 links: 2 to be created, 2 to be changed, 1 unchanged');
    expect(ran.stderr).toMatch(/not in the file, left unchanged \(2\): \S+\/other, \S+\/gone/);
    expect(ran.stderr).toContain('4 links: 2 created, 2 changed');
    expect(await stored(service)).toMatchObject([
      { hash: 'same', note: 'kept' },
      { hash: 'hash', long_url: 'https://new.example/1', note: 'now', tags: ['b', 'git'], expiration_date: null },
      { hash: 'null', long_url: 'https://old.example/2', tags: ['git'], expiration_date: '2032-02-02' },
      { hash: 'gone' },
      { hash: 'other' },
      { hash: 'new', long_url: 'https://example.com/new', note: 'n', tags: ['git'] },
      { hash: 'constructor', long_url: 'https://example.com/new', note: '', tags: [] },
    ]);
    expect(await linkctl(['diff', '-f', path, 'same'])).toMatchObject({ code: 0, stdout: '' });
    // The first link is made alone, which shows that the server takes its hash (D27).
    const count = (await changes(wire)).length;
    expect(count).toBe(3);
    const again = await linkctl(['apply', '-f', path, '--yes']);
    expect(again).toMatchObject({ code: 0, stdout: '' });
    expect(again.stderr).toContain('nothing to change');
    expect(await changes(wire)).toHaveLength(count);
  });

  test('B88, W3: links have the lines of the file, and those that need no change are counted', async ({
    linkctl,
    service,
    folder,
  }) => {
    await store(service, before);
    const path = join(folder, 'links.csv');
    const urls = ['same,https://example.com/same', 'hash,https://new.example/1', 'none,', 'null,https://old.example/2'];
    writeFileSync(path, ['hash,long_url', ...urls, ''].join('\n'));
    const apply = ['apply', '-f', path, '--yes', '-o', 'json'];
    const ran = await linkctl([...apply, '--prune', 'Git']);
    const [changed, failed, deleted] = JSON.parse(ran.stdout).urls;
    expect([ran.code, changed, failed, deleted]).toMatchObject([
      3,
      { line: 3, hash: 'hash', status: 'changed' },
      { line: 4, hash: 'none', status: 'failed' },
      { hash: 'gone', status: 'deleted' },
    ]);
    expect(deleted).not.toHaveProperty('line');
    expect(JSON.parse(ran.stdout).summary).toMatchObject({ rows: 5, changed: 1, deleted: 1, failed: 1, unchanged: 2 });
    // Nothing is left to send for the second one.
    const again = await linkctl(apply);
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([
      3,
      { urls: [{ line: 4, hash: 'none' }], summary: { rows: 4, failed: 1, unchanged: 3 } },
    ]);
  });

  test('P2: --prune deletes what carries the label and is not in the file, and undo takes back all three', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    await store(service, before);
    const was = await settable(service);
    const path = join(folder, 'links.csv');
    writeFileSync(path, file);
    const ran = await linkctl(['apply', '-f', path, '--prune', 'GIT', '--yes']);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/not in the file, left unchanged \(1\): \S+\/other/);
    expect(ran.stderr).toContain('5 links: 2 created, 2 changed, 1 deleted');
    expect((await stored(service)).map(({ hash }) => hash)).toEqual(['same', 'hash', 'null', 'other', 'new', 'constructor']);
    const is = await settable(service);
    expect(await linkctl(['diff', '-f', path, '--by-tags', 'git'])).toMatchObject({ code: 0 });
    expect(await changes(wire)).toHaveLength(4);

    expect(ran.stderr).not.toContain('no link carries');

    const undone = await undoLast(linkctl);
    expect(undone.code).toBe(0);
    const byHash = (one: object, other: object) => JSON.stringify(one).localeCompare(JSON.stringify(other));
    expect((await settable(service)).toSorted(byHash)).toEqual(was.toSorted(byHash));

    expect((await redoLast(linkctl)).code).toBe(0);
    expect((await settable(service)).toSorted(byHash)).toEqual(is.toSorted(byHash));
  });

  test('P2: a label to prune by that no link carries is said', async ({ linkctl, service, folder }) => {
    await store(service, before);
    const path = join(folder, 'links.csv');
    writeFileSync(path, file);
    for (const way of ['-n', '--yes']) {
      const ran = await linkctl(['apply', '-f', path, '--prune', 'got', way]);
      expect(ran.code).toBe(0);
      expect(ran.stderr.split('\n').filter((line) => line.startsWith('warning'))).toEqual([
        'warning: --prune: no link carries the tag "got"',
      ]);
    }
  });

  test('P2: a hash that is not that of its short URL is no rename, and the message says what renames', async ({
    linkctl,
    service,
    folder,
  }) => {
    await store(service, numbered(1));
    const file = join(folder, 'renamed.csv');
    for (const column of ['custom_hash', 'hash']) {
      writeFileSync(file, `short_url,${column},long_url\nlocalhost/h0,new,https://example.com/0\n`);
      for (const words of [['diff'], ['apply', '--yes']]) {
        const { code, stderr } = await linkctl([...words, '-f', file]);
        expect(code).toBe(2);
        expect(stderr).toContain(
          `renamed.csv:2: ${column}: "new" does not match "localhost/h0": only linkctl edit -f renames, with the new hash in custom_hash\n`,
        );
      }
    }
    writeFileSync(file, 'short_url,custom_hash,long_url\nlocalhost/h0,new,https://example.com/0\n');
    expect((await linkctl(['edit', '-f', file, '--yes'])).code).toBe(0);
    expect(await stored(service)).toMatchObject([{ hash: 'new' }]);
  });

  test('P2: one question, and B54: off a terminal --yes', async ({ linkctl, service, wire, folder }) => {
    await store(service, before);
    const path = join(folder, 'links.csv');
    writeFileSync(path, file);
    expect((await linkctl(['apply', '-f', path])).code).toBe(2);
    expect(await changes(wire)).toEqual([]);
    const asked = await linkctl(['apply', '-f', path, '--prune', 'git'], { ...watched, stdin: 'n\n' });
    expect(asked.code).toBe(1);
    expect(asked.stderr.match(/\?/g)).toHaveLength(1);
    expect(asked.stderr).toMatch(/^Create 2, change 2 and delete 1 link of account .*\?/m);
    expect(await changes(wire)).toEqual([]);
    const done = await linkctl(['apply', '-f', path, '--prune', 'git'], { ...watched, stdin: 'y\n' });
    expect(done.code).toBe(0);
  });

  test('B60: a dry run shows the plan and the calls, and sends nothing', async ({ linkctl, service, wire, folder }) => {
    await store(service, before);
    const path = join(folder, 'links.csv');
    writeFileSync(path, file);
    const ran = await linkctl(['apply', '-f', path, '--prune', 'git', '-n', '-o', 'json']);
    expect(ran.code).toBe(0);
    const { requests } = JSON.parse(ran.stdout);
    // The first new link tests the server.
    expect(requests.map(({ method }: { method: string }) => method).toSorted()).toEqual(['DELETE', 'PATCH', 'POST', 'POST']);
    expect(JSON.stringify(requests)).not.toContain('"operation"');
    const rows = await linkctl(['apply', '-f', path, '-n']);
    expect(rows.stdout.trimEnd().split('\n')).toHaveLength(4);
    expect(await changes(wire)).toEqual([]);
  });

  test('P3: stops where more than 30 % would change or more than 10 % be deleted, and names both counts and flags', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    const links = numbered(40, { tags: ['git'] });
    await store(service, [...links, ...before]);
    const path = join(folder, 'links.csv');
    const rows = (from: number, to: number, host = 'example.com') =>
      links.slice(from, to).map(({ custom_hash, long_url }) => `${custom_hash},${long_url.replace('example.com', host)},git\n`);
    const write = (...parts: string[][]) => writeFileSync(path, `hash,long_url,tags\n${parts.flat().join('')}`);

    // Half of the rows are missing.
    write(rows(0, 20));
    const nothing = await linkctl(['apply', '-f', path, '--yes']);
    expect(nothing).toMatchObject({ code: 0, stdout: '' });
    expect(nothing.stderr).toContain('nothing to change');
    const pruned = await linkctl(['apply', '-f', path, '--prune', 'git', '--yes']);
    expect(pruned).toMatchObject({ code: 2, stdout: '' });
    expect(pruned.stderr).toContain('23 of 43 links would be deleted, more than 10 %; nothing was changed');
    expect(pruned.stderr).toContain(': if this is meant, add --max-deleted 23\nhint: --dry-run shows which they are\n');
    const dry = await linkctl(['apply', '-f', path, '--prune', 'git', '-n']);
    expect(dry).toMatchObject({ code: 2, stderr: expect.not.stringContaining('hint: ') });
    // The one flag does not raise the other bound.
    const pruning = ['apply', '-f', path, '--prune', 'git', '--yes'];
    expect((await linkctl([...pruning, '--max-affected', '43'])).code).toBe(2);
    const fewer = await linkctl([...pruning, '--max-deleted', '22']);
    expect(fewer).toMatchObject({ code: 2, stdout: '' });
    expect(fewer.stderr).toContain('23 links would be deleted, more than --max-deleted 22; nothing was changed');
    write(rows(0, 13, 'new.example'));
    const both = await linkctl(pruning);
    expect(both.code).toBe(2);
    expect(both.stderr).toContain('13 of 43 links would be changed, more than 30 %');
    expect(both.stderr).toContain('30 of 43 links would be deleted, more than 10 %');
    expect(both.stderr).toContain('add --max-affected 43 --max-deleted 30\n');
    expect(await changes(wire)).toEqual([]);

    // 30 % exactly, and one more; new links beside them do not count, but for the flag they do.
    write(rows(0, 12, 'new.example'), rows(12, 40), ['new,https://example.com/new,\n']);
    expect((await linkctl(['apply', '-f', path, '-n'])).code).toBe(0);
    write(rows(0, 13, 'new.example'), rows(13, 40), ['new,https://example.com/new,\n']);
    const refused = await linkctl(['apply', '-f', path, '--yes']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('13 of 40 links would be changed, more than 30 %');
    expect(refused.stderr).toContain('--max-affected 14');
    expect((await linkctl(['apply', '-f', path, '--yes', '--max-affected', '13'])).code).toBe(2);
    expect(await changes(wire)).toEqual([]);
    expect((await linkctl(['apply', '-f', path, '--yes', '--max-affected', '14'])).code).toBe(0);

    // Fewer than 10 are never too many.
    write(rows(0, 9, 'third.example'));
    expect((await linkctl(['apply', '-f', path, '--yes'])).code).toBe(0);
  });

  test('P3: a link that changes between the comparison and sending is reported and kept', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    await store(service, before);
    const path = join(folder, 'links.csv');
    writeFileSync(path, file);
    await wire.script([{ only: { method: 'GET', path: '/account' }, held: true }]);
    const running = linkctl(['apply', '-f', path, '--prune', 'git', '--yes']);
    await wire.held();
    await foreign(service, 'PATCH', '/urls/hash', { long_url: 'https://foreign.example/' });
    await foreign(service, 'PATCH', '/urls/gone', { note: 'still needed' });
    await store(service, [{ custom_hash: 'new', long_url: 'https://foreign.example/new' }]);
    // As the file wants it.
    await foreign(service, 'PATCH', '/urls/null', { expiration_date: '2032-02-02' });
    await wire.release();
    const ran = await running;
    expect(ran).toMatchObject({ code: 3, stdout: 'constructor\n' });
    expect(ran.stderr).toMatch(/hash: changed since it was listed: long_url/);
    expect(ran.stderr).toMatch(/gone: changed since it was listed: note/);
    expect(ran.stderr).toMatch(/new: created since it was listed/);
    const now = Object.fromEntries((await stored(service)).map((record) => [record.hash, record]));
    expect(now).toMatchObject({
      hash: { long_url: 'https://foreign.example/', note: 'old' },
      gone: { note: 'still needed' },
      new: { long_url: 'https://foreign.example/new' },
    });
  });

  test('P2: what was stopped is resumed by the same command, and undone as a whole', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    const links = numbered(60, { tags: ['git'] });
    await store(service, links.slice(0, 40));
    const was = await settable(service);
    const path = join(folder, 'links.csv');
    const rows = links.slice(8).map(({ custom_hash, long_url }, nth) => `${custom_hash},${long_url}${nth < 8 ? '?x' : ''},git\n`);
    writeFileSync(path, `hash,long_url,tags\n${rows.join('')}`);
    const words = [
      'apply',
      '-f',
      path,
      '--prune',
      'git',
      '--yes',
      '--max-affected',
      '40',
      '--max-deleted',
      '8',
      '--batch-size',
      '4',
      '--concurrency',
      '1',
    ];
    // Done, and the answer is lost, in each kind of call; then nobody answers.
    for (const method of ['PATCH', 'POST', 'DELETE']) {
      await wire.script([{ ...faults.dropAfter, only: { method }, down: 3_600_000 }]);
      const stopped = await linkctl([...words, '--retries', '0']);
      expect([8, 10], stopped.stderr).toContain(stopped.code);
      // The server comes back.
      await wire.script([]);
    }
    const ran = await linkctl(words);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/resuming run/);
    expect(await linkctl(['diff', '-f', path])).toMatchObject({ code: 0, stdout: '' });
    expect((await stored(service)).map(({ hash }) => hash).toSorted()).toEqual(
      links
        .slice(8)
        .map(({ custom_hash }) => custom_hash)
        .toSorted(),
    );
    expect((await linkctl(['runs', 'list', '-o', 'json'])).stdout.match(/"run"/g)).toHaveLength(1);
    expect((await undoLast(linkctl)).code).toBe(0);
    const byHash = (one: object, other: object) => JSON.stringify(one).localeCompare(JSON.stringify(other));
    expect((await settable(service)).toSorted(byHash)).toEqual(was.toSorted(byHash));
  });

  test.for(['POST', 'PATCH', 'DELETE'])(
    'P2, U2: undo takes back an apply that was stopped with a %s in doubt',
    async (method, { linkctl, service, wire, folder }) => {
      await store(service, before);
      const was = await settable(service);
      const path = join(folder, 'links.csv');
      writeFileSync(path, file);
      await wire.script([{ ...faults.dropAfter, only: { method }, down: 3_600_000 }]);
      const stopped = await linkctl(['apply', '-f', path, '--prune', 'git', '--yes', '--retries', '0', '--concurrency', '1']);
      expect([8, 10]).toContain(stopped.code);
      expect(await settable(service)).not.toEqual(was);
      // The server comes back.
      await wire.script([]);
      const undone = await undoLast(linkctl);
      expect(undone.code, undone.stderr).toBe(0);
      const byHash = (one: object, other: object) => JSON.stringify(one).localeCompare(JSON.stringify(other));
      expect((await settable(service)).toSorted(byHash)).toEqual(was.toSorted(byHash));
    },
  );

  test('P2: a server that writes hashes in another case prunes nothing that the file names', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    await store(service, numbered(3, { tags: ['git'] }));
    const path = join(folder, 'links.csv');
    writeFileSync(
      path,
      numbered(3).reduce((text, { custom_hash }) => `${text}${custom_hash}\n`, 'hash\n'),
    );
    await wire.script([{ only: { method: 'GET', path: '/urls?' }, times: 'all', alter: 'shout' }]);
    const ran = await linkctl(['apply', '-f', path, '--prune', 'git', '--yes']);
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    expect(ran.stderr).toContain('3 links: 3 unchanged\n');
    expect(await changes(wire)).toEqual([]);
  });

  test('P2: a server that spells long URLs its own way is as the file says after one run', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    await store(service, numbered(1));
    const path = join(folder, 'links.csv');
    writeFileSync(path, 'hash,long_url,note\nh0,https://EXAMPLE.com:443/new?q=1,  x\nmore,HTTPS://example.com,\n');
    await wire.script([{ only: { path: '/urls' }, times: 'all', alter: 'normalise' }]);
    expect(await linkctl(['apply', '-f', path, '--yes'])).toMatchObject({ code: 0, stdout: 'h0\nmore\n' });
    expect(await linkctl(['diff', '-f', path])).toMatchObject({ code: 0, stdout: '' });
    expect(await linkctl(['apply', '-f', path, '--yes'])).toMatchObject({ code: 0, stdout: '' });
    expect(await changes(wire)).toHaveLength(2);
  });

  test('P2: the same file is applied again where somebody has changed a link since', async ({ linkctl, service, folder }) => {
    await store(service, before);
    const path = join(folder, 'links.csv');
    writeFileSync(path, file);
    for (const url of ['https://foreign.example/1', 'https://foreign.example/2']) {
      expect((await linkctl(['apply', '-f', path, '--yes'])).code).toBe(0);
      await foreign(service, 'PATCH', '/urls/hash', { long_url: url });
    }
    expect(await linkctl(['apply', '-f', path, '--yes'])).toMatchObject({ code: 0, stdout: 'hash\n' });
    expect(await linkctl(['diff', '-f', path, 'same'])).toMatchObject({ code: 0 });
  });

  test('P2: what the file cannot make is refused by name, the rest is done', async ({ linkctl, service, folder }) => {
    await store(service, before);
    const path = join(folder, 'links.csv');
    writeFileSync(path, 'hash,long_url,note\nsame,,newer\nnone,,x\na.b,https://example.com/,\n');
    const ran = await linkctl(['apply', '-f', path, '--yes']);
    expect(ran).toMatchObject({ code: 3, stdout: 'same\n' });
    expect(ran.stderr).toContain('none: no such link, and the row has no long_url');
    expect(ran.stderr).toContain('a.b: no such link, and its hash is not a custom hash');
    writeFileSync(path, 'hash,long_url\n');
    expect(await linkctl(['apply', '-f', path, '--yes', '--prune', 'git'])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('several domains', () => {
  test.override({ domains: [{ name: 's.ex' }, { name: 't.ex' }] });

  test('B45: after a lost answer, the command of the hint lists the domain of the new link', async ({
    linkctl,
    wire,
    folder,
  }) => {
    const path = join(folder, 'links.csv');
    writeFileSync(path, 'short_url,long_url\nt.ex/more,https://example.com/more\n');
    await wire.script([{ ...faults.dropBefore, only: { method: 'POST' }, times: 'all' }]);
    const ran = await linkctl(['apply', '-f', path, '--yes'], { haste: 50 });
    expect(ran).toMatchObject({ code: 10 });
    expect(ran.stderr).toMatch(
      /^hint: the same command settles these rows and resumes; to check them: linkctl list --domain t\.ex -- more$/m,
    );
  });

  test('P2, F6: prune says which domain it covers, and of which no link carries the label', async ({
    linkctl,
    service,
    folder,
  }) => {
    await store(service, [{ custom_hash: 'kept', long_url: 'https://example.com/' }], 's.ex');
    await store(service, [{ custom_hash: 'other', long_url: 'https://example.com/', tags: ['git'] }], 't.ex');
    const path = join(folder, 'links.csv');
    writeFileSync(path, 'short_url,long_url\ns.ex/kept,https://example.com/\n');
    const ran = await linkctl(['apply', '-f', path, '--prune', 'git', '--yes']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).toMatch(/^Covers only s\.ex, not t\.ex\.$/m);
    expect(ran.stderr).toMatch(/^warning: --prune: no link of s\.ex carries the tag "git"$/m);
    expect((await linkctl(['apply', '-f', path, '--yes'])).stderr).not.toContain('Covers only');
  });

  test('P2, F5: the same hash on both domains is two links, and prune keeps to the domains of the file', async ({
    linkctl,
    service,
    folder,
  }) => {
    const odd = oddHashes.map((custom_hash, nth) => ({ custom_hash, long_url: `https://example.com/${nth}`, tags: ['git'] }));
    await store(service, odd, 's.ex');
    await store(service, odd, 't.ex');
    const path = join(folder, 'links.csv');
    const rows = odd
      .slice(1)
      .map(({ custom_hash, long_url }) => `t.ex/${custom_hash},${long_url}${custom_hash === '0' ? '?x' : ''}\n`);
    writeFileSync(path, `short_url,long_url\n${rows.join('')}t.ex/more,https://example.com/more\n`);
    const others = await settable(service, 's.ex');
    const was = await settable(service, 't.ex');
    const ran = await linkctl(['apply', '-f', path, '--prune', 'git', '--yes']);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('3 links: 1 created, 1 changed, 1 deleted');
    expect(await settable(service, 's.ex')).toEqual(others);
    expect((await stored(service, 't.ex')).map(({ hash }) => hash)).toEqual([...oddHashes.slice(1), 'more']);
    expect(await linkctl(['diff', '-f', path])).toMatchObject({ code: 0 });
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await settable(service, 's.ex')).toEqual(others);
    expect((await settable(service, 't.ex')).toSorted()).toHaveLength(was.length);
    expect(await settable(service, 't.ex')).toEqual(expect.arrayContaining(was));
  });
});
