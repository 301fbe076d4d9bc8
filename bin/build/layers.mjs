import { readFileSync } from 'node:fs';
import { basename, join, normalize, relative } from 'node:path';

/**
 * A command loads code in layers, each one file: of these modules and what they import, without what an earlier layer has. A module that is
 * imported on demand loads the whole of each layer that it needs anything of. What such modules share beside the layers gets files of its
 * own. Only the first module of a layer is imported on demand itself.
 */
export const layers = [
  // Version, streams, failures, and what help and completion share with commands.
  ['cli/main', 'base/quoted', 'contract/tag-label', 'help/text-layout', 'help/typed-line'],
  // Command lines, and what a mistake in one needs.
  ['cli/program', 'base/near-names'],
  // Accounts, calls, printed rows, and the names that completion offers.
  [
    'cli/runner',
    'cli/session',
    'base/fingerprint',
    'base/seen-keys',
    'bulk/past-runs/run-names',
    'client/batch-limits',
    'completion/label-cache',
    'flags/missing-input',
  ],
  // New links that are typed, and their record.
  ['commands/shorten/shortening'],
  // Links that a command is about: named, and listed.
  ['select/selection-flags', 'select/link-selection', 'select/named-selection', 'select/named-rows'],
  ['select/listed-selection', 'client/filtered-pages', 'client/whole-listing'],
  // What links were before.
  ['bulk/journal/images'],
  // Columns of terminals.
  ['output/display-width'],
  // Changes of links that exist; questions about them; clicks of links that are deleted.
  ['change/links', 'bulk/beginning/preflight', 'bulk/sending/links-before', 'flags/run-flags'],
  ['change/consent'],
  ['change/history-notes', 'history/noted-changes'],
].map((modules) => modules.map((module) => `src/${module}.ts`));

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
export const layered = (inputs, { top, external }) => ({
  name: 'layers',
  setup({ onResolve, onLoad, onEnd, resolve }) {
    const missing = layers.flat().filter((module) => !inputs[module]);
    if (missing.length > 0) throw new Error(`layers.mjs names what is no module of the program: ${missing.join(', ')}`);
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
    onEnd(({ metafile }) => {
      const isEmpty = ({ entryPoint, exports }) => entryPoint && exports.length === 0;
      const empty = Object.values(metafile?.outputs ?? {}).find(isEmpty);
      if (empty) throw new Error(`${empty.entryPoint} exports nothing: only of an ES module can the names be listed`);
    });
  },
});

/** For a layer that is imported on demand esbuild makes two files: a list of its names, and its code. */
function homes(outputs) {
  const fileOf = (isWanted) => Object.keys(outputs).find((file) => isWanted(outputs[file]));
  const pairs = layers.map(([layer]) => [
    fileOf(({ inputs }) => inputs[layer]),
    fileOf(({ entryPoint }) => entryPoint === layer || entryPoint === `later:${layer}`),
  ]);
  return new Map(pairs.filter(([code, list]) => list && list !== code));
}

/** Names that a module as esbuild writes it takes from a file. */
function importedNames(text, path) {
  return [...text.matchAll(/\bimport\s*\{([^}]*)\}\s*from\s*"([^"]+)"/g)]
    .filter(([, , from]) => from === path)
    .flatMap(([, names]) => names.split(',').map((name) => name.trim().split(/\s/)[0]))
    .filter(Boolean);
}

/**
 * Makes a script of each file that esbuild has split; `files` are their paths. The code of a layer takes the place of the list of its names,
 * so that a command opens one file. A script exports plain values, in an object without a prototype, and takes what it imports into variables:
 * the getters that esbuild would define for each name, and what V8 keeps for each name of an ordinary object, take a short command a tenth of
 * its own time.
 */
export function scripts(outputs, { top, modules }) {
  const home = homes(outputs);
  const codeOf = new Map([...home].map(([code, list]) => [list, code]));
  /** What a script exports, and the file that has it. */
  const namesOf = (file) =>
    new Map([file, codeOf.get(file)].filter(Boolean).flatMap((part) => outputs[part].exports.map((name) => [name, part])));
  const setup = ({ onResolve, onLoad }) => {
    onResolve({ filter: /.*/ }, ({ path, importer, kind, namespace }) => {
      if (kind === 'entry-point') return { namespace: 'script', path: normalize(path) };
      if (namespace === 'script') return { path: join(top, path) };
      const file = relative(top, join(modules, path));
      const list = home.get(file) ?? file;
      if (list !== file && list === relative(top, importer)) return undefined;
      // A module of Node.
      if (!outputs[list]) return { path, external: true };
      const script = `./${basename(list)}`;
      if (kind !== 'import-statement') return { path: script, external: true };
      return { namespace: 'imported', path: `${basename(importer)} of ${script}`, pluginData: { importer, script, path } };
    });
    onLoad({ filter: /.*/, namespace: 'imported' }, ({ pluginData: { importer, script, path } }) => {
      const names = importedNames(readFileSync(importer, 'utf8'), path).join(', ');
      return { contents: `const { ${names} } = require('${script}'); export { ${names} };` };
    });
    onLoad({ filter: /.*/, namespace: 'script' }, ({ path: file }) => {
      const names = namesOf(file);
      const imports = [...names].map(([name, part]) => `import { ${name} } from '${part}';`);
      return {
        contents: `${imports.join('\n')}\nmodule.exports = { __proto__: null, ${[...names.keys()].join(', ')} };`,
        resolveDir: top,
      };
    });
    // What is imported on demand is such a script or a module of Node, too.
    onLoad({ filter: /\.cjs$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/\bimport\(("(?:\.\/|node:)[^"]+")\)/g, '(async()=>require($1))()'),
      loader: 'js',
    }));
  };
  const files = Object.keys(outputs).filter((file) => file.endsWith('.cjs') && !home.has(file));
  return { files, plugin: { name: 'scripts', setup } };
}
