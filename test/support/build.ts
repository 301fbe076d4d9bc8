import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/**
 * Before the first test: what runs as a process is what the sources say now, in a folder of its own, so that a build or another
 * run of the tests beside this one does not pull it away.
 */
export function setup(): () => void {
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  // As Node will name it, where a link leads there.
  const folder = mkdtempSync(join(realpathSync(cache), 'linkctl-'));
  execFileSync(process.execPath, ['bin/build/bundle.mjs', `--dist=${join(folder, 'dist')}`], { cwd: root, stdio: 'inherit' });
  for (const name of ['bin', 'package.json']) cpSync(join(root, name), join(folder, name), { recursive: true });
  process.env.LINKCTL_TEST_PROGRAM = join(folder, 'bin', 'linkctl.js');
  return () => rmSync(folder, { recursive: true, force: true });
}
