import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { sure, test } from '../support/linkctl.ts';
import { numbered, store } from '../support/stored-links.ts';
import { undoLast } from './undo-world.ts';

describe('a service on this computer', () => {
  test.override({ domains: [{ name: 'localhost:8787' }] });

  test('E27: its domain is called the same in every line, with its port', async ({ linkctl, service, folder }) => {
    await store(service, numbered(2));
    const path = join(folder, 'edits.csv');
    writeFileSync(path, 'hash,note\nh0,n\nh1,n\n');
    const watched = { terminal: { stderr: true } };
    const lines = [
      await linkctl(['edit', '-f', path], watched),
      await undoLast(linkctl, [], watched),
      await linkctl(['rewrite', 'https://example.com', 'https://example.org', ...sure], watched),
      await undoLast(linkctl, [], watched),
    ].map(({ stderr }) => stderr);
    for (const stderr of lines) {
      for (const [label] of stderr.matchAll(/domain [^;,)\s]+/g)) expect(label).toBe('domain localhost:8787');
      expect(stderr).toContain('domain localhost:8787');
    }
  });

  test('C16, E47: a link with two ports is one link, in a file and as an operand', async ({ linkctl, service, folder }) => {
    await store(service, numbered(1, { note: 'first' }));
    const path = join(folder, 'links.csv');
    writeFileSync(path, 'short_url,note\nlocalhost:1/h0,a\nlocalhost:2/h0,b\n');
    for (const words of [['edit'], ['apply', ...sure]])
      expect(await linkctl([...words, '-f', path])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('"localhost:1/h0" is already on line 2'),
      });
    writeFileSync(path, 'short_url,note,domain\nlocalhost:1/h0,n,localhost:2\n');
    const base = join(folder, 'base.csv');
    writeFileSync(base, 'short_url,note\nlocalhost:3/h0,first\n');
    expect(await linkctl(['edit', '-f', path, '--base', base])).toMatchObject({ code: 0 });
    writeFileSync(path, 'localhost:1/h0\nh0\nlocalhost:2/h0\n');
    const listed = await linkctl(['list', 'localhost:1/h0', 'localhost/h0', 'h0', '--fields', 'hash,note']);
    expect(listed).toMatchObject({ code: 0, stdout: 'h0\tn\n' });
    expect(await linkctl(['delete', '--hashes-from', path, '--yes'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('1 row: 1 deleted'),
    });
  });
});

describe.each([
  ['one domain', [{ name: 'localhost:8787' }]],
  ['several domains', [{ name: 's.ex' }, { name: 't.ex' }]],
])('%s', (_, domains) => {
  test.override({ domains });

  test('E27: a pipe names links in a dry run as in the change', async ({ linkctl, service, folder }) => {
    for (const { name } of domains) await store(service, numbered(2, { tags: ['both'] }), name);
    await store(service, [{ custom_hash: 'one', long_url: 'https://example.com/one', tags: ['one'] }], domains.at(-1)?.name);
    const path = join(folder, 'edits.csv');
    writeFileSync(path, `hash,note\n${domains.map(({ name }) => `${name}/h0,m`).join('\n')}\n`);
    const first = (stdout: string): string[] => stdout.split('\n').map((line) => line.split('\t')[0] ?? '');
    for (const words of [
      ['edit', 'h0', 'h1', '--note', 'n'],
      ['edit', `${domains[0]?.name}/h0`, '--note', 'o'],
      ['edit', '--all', '--filter', 'note=o', '--note', 'p', '--yes', '--max-affected', '9'],
      ['edit', '-f', path],
      ['undo'],
      ['rewrite', 'https://example.com', 'https://example.org', ...sure],
      ['undo'],
      ...['one', 'both'].flatMap((label) => [
        ['edit', '--by-tags', label, '--note', label, '--yes', '--max-affected', '9'],
        ['stats', '--by-tags', label, '--reset', '--yes', '--max-affected', '9'],
        ['delete', '--by-tags', label, '--yes', '--max-affected', '9'],
        ['undo'],
      ]),
      ['delete', 'h0', 'h1', '--yes'],
      ['undo'],
      [
        'delete',
        '--all',
        ...(domains.length > 1 ? ['--all-domains'] : []),
        '--filter',
        'hash=h0',
        '--yes',
        '--max-affected',
        '9',
      ],
    ]) {
      const isUndo = words[0] === 'undo';
      const planned = await (isUndo ? undoLast(linkctl, ['-n']) : linkctl([...words, '-n']));
      const done = await (isUndo ? undoLast(linkctl) : linkctl(words));
      expect([words, done]).toMatchObject([words, { code: 0 }]);
      expect([words, first(planned.stdout)]).toEqual([words, first(done.stdout)]);
    }
  });

  test('E27: a dry run of shorten begins with the short URL, as far as it is known', async ({ linkctl, folder }) => {
    const fileOf = (hash: string): string => {
      const path = join(folder, `${hash}.csv`);
      writeFileSync(path, `long_url,custom_hash\nhttps://example.com/${hash},${hash}\nhttps://example.com/other,\n`);
      return path;
    };
    const first = ({ stdout }: { stdout: string }): string[] => stdout.split('\n').map((line) => line.split('\t')[0] ?? '');
    for (const [words, count] of [
      [['-f', fileOf('a')], 2],
      [['-f', fileOf('b'), '--domain', domains.at(-1)?.name ?? ''], 2],
      [['https://example.com/c', '--hash', 'c'], 1],
      [['https://example.com/d'], 1],
    ] as const) {
      const planned = first(await linkctl(['shorten', ...words, '-n']));
      const done = first(await linkctl(['shorten', ...words]));
      expect(planned).toHaveLength(count + 1);
      expect([words, planned]).toEqual([words, done.map((url) => (/\/[a-c]$/.test(url) ? url : ''))]);
    }
    const csv = await linkctl(['shorten', '-f', fileOf('e'), '-n', '-o', 'csv']);
    expect(csv.stdout).toMatch(/^long_url,/);
  });
});

describe('B45: a name that looks like a flag', () => {
  test('is found with the command of the hint', async ({ linkctl }) => {
    for (const command of [['list'], ['stats'], ['edit', '--note', 'x'], ['delete', '--yes']]) {
      const { code, stderr } = await linkctl([...command, '--', '-q']);
      expect({ command, code, hint: stderr.split('\n').at(-2) }).toEqual({
        command,
        code: 5,
        hint: 'hint: linkctl list --search=-q',
      });
    }
    expect(await linkctl(['list', '--search=-q'])).toMatchObject({ code: 0 });
  });

  test('is one word with its flag wherever a command is printed', async ({ linkctl }) => {
    await linkctl(['tags', 'add', 'one', '--', '-q']);
    const renamed = await linkctl(['tags', 'rename', 'one', '--', '-q']);
    expect(renamed.stderr).toContain('linkctl tags merge one --into=-q\n');
    await linkctl(['shorten', 'https://nodejs.org/', '--tag=-q']);
    await linkctl(['tags', 'merge', 'one', '--into=-q', ...sure]);
    await linkctl(['edit', '--by-tags=-q', '--note', 'x', ...sure]);
    const runs = await linkctl(['runs', 'list']);
    for (const title of ['tags merge one --into=-q', 'edit --by-tags=-q']) expect(runs.stdout).toContain(title);
  });
});
