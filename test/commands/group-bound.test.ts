import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { sent, test } from '../support/linkctl.ts';

/** Two characters each, so that a group is bounded by its items and not by the length of the address. */
const hashes = Array.from({ length: 1100 }, (_, index) => (index + 36).toString(36).padStart(2, '0'));

/** How many items a call had, by what it asked for. */
function itemsOf({ call, body }: { call: string; body: unknown }): number {
  const list = /[?&]hashes=([^&]*)/.exec(call)?.[1];
  return list === undefined ? ((body as { urls: object[] }).urls?.length ?? 0) : list.split(',').length;
}

describe.for([
  ['a', [1000, 100]],
  ['b', [500, 500, 100]],
] as const)('B85, R-14: edition %s', ([edition, groups]) => {
  test.override({ edition });

  test(`B85: 1,100 links are made, listed, changed and deleted ${groups.length} calls each, and the bound is used up`, async ({
    linkctl,
    wire,
    folder,
  }) => {
    const rows = join(folder, 'rows.csv');
    const urls = join(folder, 'links.txt');
    const names = join(folder, 'hashes.txt');
    const edits = join(folder, 'edits.csv');
    writeFileSync(rows, `long_url,custom_hash\n${hashes.map((hash) => `https://example.com/${hash},${hash}\n`).join('')}`);
    writeFileSync(urls, hashes.map((hash) => `https://example.net/${hash}\n`).join(''));
    writeFileSync(names, hashes.map((hash) => `${hash}\n`).join(''));
    writeFileSync(edits, `hash,long_url\n${hashes.map((hash) => `${hash},https://example.org/${hash}\n`).join('')}`);
    expect(await linkctl(['shorten', '-f', rows])).toMatchObject({ code: 0 });
    // Calls that are in flight together can arrive in another order.
    const inOrder = ['--concurrency', '1'];
    const lines: [argv: string[], call: RegExp][] = [
      [['shorten', '-f', urls, ...inOrder], /^POST \/urls/],
      [['list', '--hashes-from', names], /^GET \/urls\?.*hashes=/],
      [['edit', '-f', edits, '--yes', ...inOrder], /^PATCH \/urls/],
      [['delete', '--hashes-from', names, '--yes', ...inOrder], /^DELETE \/urls\?.*hashes=/],
    ];
    for (const [argv, call] of lines) {
      const before = (await sent(wire)).length;
      expect(await linkctl(argv), argv.join(' ')).toMatchObject({ code: 0 });
      const calls = (await sent(wire)).slice(before).filter((one) => call.test(one.call));
      expect(calls.map(itemsOf), argv.join(' ')).toEqual(groups);
    }
  });
});
