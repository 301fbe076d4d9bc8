import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { test as base, sent } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { runs, undoLast } from './undo-world.ts';

const onPost = { only: { method: 'POST' } } as const;
/** A server that says of all its links that they are off. */
const allOff = [
  { only: { method: 'GET', path: '/urls' }, times: 'all', alter: { each: { archived: true, protected: 'x' } } },
] as const;
const hashes = async (service: Parameters<typeof stored>[0]) => (await stored(service)).map(({ hash }) => hash).sort();

const test = base.extend<{ file: string }>({
  file: async ({ folder }, use) => {
    const file = join(folder, 'export.csv');
    const rows = ['a,,true,', 'b,hunter2,true,', 'c,,false,', 'd,,true,2999-01-01', 'e,,true,2020-01-01'];
    const lines = rows.map((row) => `https://example.com/${row[0]},${row}`);
    writeFileSync(file, `url,slug,password,is_active,valid_since\n${lines.join('\n')}\n`);
    await use(file);
  },
});

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('E39, I12: rows that are protected or off are skipped; the same command with --include-protected sends them, and only them', async ({
    linkctl,
    file,
    folder,
    service,
    wire,
  }) => {
    const results = join(folder, 'done.csv');
    const words = ['shorten', '-f', file, '--results', results];
    const first = await linkctl(words);
    expect(first).toMatchObject({ code: 3, stdout: 'http://localhost/a\nhttp://localhost/e\n' });
    expect(first.stderr).toContain('shortening 2 rows of');
    expect(first.stderr).toContain(
      'error: 3 rows skipped: protected or disabled at the source; --include-protected makes them public links\n',
    );
    expect(readFileSync(results, 'utf8')).toContain(
      '\n2,skipped,,,https://example.com/b,0,protected or disabled at the source: password,3\n',
    );
    expect(await hashes(service)).toEqual(['a', 'e']);
    expect((await linkctl(words)).code).toBe(2);

    const before = (await sent(wire)).length;
    const second = await linkctl([...words, '--include-protected']);
    expect(second.code, second.stderr).toBe(0);
    expect(second.stderr).toContain('2 of 5 rows are done');
    expect(second.stderr).toContain('not carried over: password (1 row), is_active (1 row), valid_since (1 row)');
    const posted = (await sent(wire)).slice(before).filter(({ call }) => call.startsWith('POST'));
    expect(JSON.stringify(posted)).not.toContain('example.com/a');
    expect(await hashes(service)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(readFileSync(results, 'utf8').match(/^\d+,created,/gm)).toHaveLength(5);
    expect(await linkctl([...words, '--include-protected'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('was already completed by run'),
    });
  });

  test('I12: without hashes, too: the links of the first run are not made again', async ({ linkctl, folder, service }) => {
    const file = join(folder, 'export.jsonl');
    const lines = [{ url: 'https://example.com/a' }, { url: 'https://example.com/b', archived: true }];
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect((await linkctl(['shorten', '-f', file])).code).toBe(3);
    expect((await linkctl(['shorten', '-f', file, '--include-protected'])).code).toBe(0);
    expect((await stored(service)).map(({ long_url }) => long_url)).toEqual(['https://example.com/a', 'https://example.com/b']);
  });

  test('I12: an interrupted run skips them all the same', async ({ linkctl, file, service, wire }) => {
    const words = ['shorten', '-f', file, '--batch-size', '1', '--concurrency', '1'];
    await wire.script([onPost, onPost, { ...onPost, ...faults.refuse(1303) }]);
    expect((await linkctl(words)).code).toBe(7);
    await wire.script([]);
    const ran = await linkctl(words);
    expect(ran.code, ran.stderr).toBe(3);
    expect(await hashes(service)).toEqual(['a', 'e']);
  });

  test('I12: a dry run shows and counts only what would be made, and says what is skipped', async ({ linkctl, file, wire }) => {
    const ran = await linkctl(['shorten', '-f', file, '-n', '-o', 'csv']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(ran.stderr).toContain('warning: 3 rows skipped: protected or disabled at the source');
    expect((await sent(wire)).filter(({ call }) => call.startsWith('POST'))).toEqual([]);
  });

  test('I12: no link is edited for them', async ({ linkctl, file, service }) => {
    await store(service, [{ custom_hash: 'b', long_url: 'https://old.example/' }]);
    const ran = await linkctl(['shorten', '-f', file, '--on-conflict', 'update', '--yes']);
    expect(ran.code, ran.stderr).toBe(3);
    expect((await stored(service)).find(({ hash }) => hash === 'b')?.long_url).toBe('https://old.example/');
  });

  test('I12: JSON says of each row that it was skipped, and why', async ({ linkctl, file }) => {
    const { urls, summary } = JSON.parse((await linkctl(['shorten', '-f', file, '-o', 'json'])).stdout);
    expect(summary).toMatchObject({ rows: 5, created: 2, skipped: 3, failed: 0 });
    expect(urls[1]).toMatchObject({
      status: 'skipped',
      custom_hash: 'b',
      error: { message: expect.stringContaining('password') },
    });
  });

  test('E38, I10: a short URL of two parts gives its last one, and that is said', async ({ linkctl, folder, service }) => {
    const file = join(folder, 'export.csv');
    const text =
      'Short Link,Custom Back-Half,Long URL\nhttps://acme.link/docs/start,,https://a.example/\nhttps://acme.link/x,own,https://b.example/\n';
    writeFileSync(file, text);
    const ran = await linkctl(['shorten', '-f', file]);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).toContain(
      `warning: ${file}:2:1: Short Link: the last part of "https://acme.link/docs/start" is used as the hash: start\n`,
    );
    expect(await hashes(service)).toEqual(['own', 'start']);
  });

  test('I14: a listing as JSON is a file for shorten, through a pipe and without a flag', async ({ linkctl, service }) => {
    await linkctl([
      'shorten',
      'https://a.example/?x=é',
      '--hash',
      'Spring',
      '--note',
      'n',
      '--tag',
      't',
      '--expires',
      '2031-01-31',
    ]);
    const { stdout } = await linkctl(['list', '-o', 'json']);
    const links = await stored(service);
    await linkctl(['delete', 'Spring', '--yes']);
    const ran = await linkctl(['shorten', '-f', '-'], { stdin: stdout });
    expect(ran.code, ran.stderr).toBe(0);
    const values = ({ hash, long_url, note, tags, expiration_date }: (typeof links)[number]) => [
      hash,
      long_url,
      note,
      tags,
      expiration_date,
    ];
    expect((await stored(service)).map(values)).toEqual(links.map(values));
    const equal = await linkctl(['diff', '-f', '-'], { stdin: stdout });
    expect(equal.code, equal.stderr).toBe(0);
  });

  test('I14: --encoding reads what is not UTF-8; without it the line is named, and the flag', async ({
    linkctl,
    folder,
    service,
    wire,
  }) => {
    const file = join(folder, 'links.csv');
    writeFileSync(file, Buffer.from('url,title\nhttps://a.example/,x\nhttps://b.example/,Größe\n', 'latin1'));
    const refused = await linkctl(['shorten', '-f', file]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`${file}:3: file is not UTF-8: invalid byte f6`) });
    expect(refused.stderr).toContain('--encoding windows-1252');
    expect(await wire.requests()).toEqual([]);
    const ran = await linkctl(['shorten', '-f', file, '--encoding', 'windows-1252']);
    expect(ran.code, ran.stderr).toBe(0);
    expect((await stored(service)).map(({ note }) => note)).toEqual(['x', 'Größe']);
    const unknown = await linkctl(['shorten', '-f', file, '--encoding', 'latin-x']);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('--encoding: "latin-x" is not known') });
  });

  const remedy = '(shorten -f --include-protected makes it a public link)';

  test.for([
    [
      'csv',
      'hash,long_url,note,archived\nh0,https://example.com/0,n,1\nh1,https://example.com/1,n,0\nh2,https://example.com/2,n,1\n',
    ],
    [
      'json',
      JSON.stringify([
        { hash: 'h0', short_url: 'localhost/h0', long_url: 'https://example.com/0', note: 'n', archived: true },
        { hash: 'h1', short_url: 'localhost/h1', long_url: 'https://example.com/1', note: 'n', archived: false },
        { hash: 'h2', short_url: 'localhost/h2', long_url: 'https://example.com/2', note: 'n', archived: true },
      ]),
    ],
  ] as const)(
    'I12, P2: apply edits a protected link of a listing as %s, but creates none, again and again; diff says so',
    async ([format, text], { linkctl, service, folder, wire }) => {
      await store(service, numbered(1));
      const [file, results] = [join(folder, `links.${format}`), join(folder, 'done.csv')];
      writeFileSync(file, text);
      const words = ['-f', file, '--max-affected', '9'];
      const diff = await linkctl(['diff', '-f', file, '-o', 'csv']);
      expect(diff.code).toBe(12);
      expect(diff.stderr).not.toContain('not used: archived');
      expect(diff.stderr).toMatch(/protected or disabled: archived \(shorten -f .* public link\) \(1\): (localhost\/)?h2\n/);
      expect(diff.stdout).toContain('\n!,h2,long_url,,https://example.com/2\n');
      expect(diff.stderr).toContain('3 links: 1 only in file, 1 different, 1 refused');
      const dry = await linkctl(['apply', ...words, '-n', '-o', 'json']);
      expect(JSON.stringify(JSON.parse(dry.stdout))).not.toContain('example.com/2');
      const markdown = await linkctl(['apply', ...words, '-n', '-o', 'markdown']);
      expect(markdown.stdout).toContain('1 refused');
      expect(await hashes(service)).toEqual(['h0']);
      const first = await linkctl(['apply', ...words, '--yes', '--results', results]);
      expect(first).toMatchObject({ code: 3, stderr: expect.stringContaining(`protected or disabled: archived ${remedy}`) });
      expect(readFileSync(results, 'utf8')).toContain(`,failed,h2,`);
      const notes = (await stored(service)).map(({ hash, note }) => `${hash} ${note}`);
      expect(notes.sort()).toEqual(['h0 n', 'h1 n']);
      const before = (await sent(wire)).length;
      const second = await linkctl(['apply', ...words, '--yes']);
      expect(second).toMatchObject({ code: 3, stderr: expect.stringContaining('2 unchanged, 1 refused') });
      expect((await sent(wire)).slice(before).filter(({ call }) => !call.startsWith('GET'))).toEqual([]);
    },
  );

  test('I12, U2, U3: undo leaves out deleted links that were protected, and only --force makes them, as public ones', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    await store(service, numbered(3));
    expect((await linkctl(['delete', 'h0', '--yes'])).code).toBe(0);
    await wire.script(allOff);
    const asked = await linkctl(['delete', 'h1', 'h2'], { stdin: 'y\n', terminal: { stdin: true, stderr: true } });
    expect(asked).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('protected or disabled, but public when created again: 2 links\n'),
    });
    await wire.script([]);
    const results = join(folder, 'undone.csv');
    const [{ run = '' } = {}] = await runs(linkctl);
    const undo = ['undo', run, '--yes'];
    const refused = await linkctl(undo);
    expect(refused).toMatchObject({ code: 3, stdout: '' });
    expect(refused.stderr).toContain('protected or disabled: archived, protected (--force makes it a public link) (2): ');
    expect(await hashes(service)).toEqual([]);
    const dry = await linkctl([...undo, '--force', '-n', '-o', 'csv']);
    expect(dry.stdout).toContain('example.com/2');
    expect(dry.stderr).toContain('protected or disabled, but public when created again: 2 links\n');
    expect(await hashes(service)).toEqual([]);
    const forced = await linkctl([...undo, '--force', '--results', results]);
    expect(forced).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('protected or disabled, but public when created again: 2 links\n'),
    });
    expect(readFileSync(results, 'utf8').match(/,created,/g)).toHaveLength(2);
    expect(await hashes(service)).toEqual(['h1', 'h2']);
    // The links that were made are public, so that redo deletes them and undo makes them again.
    const redone = await linkctl(['redo', run, '--yes']);
    expect(redone.code, redone.stderr).toBe(0);
    expect(await hashes(service)).toEqual([]);
    const last = await undoLast(linkctl);
    expect(last.code, last.stderr).toBe(0);
    expect(await hashes(service)).toEqual(['h1', 'h2']);
  });

  test('I12, U2: undo of an ordinary deletion says nothing of protection', async ({ linkctl, service, wire }) => {
    await store(service, numbered(1));
    await wire.script([{ ...allOff[0], alter: { each: { archived: false, protected: null, password: '' } } }]);
    const asked = await linkctl(['delete', 'h0'], { stdin: 'y\n', terminal: { stdin: true, stderr: true } });
    expect(asked.code, asked.stderr).toBe(0);
    const undone = await undoLast(linkctl);
    expect(undone.code, undone.stderr).toBe(0);
    expect(asked.stderr + undone.stderr).not.toContain('protected');
    expect(await hashes(service)).toEqual(['h0']);
  });

  test('I12, U2: undo of apply --prune leaves them out, too, and restores the others', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    await store(service, [...numbered(1), { custom_hash: 'off', long_url: 'https://example.com/off', tags: ['git'] }]);
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'hash,note\nh0,n\n');
    await wire.script(allOff);
    const applied = await linkctl(['apply', '-f', file, '--prune', 'git', '--yes', '--max-affected', '9', '--max-deleted', '9']);
    expect(applied).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('protected or disabled, but public when created again: 1 link\n'),
    });
    const undone = await undoLast(linkctl);
    expect(undone).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/\(--force makes it a public link\) \(1\): (localhost\/)?off/),
    });
    expect((await stored(service)).map(({ hash, note }) => `${hash}${note}`)).toEqual(['h0']);
  });
});
