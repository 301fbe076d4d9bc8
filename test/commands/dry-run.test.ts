import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect } from 'vitest';
import { sent, test } from '../support/linkctl.ts';
import { numbered, store } from '../support/stored-links.ts';

const inUse = 300;
const nothing = 'dry run: nothing was sent\n';

describe.each(['a', 'b'] as const)('B60, D28: --dry-run on an account in use, edition %s', (edition) => {
  test.override({ edition });
  beforeEach<{ service: { baseUrl: string } }>(async ({ service }) => {
    await store(service, numbered(inUse - 1, { note: 'old' }));
    await store(service, [{ custom_hash: 'own', long_url: 'https://own.example/', note: 'new', tags: ['a'] }]);
  });

  test('delete says which links would go, where they lead, and which are not there', async ({ linkctl, folder, wire }) => {
    const file = join(folder, 'hashes.txt');
    writeFileSync(file, 'h1\nnone\nown\n');
    const text = 'h1\thttps://example.com/1\t0\tdelete\nnone\t\t\tnot found\nown\thttps://own.example/\t0\tdelete\n';
    const stderr = `2 links would be deleted, 1 not found\n${nothing}`;
    expect(await linkctl(['delete', 'h1', 'none', 'own', '-n'])).toEqual({ code: 0, stdout: text, stderr });
    const listed = await linkctl(
      ['delete', '--hashes-from', file, '-n', '--domain', 'localhost'].slice(0, edition === 'a' ? 6 : 4),
    );
    expect(listed).toMatchObject({ code: 0, stderr });
    expect(listed.stdout.replaceAll('localhost/', '')).toBe(text);
    expect((await sent(wire)).filter(({ call }) => !call.startsWith('GET'))).toEqual([]);
  });

  test('edit says what would be otherwise, before and after, and what would not', async ({ linkctl, folder, wire }) => {
    const ran = await linkctl(['edit', 'h1', 'own', 'none', '--note', 'new', '-n']);
    expect(ran).toEqual({
      code: 0,
      stdout:
        'h1\thttps://example.com/1\t0\tnote: "old" -> "new"\nown\thttps://own.example/\t0\tunchanged\nnone\t\t\tnot found\n',
      stderr: `1 link would be changed, 1 unchanged, 1 not found\n${nothing}`,
    });
    const file = join(folder, 'edits.csv');
    writeFileSync(file, 'hash,long_url,tags,note\nh2,https://other.example/,+x,\nown,,+a,\n');
    const rows = await linkctl(['edit', '-f', file, '-n']);
    expect(rows).toMatchObject({ code: 0, stderr: `1 link would be changed, 1 unchanged\n${nothing}` });
    expect(rows.stdout).toContain('long_url: "https://example.com/2" -> "https://other.example/"; tags: +x\n');
    expect((await sent(wire)).filter(({ call }) => !call.startsWith('GET'))).toEqual([]);
  });

  test('a terminal shows the first five, and -v the requests, too', async ({ linkctl }) => {
    const hashes = Array.from({ length: 8 }, (_, nth) => `h${nth}`);
    const ran = await linkctl(['delete', ...hashes, '-n'], { terminal: { stdout: true }, columns: 80 });
    expect(ran.stdout.split('\n').filter((line) => line.includes('delete'))).toHaveLength(5);
    expect(ran.stderr).toContain('and 3 links more\n8 links would be deleted\n');
    const verbose = await linkctl(['delete', 'h0', '-n', '-v']);
    expect(verbose.stderr).toContain('DELETE /urls/h0\n');
    const all = await linkctl(['delete', ...hashes, '-n', '-o', 'csv'], { terminal: { stdout: true } });
    expect(all.stdout.trimEnd().split('\n')).toHaveLength(9);
  });

  test('shorten says what would be made, tags what would become of them', async ({ linkctl, folder, wire }) => {
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'long_url,custom_hash,tags\nhttps://a.example/,a,"x,y"\nhttps://b.example/,,\n');
    const ran = await linkctl(['shorten', '-f', file, '--note', 'n', '-n', '--fields', 'long_url,custom_hash,note,tags']);
    expect(ran).toEqual({
      code: 0,
      stdout: 'https://a.example/\ta\tn\tx,y\nhttps://b.example/\t\tn\t\n',
      stderr: `2 URLs would be shortened\n${nothing}`,
    });
    expect((await linkctl(['tags', 'rename', 'a', 'b', '-n'])).stdout).toBe('a\trename to "b"\n');
    expect((await linkctl(['tags', 'delete', 'a', 'c', '-n'])).stdout).toBe('a\tdelete\nc\tdelete\n');
    expect((await sent(wire)).filter(({ call }) => !call.startsWith('GET'))).toEqual([]);
  });

  test('a selection by tags shows its first links and counts all', async ({ linkctl }) => {
    const ran = await linkctl(['edit', '--by-tags', 'a', '--note', 'newer', '-n']);
    expect(ran).toMatchObject({ code: 0, stderr: `1 link matched a\n${nothing}` });
    expect(ran.stdout).toMatch(/^\S+own\thttps:\/\/own\.example\/\t0\tnote: "new" -> "newer"\n$/);
  });
});
