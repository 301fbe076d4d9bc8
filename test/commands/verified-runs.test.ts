import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { test as base, type Linkctl, sure } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { foreign, runs, undoLast } from './undo-world.ts';

const test = base.extend<{ file: (text: string) => string }>({
  file: async ({ folder }, use) => {
    const path = join(folder, 'rows.csv');
    await use((text) => {
      writeFileSync(path, text);
      return path;
    });
  },
});

/** Verifies the newest run: the first two columns of what it lists. */
async function verified(linkctl: Linkctl): Promise<{ code: number; listed: string[]; stderr: string }> {
  const { code, stdout, stderr } = await linkctl([
    'runs',
    'verify',
    (await runs(linkctl))[0]?.run ?? '',
    '--fields',
    'hash,problem',
  ]);
  return { code, listed: stdout.split('\n').filter(Boolean).sort(), stderr };
}

const sound = (count: number) => ({ code: 0, listed: [], stderr: `${count} links checked: 0 missing or changed\n` });

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('R 1.4, R-X10: note, tags and expiry of a created link are verified, too, and clicks are no change', async ({
    linkctl,
    service,
    file,
  }) => {
    const rows = ['k0,one,t,2099-01-31', 'k1,one,t,2099-01-31', 'k2,,,', 'k3,,,'];
    const text = rows.map((row, nth) => `https://example.com/${nth},${row}\n`).join('');
    expect((await linkctl(['shorten', '-f', file(`long_url,custom_hash,note,tags,expires\n${text}`)])).code).toBe(0);
    await fetch(`${new URL(service.baseUrl).origin}/k3`, { redirect: 'manual' });
    expect(await verified(linkctl)).toEqual(sound(4));
    await foreign(service, 'PATCH', '/urls/k0', { note: 'theirs' });
    await foreign(service, 'PATCH', '/urls/k1', { expiration_date: '2098-01-31' });
    await foreign(service, 'PATCH', '/urls/k2', { tags: ['+more'] });
    expect(await verified(linkctl)).toMatchObject({ code: 1, listed: ['k0\tchanged', 'k1\tchanged', 'k2\tchanged'] });
  });

  test('R 1.4, R-X10: what an edit requested is verified, and no other field', async ({ linkctl, service, file }) => {
    await store(service, numbered(4));
    expect((await linkctl(['edit', '-f', file('hash,note,tags\nh0,x,+t\nh1,x,+t\nh2,x,+t\nh3,,+t\n')])).code).toBe(0);
    await foreign(service, 'PATCH', '/urls/h0', { expiration_date: '2098-01-31' });
    await foreign(service, 'PATCH', '/urls/h3', { note: 'theirs', tags: ['+more'] });
    expect(await verified(linkctl)).toEqual(sound(4));
    await foreign(service, 'PATCH', '/urls/h0', { note: 'theirs' });
    await foreign(service, 'PATCH', '/urls/h1', { tags: ['-t'] });
    expect(await verified(linkctl)).toMatchObject({ code: 1, listed: ['h0\tchanged', 'h1\tchanged'] });
  });

  test('F40, U2: the answer to a change need not show the destination: undo and verify use the requested or the earlier one', async ({
    linkctl,
    service,
    wire,
    file,
  }) => {
    await store(service, numbered(2));
    const step = (method: string) => ({ only: { method }, times: 'all' as const, alter: { each: { long_url: undefined } } });
    await wire.script([step('POST'), step('PATCH')]);
    const newLinks = 'long_url,custom_hash\nhttps://example.com/k0,k0\nhttps://example.com/k1,k1\n';
    for (const words of [
      ['shorten', '-f', file(newLinks)],
      ['edit', 'h0', '--url', 'https://example.com/new'],
      ['edit', 'h0', 'h1', '--note', 'x', ...sure],
    ]) {
      expect(await linkctl(words)).toMatchObject({ code: 0 });
      expect(await verified(linkctl)).toMatchObject({ code: 0, listed: [] });
      expect(await undoLast(linkctl)).toMatchObject({ code: 0 });
    }
    expect(await stored(service)).toMatchObject(numbered(2).map(({ long_url }) => ({ long_url, note: '' })));
  });

  test('R-X10: links that exchange their hashes are found as the run left them', async ({ linkctl, service, file }) => {
    await store(service, numbered(3));
    expect((await linkctl(['edit', '-f', file('hash,custom_hash,note\nh0,n0,a\nh1,h0,b\nh2,n2,c\n')])).code).toBe(0);
    const { stderr, ...others } = sound(3);
    expect(await verified(linkctl)).toEqual({ ...others, stderr: `${stderr}2 links: only the destination was compared\n` });
    await foreign(service, 'PATCH', '/urls/n2', { note: 'theirs' });
    expect(await verified(linkctl)).toMatchObject({ code: 1, listed: ['n2\tchanged'] });
  });

  test('R-X10: apply: what it created and what it changed', async ({ linkctl, service, file }) => {
    await store(service, numbered(2));
    const links = file('hash,long_url,note\nh0,https://example.com/0,x\nh1,https://example.com/1,\nk0,https://new.example/,y\n');
    expect((await linkctl(['apply', '-f', links, '--yes'])).code).toBe(0);
    expect(await verified(linkctl)).toEqual(sound(2));
    await foreign(service, 'PATCH', '/urls/h0', { note: 'theirs' });
    await foreign(service, 'PATCH', '/urls/k0', { note: 'theirs' });
    expect(await verified(linkctl)).toMatchObject({ code: 1, listed: ['h0\tchanged', 'k0\tchanged'] });
  });

  test('R-X10: without records of what was requested, it says that only destinations were compared', async ({
    linkctl,
    service,
    file,
  }) => {
    await store(service, numbered(2));
    expect((await linkctl(['edit', '-f', file('hash,note\nh0,x\nh1,x\n'), '--no-undo'])).code).toBe(0);
    await foreign(service, 'PATCH', '/urls/h0', { note: 'theirs' });
    const { stderr, ...others } = sound(2);
    expect(await verified(linkctl)).toEqual({
      ...others,
      stderr: `${stderr}2 links: only the destination was compared\n`,
    });
  });

  test('R-X10: an unfinished run says which rows were not checked', async ({ linkctl, wire, file }) => {
    const text = numbered(6).map(({ custom_hash, long_url }) => `${long_url},${custom_hash}\n`);
    const words = ['shorten', '-f', file(`long_url,custom_hash\n${text.join('')}`), '--batch-size', '2', '--concurrency', '1'];
    const post = { only: { method: 'POST' } };
    await wire.script([post, post, post, { ...post, ...faults.dropBefore }, { ...post, ...faults.refuse(1303) }]);
    expect((await linkctl(words)).code).toBe(7);
    const { stderr, ...others } = sound(2);
    expect(await verified(linkctl)).toEqual({ ...others, stderr: `${stderr}2 rows unknown, 2 rows not sent: not checked\n` });
  });

  const lost = (method: string) => ({ only: { method }, ...faults.dropBefore, times: 'all' as const });

  test('R-X10, B45: a run that is in doubt as a whole has nothing to read back: exit 10, and how to settle it', async ({
    linkctl,
    service,
    wire,
    file,
  }) => {
    await store(service, numbered(2));
    const [keyed, hashes] = [file('long_url,custom_hash\nhttps://a.example/,k0\n'), 'h0\nh1\n'];
    for (const [words, method, rows, hint] of [
      [['shorten', '-f', keyed], 'POST', '1 row', `repeat the command of the run (shorten rows.csv)`],
      [['delete', '--hashes-from', '-', '--yes'], 'DELETE', '2 rows', 'repeat the command of the run (delete --hashes-from -)'],
      [['shorten', 'https://a.example/'], 'POST', '1 row', 'check with: linkctl list'],
    ] as const) {
      await wire.script([lost(method)]);
      expect((await linkctl([...words, '--retries', '0'], { stdin: hashes, haste: 100 })).code).toBe(10);
      const [{ run = '' } = {}] = await runs(linkctl);
      expect(await verified(linkctl)).toEqual({
        code: 10,
        listed: [],
        stderr: `error: outcome unknown for ${rows} of run ${run}: nothing was checked\nhint: ${hint}\n`,
      });
    }
  });

  test('R-X10, B45: a change of tags in doubt is not verified, with links or without: exit 10, and how to settle it', async ({
    linkctl,
    service,
    wire,
  }) => {
    await store(service, [{ custom_hash: 'x', long_url: 'https://x.example/', tags: ['used'] }]);
    await linkctl(['tags', 'add', 'old', 'idle']);
    for (const [words, method] of [
      ['tags rename old new', 'PATCH'],
      ['tags add more', 'POST'],
      ['tags delete idle', 'DELETE'],
      ['tags delete used', 'DELETE'],
    ] as const) {
      await wire.script([{ ...lost(method), only: { method, path: '/tags' } }]);
      const flags = words.includes('delete') ? sure : [];
      expect((await linkctl([...words.split(' '), ...flags, '--retries', '0'], { haste: 100 })).code).toBe(10);
      const [{ run = '' } = {}] = await runs(linkctl);
      expect(await verified(linkctl)).toEqual({
        code: 10,
        listed: [],
        stderr: `error: outcome unknown for 1 tag of run ${run}: nothing was checked\nhint: repeat the command of the run (${words})\n`,
      });
    }
  });
});
