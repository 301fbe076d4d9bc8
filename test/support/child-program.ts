import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** Bundles a small TypeScript program, so that it can be run, stopped and killed as a process of its own. */
export async function buildChild(entry: string): Promise<ChildProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'linkctl-child-'));
  const file = join(folder, 'child.mjs');
  await build({
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    plugins: [storageEngine],
    // Packages that are CommonJS inside call `require` for what Node has built in.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return {
    file,
    start: (argv, env = {}) =>
      spawn(process.execPath, [file, ...argv], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** One engine finds its binary beside its own files, and the driver of the other is CommonJS: both are imported from where they are installed. */
const storageEngine: Plugin = {
  name: 'storage engine',
  setup: (bundle) => {
    const { resolve } = createRequire(import.meta.url);
    const files = {
      '@photostructure/sqlite': resolve('@photostructure/sqlite'),
      pg: join(resolve('pg'), '..', '..', 'esm', 'index.mjs'),
    };
    for (const [name, file] of Object.entries(files)) {
      bundle.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: pathToFileURL(file).href, external: true }));
    }
  },
};

export interface ChildProgram {
  /** The bundle, for `node <file>` from a shell. */
  readonly file: string;
  start(argv: readonly string[], env?: Record<string, string>): ChildProcess;
  remove(): void;
}

/** How a process ended, and what it said on stderr. */
export async function ended(child: ChildProcess): Promise<{ code: number | null; signal: string | null; stderr: string }> {
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdout?.resume();
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.once('close', (...how) => resolve(how)),
  );
  return { code, signal, stderr };
}
