import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { licensesOf, packagesIn } from './licenses.mjs';
import { putInPlace } from './put-in-place.mjs';

/**
 * Builds the program: `node bin/build/bundle.mjs --dist=dist`. `--names` keeps the names of functions, for profiling; `--name` is the name
 * of the folder; `--packages` names a file for the list of bundled packages (`package.mjs`). One file contains the code that every command
 * line needs, and one each the modules that are imported on demand. A build is a folder of its own in `dist`, put in place when it is
 * complete.
 */
const top = join(import.meta.dirname, '..', '..');
const { dist, name, names, packages } = parseArgs({
  options: {
    dist: { type: 'string', default: 'dist' },
    name: { type: 'string', default: randomUUID().slice(0, 8) },
    names: { type: 'boolean', default: false },
    packages: { type: 'string' },
  },
}).values;
const folder = resolve(dist, name);
const modules = join(folder, 'modules');
/** Help and completions need only the first. The second adds commander and the code of most commands. */
const [core, program] = ['./src/cli/main.ts', './src/cli/program.ts'];
/** Optional packages of the sandbox and `serve`, which are not installed on every platform. */
const external = ['@photostructure/sqlite', 'pg'];

/**
 * Dynamic imports always run after the core and the program have been loaded. Declaring that gives all such files the same imports, so that
 * esbuild puts their shared code into a few large files. A library that is imported dynamically must be an ES module, because `export *`
 * cannot list the names of others.
 */
const layers = {
  name: 'layers',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^:]+$/ }, ({ kind, path, resolveDir }) => {
      if (kind !== 'dynamic-import' || external.includes(path)) return undefined;
      return { namespace: 'later', path: path.startsWith('.') ? `./${relative(top, resolve(resolveDir, path))}` : path };
    });
    onLoad({ filter: /.*/, namespace: 'later' }, ({ path }) => ({
      contents: `import '${core}'; import '${program}'; export * from '${path}';`,
      resolveDir: top,
    }));
  },
};

/** Modules of Node that are slow to load and rarely needed are loaded on first use. */
const onDemand = {
  name: 'on demand',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:(child_process|crypto|fs\/promises|net|os|sea|timers\/promises|tty)$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? undefined : { namespace: 'on-demand', path },
    );
    // A proxy as the prototype, because esbuild copies the own properties of a CommonJS module, which would load it.
    onLoad({ filter: /.*/, namespace: 'on-demand' }, ({ path }) => ({
      contents: `let loaded;
        const get = (_, name) => (loaded ??= process.getBuiltinModule('${path}'))[name];
        module.exports = Object.create(new Proxy({}, { get }));`,
    }));
  },
};

/** The program prints its version and home page; the rest of the manifest is for npm. */
const ownManifest = {
  name: 'own manifest',
  setup({ onLoad }) {
    onLoad({ filter: /\/package\.json$/ }, ({ path }) => {
      if (path !== join(top, 'package.json')) return undefined;
      const { version, homepage, bugs } = JSON.parse(readFileSync(path, 'utf8'));
      return { contents: JSON.stringify({ version, homepage, bugs }), loader: 'json' };
    });
  },
};

const shared = {
  // File names are content hashes, which must not depend on the location of the sources.
  absWorkingDir: top,
  platform: 'node',
  target: 'node20.18',
  outExtension: { '.js': '.cjs' },
  // Source maps make the stack trace of a bug readable.
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
  minifySyntax: true,
  minifyWhitespace: true,
};

// esbuild can split only ES modules, while Node loads CommonJS several milliseconds faster: so it splits first and converts then.
const { metafile } = await build({
  ...shared,
  metafile: true,
  entryPoints: [core],
  outdir: modules,
  bundle: true,
  splitting: true,
  format: 'esm',
  external,
  plugins: [layers, onDemand, ownManifest],
});
await build({
  ...shared,
  entryPoints: [join(modules, '*.cjs')],
  outdir: folder,
  format: 'cjs',
  minifyIdentifiers: !names,
  define: { 'import.meta.dirname': '__dirname' },
  supported: { 'dynamic-import': false },
  // Replaces getters by values because a long run calls functions across files a million times.
  footer: { js: 'module.exports = { __esModule: true, ...module.exports };' },
});
rmSync(modules, { recursive: true });
const { wholeTree } = createRequire(import.meta.url)(join(folder, 'main.cjs'));
writeFileSync(join(folder, 'commands.json'), JSON.stringify(await wholeTree()));
writeFileSync(join(folder, 'licenses.txt'), licensesOf(top, metafile));
if (packages) writeFileSync(packages, JSON.stringify(packagesIn(metafile)));
putInPlace(dist, name);
