import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { layered, layers, scripts } from './layers.mjs';
import { licensesOf, packagesIn } from './licenses.mjs';
import { putInPlace } from './put-in-place.mjs';

/**
 * Builds the program: `node bin/build/bundle.mjs --dist=dist`. `--names` keeps the names of functions, for profiling; `--name` is the name
 * of the folder; `--packages` names a file for the list of bundled packages (`package.mjs`). `layers.mjs` says what is in which file. A build is a folder of its own in `dist`, put in place when it is
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
/** Optional packages of the sandbox and `serve`, which are not installed on every platform. */
const external = ['@photostructure/sqlite', 'pg'];

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

/** Pages of help, and suggestions for mistyped words, are our own (src/help); those of commander would be loaded by every command. */
const withoutHelpOfCommander = {
  name: 'without help of commander',
  setup({ onLoad }) {
    onLoad({ filter: /\/commander\/lib\/(help|suggestSimilar)\.js$/ }, () => ({
      contents: `exports.Help = class { prepareContext() {} };
        exports.stripColor = (text) => text;
        exports.suggestSimilar = () => '';`,
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

const plugins = [onDemand, withoutHelpOfCommander, ownManifest];
const whole = {
  ...shared,
  metafile: true,
  minifyIdentifiers: !names,
  entryPoints: [layers[0][0]],
  outdir: modules,
  bundle: true,
  splitting: true,
  format: 'esm',
  external,
};
const { inputs } = (await build({ ...whole, write: false, plugins })).metafile;
// esbuild can split only ES modules, while Node loads CommonJS several milliseconds faster: so it splits first and converts then.
const { metafile } = await build({ ...whole, plugins: [layered(inputs, { top, external }), ...plugins] });
const { files, plugin } = scripts(metafile.outputs, { top, modules });
await build({
  ...shared,
  entryPoints: files,
  outdir: folder,
  bundle: true,
  format: 'cjs',
  // Without a second list of its exports, which only imports by ES modules need.
  platform: 'neutral',
  minifyIdentifiers: !names,
  define: { 'import.meta.dirname': '__dirname' },
  supported: { 'dynamic-import': false },
  plugins: [plugin],
});
rmSync(modules, { recursive: true });
const { storedFiles } = createRequire(import.meta.url)(join(folder, 'main.cjs'));
for (const [name, text] of Object.entries(await storedFiles())) writeFileSync(join(folder, name), text);
writeFileSync(join(folder, 'licenses.txt'), licensesOf(top, metafile));
if (packages) writeFileSync(packages, JSON.stringify(packagesIn(metafile)));
putInPlace(dist, name);
