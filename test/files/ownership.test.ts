import { expect } from 'vitest';
import { runInjected } from '../support/injected.ts';
import { test } from '../support/linkctl.ts';

test('E66: a file system that refuses to change modes refuses nothing that is private already', async ({ env, linkctl }) => {
  await linkctl(['shorten', 'https://example.com/']);
  const world = { calls: ['chmod', 'fchmod', 'fchmodat'], answer: 'error=EPERM' };
  for (const nth of [1, 2]) {
    expect(await runInjected(['stats', '--record'], env, world), String(nth)).toMatchObject({ code: 0 });
  }
});
