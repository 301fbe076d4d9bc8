import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopSharedCluster } from './postgres.ts';

const root = join(import.meta.dirname, '..', '..');

/**
 * Before the first test: what runs as a process is what the sources say now, in a folder of its own, so that a build or another
 * run of the tests beside this one does not pull it away. Folders of tests are made in one folder, too.
 */
export function setup(): () => void {
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  // As Node will name it, where a link leads there.
  const folder = mkdtempSync(join(realpathSync(cache), 'linkctl-'));
  execFileSync(process.execPath, ['bin/build/bundle.mjs', `--dist=${join(folder, 'dist')}`], { cwd: root, stdio: 'inherit' });
  for (const name of ['bin', 'package.json']) cpSync(join(root, name), join(folder, name), { recursive: true });
  process.env.LINKCTL_TEST_PROGRAM = join(folder, 'bin', 'linkctl.js');
  const before = process.env.TMPDIR;
  const temporary = mkdtempSync(join(placeInMemory() ?? tmpdir(), 'linkctl-tests-'));
  process.env.TMPDIR = temporary;
  // The server's user must be able to reach its folder.
  chmodSync(temporary, 0o711);
  process.env.LINKCTL_TEST_CLUSTER = join(temporary, 'cluster');
  return () => {
    stopSharedCluster();
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    for (const made of [folder, temporary]) rmSync(made, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
}

/** Tests sync files thousands of times, which takes a busy disk most of their time. Undefined without room, or for no programs. */
function placeInMemory(): string | undefined {
  const place = '/dev/shm';
  const script = join(place, `linkctl-${process.pid}`);
  try {
    const { bavail, bsize } = statfsSync(place);
    if (bavail * bsize < 2 ** 31) return undefined;
    writeFileSync(script, '#!/bin/sh\n', { mode: 0o700 });
    execFileSync(script);
    return place;
  } catch {
    return undefined;
  } finally {
    rmSync(script, { force: true });
  }
}
