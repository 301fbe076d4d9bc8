import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from './processes.js';

const top = join(import.meta.dirname, '..', '..');

/** The program as it is released, in a folder of its own, with a home of its own. */
export function createWorld({ quick = false, names = false }) {
  const folder = mkdtempSync(join(tmpdir(), 'linkctl-bench-'));
  const bundle = [join(top, 'bin', 'build', 'bundle.mjs'), `--dist=${join(folder, 'dist')}`, ...(names ? ['--names'] : [])];
  execFileSync(process.execPath, bundle, { stdio: 'inherit' });
  for (const name of ['bin', 'package.json']) cpSync(join(top, name), join(folder, name), { recursive: true });
  symlinkSync(join(top, 'node_modules'), join(folder, 'node_modules'));
  const home = join(folder, 'home');
  mkdirSync(home);
  const program = join(folder, 'bin', 'linkctl.js');
  const executable = process.env.LINKCTL_TEST_EXECUTABLE;
  const env = { HOME: home, LANG: 'C.UTF-8' };
  return {
    quick,
    folder,
    program,
    env,
    /** Journals of runs: with them, the second run of a file would go on with the first. */
    runs: join(home, '.local', 'state', 'linkctl', 'runs'),
    /** A server that costs nothing, in a process of its own, and the environment that leads there. */
    async canned({ latency = 0, total = 1_000_000, onSale = 1 } = {}) {
      const numbers = [0, latency, total, onSale].map(String);
      const { line, stop } = await startServer([join(import.meta.dirname, 'canned-server.js'), ...numbers]);
      return { baseUrl: line, stop, env: { ...env, ...credentials(line) } };
    },
    // Or the one executable of `npm run package`, to be compared with the Node that is in it.
    linkctl: (...argv) => [...(executable ? [executable] : [process.execPath, program]), ...argv],
    path: (name) => join(folder, name),
    baseline: (name) => join(import.meta.dirname, 'baselines', name),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export function credentials(baseUrl, { username = 'ann', key = 'secret' } = {}) {
  return { LINKCTL_BASE_URL: baseUrl, LINKCTL_USERNAME: username, LINKCTL_API_KEY: key, LINKCTL_EDITION: 'a' };
}
