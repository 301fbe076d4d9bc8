import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { licensesOf, packagesIn } from './licenses.mjs';
import { putInPlace } from './put-in-place.mjs';

/**
 * Builds the program that is released: `node bin/build/bundle.mjs --dist=dist`; `--names` keeps the names of functions, for a profile.
 * `--name` is that of its folder, and `--packages` a file for the folders of the packages that are in it (`package.mjs`).
 * One file holds what every command line needs, one each thing that is imported only when it is used. A build is a folder of its
 * own in `dist`, put in place when it is complete.
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
/** Help and completions need no more than the first; the second brings commander and what most commands need. */
const [core, program] = ['./src/cli/main.ts', './src/cli/program.ts'];
/** Only the sandbox and `serve` need them, and they are installed only where they can be. */
const external = ['@photostructure/sqlite', 'pg'];

/**
 * What is imported when it is used finds the core and the program loaded. Saying so gives all such files the same imports, so that
 * esbuild puts what they share into few large files. A library that is imported like this must be an ES module: `export *` knows
 * no names of others.
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

/** Modules of Node that take time to load and that few command lines need are loaded at the first use of something in them. */
const onDemand = {
  name: 'on demand',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:(child_process|crypto|fs\/promises|net|os|sea|timers\/promises|tty)$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? undefined : { namespace: 'on-demand', path },
    );
    // In the prototype: esbuild copies what a CommonJS module has of its own, and that would load it.
    onLoad({ filter: /.*/, namespace: 'on-demand' }, ({ path }) => ({
      contents: `let loaded;
        const get = (_, name) => (loaded ??= process.getBuiltinModule('${path}'))[name];
        module.exports = Object.create(new Proxy({}, { get }));`,
    }));
  },
};

/** Of the manifest the program says its version and where its home is; the rest is for npm. */
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
  // Names of files are made of what is in them: nothing of it may depend on where the sources lie.
  absWorkingDir: top,
  platform: 'node',
  target: 'node20.18',
  outExtension: { '.js': '.cjs' },
  // Mapped, so that a trace of a bug of ours can be read (B48).
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
  minifySyntax: true,
  minifyWhitespace: true,
};

// esbuild splits ES modules only, and Node loads CommonJS several milliseconds sooner: so it splits first and converts then.
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
  // Values instead of getters: one file asks another for its functions a million times in a long run.
  footer: { js: 'module.exports = { __esModule: true, ...module.exports };' },
});
rmSync(modules, { recursive: true });
const { wholeTree } = createRequire(import.meta.url)(join(folder, 'main.cjs'));
writeFileSync(join(folder, 'commands.json'), JSON.stringify(await wholeTree()));
writeFileSync(join(folder, 'licenses.txt'), licensesOf(top, metafile));
if (packages) writeFileSync(packages, JSON.stringify(packagesIn(metafile)));
putInPlace(dist, name);
