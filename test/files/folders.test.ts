import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { runInjected } from '../support/injected.ts';
import { test } from '../support/linkctl.ts';

/** A run that makes its folders, on a system that answers a sync of this folder so. */
async function runWith(error: string, path: string, env: Record<string, string>, folder: string) {
  writeFileSync(join(folder, 'links.txt'), 'https://example.com/1\n');
  const argv = ['shorten', '-f', join(folder, 'links.txt')];
  return await runInjected(argv, env, { calls: ['fsync'], answer: `error=${error}`, path });
}

describe('E67: a folder that cannot be synced', () => {
  test.for(['EINVAL', 'EOPNOTSUPP', 'ENOSYS', 'EBADF', 'EISDIR', 'EPERM'])(
    'E67: %s, as some file systems say, stops no run',
    async (error, { folder, env }) => {
      const runs = join(folder, '.local/state/linkctl/runs');
      expect(await runWith(error, runs, env, folder)).toMatchObject({ code: 0 });
    },
  );

  test('E67: a disk that fails stops it', async ({ folder, env }) => {
    const runs = join(folder, '.local/state/linkctl/runs');
    const stopped = await runWith('EIO', runs, env, folder);
    expect(stopped).toMatchObject({ code: 9, stdout: '', stderr: expect.stringContaining('the disk reported an error') });
  });

  test.for([
    ['EACCES', 0],
    ['EOPNOTSUPP', 0],
    ['ETIMEDOUT', 0],
    ['EIO', 9],
    ['ENOSPC', 9],
  ] as const)('E67: above our own folder, %s ends the run with exit %i', async ([error, code], { folder, env }) => {
    expect(await runWith(error, folder, env, folder)).toMatchObject({ code });
  });
});

test('R-X11: a folder that another process removes right when it is found is made again', async ({ folder, env }) => {
  writeFileSync(join(folder, 'links.txt'), 'https://example.com/1\n');
  const path = join(folder, '.local/state/linkctl/locks');
  const found = { calls: ['mkdir'], answer: 'error=EEXIST:when=1', path };
  expect(await runInjected(['shorten', '-f', join(folder, 'links.txt')], env, found)).toMatchObject({ code: 0 });
});
