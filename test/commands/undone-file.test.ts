import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test } from '../support/linkctl.ts';
import { stored } from '../support/stored-links.ts';
import { undoLast } from './undo-world.ts';

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('U2: a file whose run was undone is shortened anew', async ({ linkctl, folder, service }) => {
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'long_url,custom_hash\nhttps://example.com/1,h1\nhttps://example.com/2,h2\n');
    expect((await linkctl(['shorten', '-f', file])).code).toBe(0);
    expect((await linkctl(['shorten', '-f', file])).code).toBe(2);
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await stored(service)).toHaveLength(0);
    expect(await linkctl(['shorten', '-f', file])).toMatchObject({ code: 0, stderr: expect.stringContaining('2 created') });
    expect(await stored(service)).toHaveLength(2);
  });
});
