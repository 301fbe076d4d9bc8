import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, relative, resolve } from 'node:path';
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
/**
 * A command loads code in layers, each one file: of these modules and what they import, without what an earlier layer has. A module that is
 * imported on demand loads the whole of each layer that it needs anything of. What such modules share beside the layers gets files of its
 * own. Only the first modules of the first three are imported on demand themselves.
 */
const layers = [
  // Version, streams, failures, and what help and completion share with commands.
  [
    'cli/main',
    'bulk/records/run-names',
    'completion/label-cache',
    'contract/tag-label',
    'help/text-layout',
    'help/typed-line',
    'profiles/config-file',
  ],
  // Command lines, accounts, calls, printed rows.
  [
    'cli/program',
    'client/seen-keys',
    'base/fingerprint',
    'cli/session',
    'client/batch-limits',
    'commands/qr/qr-flags',
    'flags/bulk-flags',
    'input/field-values',
    'output/url-columns',
  ],
  // New links that are typed, and their record.
  ['commands/shorten'],
  // Links that a command is about: named, and listed.
  ['select/selection-flags', 'select/link-selection', 'select/named-selection', 'select/named-rows'],
  ['select/listed-selection', 'client/filtered-pages', 'client/whole-listing'],
  // What links were before.
  ['bulk/journal/images'],
  // Columns of terminals.
  ['output/display-width'],
  // Changes of links that exist; questions about them; clicks of links that are deleted.
  ['change/links', 'bulk/beginning/preflight', 'bulk/sending/before'],
  ['change/consent'],
  ['change/history-notes', 'history/noted-changes'],
].map((modules) => modules.map((module) => `src/${module}.ts`));
/** Optional packages of the sandbox and `serve`, which are not installed on every platform. */
const external = ['@photostructure/sqlite', 'pg'];

/** The code that modules need as soon as they are loaded, by esbuild's metafile. */
function needsOf(modules, inputs, found = new Set()) {
  for (const path of modules) {
    if (found.has(path) || !inputs[path]) continue;
    found.add(path);
    const imports = inputs[path].imports.filter(({ kind }) => kind !== 'dynamic-import');
    needsOf(
      imports.map(({ path: other }) => other),
      inputs,
      found,
    );
  }
  return found;
}

/**
 * esbuild puts code into one file that the same modules need, so each module that is imported on demand imports its layers. A library must
 * be an ES module then, because `export *` cannot list the names of others.
 */
const layered = (inputs) => ({
  name: 'layers',
  setup({ onResolve, onLoad, resolve }) {
    const layerOf = new Map();
    for (const layer of layers) for (const path of needsOf(layer, inputs)) if (!layerOf.has(path)) layerOf.set(path, layer);
    onResolve({ filter: /^[^:]+$/ }, async ({ kind, path, resolveDir }) => {
      if (kind === 'entry-point') return { namespace: 'later', path: layers[0][0], pluginData: layers[0][0] };
      if (kind !== 'dynamic-import' || external.includes(path)) return undefined;
      const file = relative(top, (await resolve(path, { kind: 'import-statement', resolveDir })).path);
      // The file of a library is named for it.
      return { namespace: 'later', path: path.startsWith('.') ? file : path, pluginData: file };
    });
    onLoad({ filter: /.*/, namespace: 'later' }, ({ pluginData: file }) => {
      const needed = needsOf([file], inputs);
      // Helpers of esbuild are in the first layer, and most of what is imported on demand needs them.
      if (![...needed].some((one) => layerOf.get(one) === layers[0])) needsOf(layers[1], inputs, needed);
      const imports = layers.toReversed().flatMap((layer) => {
        if (![...needed].some((one) => layerOf.get(one) === layer)) return [];
        // The rest of a layer may need an earlier one.
        needsOf(layer, inputs, needed);
        return layer;
      });
      return {
        contents: `${imports.map((module) => `import './${module}';`).join(' ')} export * from './${file}';`,
        resolveDir: top,
      };
    });
  },
});

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

/** For a layer that is imported on demand esbuild makes two files: a list of its names, and its code, which takes the place of the list. */
function homes(outputs) {
  const fileOf = (isWanted) => Object.keys(outputs).find((file) => isWanted(outputs[file]));
  const pairs = layers.map(([layer]) => [
    fileOf(({ inputs }) => inputs[layer]),
    fileOf(({ entryPoint }) => entryPoint === layer || entryPoint === `later:${layer}`),
  ]);
  return new Map(pairs.filter(([, facade]) => facade));
}

const atHome = (home) => ({
  name: 'at home',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point') return undefined;
      const file = relative(top, join(modules, path));
      const facade = home.get(file);
      if (facade !== undefined && facade === relative(top, importer)) return undefined;
      return { path: facade ? `./${basename(facade)}` : path, external: true };
    });
    onLoad({ filter: /\.cjs$/ }, ({ path }) => {
      const held = [...home].find(([, facade]) => facade === relative(top, path))?.[0];
      if (!held) return undefined;
      return { contents: `${readFileSync(path, 'utf8')}\nexport * from './${basename(held)}';`, loader: 'js' };
    });
  },
});

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
const { metafile } = await build({ ...whole, plugins: [layered(inputs), ...plugins] });
const home = homes(metafile.outputs);
await build({
  ...shared,
  entryPoints: Object.keys(metafile.outputs).filter((file) => file.endsWith('.cjs') && !home.has(file)),
  outdir: folder,
  bundle: true,
  format: 'cjs',
  // Without a second list of its exports, which only imports by ES modules need.
  platform: 'neutral',
  minifyIdentifiers: !names,
  define: { 'import.meta.dirname': '__dirname' },
  supported: { 'dynamic-import': false },
  // Replaces getters by values because a long run calls functions across files a million times.
  footer: { js: 'module.exports = { __esModule: true, ...module.exports };' },
  plugins: [atHome(home)],
});
rmSync(modules, { recursive: true });
const { wholeTree } = createRequire(import.meta.url)(join(folder, 'main.cjs'));
writeFileSync(join(folder, 'commands.json'), JSON.stringify(await wholeTree()));
writeFileSync(join(folder, 'licenses.txt'), licensesOf(top, metafile));
if (packages) writeFileSync(packages, JSON.stringify(packagesIn(metafile)));
putInPlace(dist, name);
