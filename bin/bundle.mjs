import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { putInPlace } from './put-in-place.mjs';

/**
 * Makes the program that is released: `node bin/bundle.mjs --dist=dist`; `--names` keeps those of functions, for a profile. One file
 * for what every command line needs, one for each thing that is imported only when it is used, in CommonJS, whose loader starts
 * several milliseconds sooner. All of it lies in a folder of its own, which is put in the place of the one before when it is whole.
 */
const top = join(import.meta.dirname, '..');
const { dist, names } = parseArgs({
  options: { dist: { type: 'string', default: 'dist' }, names: { type: 'boolean', default: false } },
}).values;
/** No two builds share one: V8 takes any source of the same length for the one that its code was made of. */
const name = randomUUID().slice(0, 8);
const outdir = join(dist, name);
const entry = 'main.cjs';
const source = (name) => join(top, 'src', name);
/** Pages of help and completions need no more. */
const core = source('cli/main.ts');
/** Brings what the most usual line needs, most of which every command has. */
const program = source('cli/program.ts');

/** Only the sandbox and `serve` need it, and it is installed only where it can be. */
const external = ['@photostructure/sqlite'];

const minified = { minifySyntax: true, minifyWhitespace: true, minifyIdentifiers: !names };
const shared = {
  ...minified,
  platform: 'node',
  target: 'node20.18',
  logLevel: 'warning',
  sourcesContent: false,
  // They would stand behind the last statement; the licences of the libraries are in their packages.
  legalComments: 'none',
};

/**
 * What is imported when used imports what is always there by then, too. So those files have the same importers all, and esbuild
 * puts them in few large files instead of many small ones. Libraries that are imported so must be ES modules: of another kind
 * `export *` knows no names.
 */
const layers = {
  name: 'layers',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^:]+$/ }, ({ kind, path, resolveDir }) => {
      if (kind !== 'dynamic-import' || external.includes(path)) return undefined;
      return { namespace: 'late', path: path.startsWith('.') ? resolve(resolveDir, path) : path };
    });
    onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({
      contents: [
        ...[core, program].map((name) => `import ${JSON.stringify(name)};`),
        `export * from ${JSON.stringify(path)};`,
      ].join(''),
      resolveDir: top,
    }));
  },
};

/** Modules of Node that take time to load and that not every command line needs are loaded when something of theirs is first used. */
const onDemand = {
  name: 'on demand',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:(child_process|crypto|fs\/promises|net|os|timers\/promises|tty)$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? undefined : { namespace: 'on-demand', path },
    );
    // In the prototype, as that is all of a CommonJS module that esbuild hands on without reading it.
    onLoad({ filter: /.*/, namespace: 'on-demand' }, ({ path }) => ({
      contents: `let loaded;
        const get = (_, name) => (loaded ??= process.getBuiltinModule('${path}'))[name];
        module.exports = Object.create(new Proxy({}, { get }));`,
    }));
  },
};

mkdirSync(outdir, { recursive: true });
await writeModules(await split());
await writeFiles();
// Code that was made under other flags is of no use.
const env = { ...process.env, NODE_OPTIONS: '' };
execFileSync(process.execPath, [join(import.meta.dirname, 'record-code.mjs'), outdir], { env, stdio: 'pipe' });
putInPlace(dist, name);

/** esbuild splits ES modules only. */
async function split() {
  const { outputFiles } = await build({
    ...shared,
    absWorkingDir: top,
    entryPoints: [core],
    outdir: resolve(outdir),
    outExtension: { '.js': '.cjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    sourcemap: 'inline',
    write: false,
    external,
    plugins: [layers, onDemand],
  });
  return outputFiles.map(parsed);
}

/** A module as esbuild prints it: imports first, and a last statement that says under which names it exports what. */
function parsed({ path, text }) {
  const name = basename(path);
  const [head] = /^(?:import[^"]*"[^"]+";\s*)*/.exec(text);
  const last = /export\{([^}]*)\};\s*(?=\/\/# )/.exec(text);
  if (!last) throw new Error(`${name} does not end with its exports`);
  const imported = new Map();
  for (const [, list, origin] of head.matchAll(/import\{([^}]*)\}from"([^"]+)"/g)) {
    for (const [local, from] of namesIn(list)) imported.set(local, { origin, from });
  }
  const isBare = last.index <= head.length;
  return { name, text: text.replace(last[0], ''), isBare, imported, exported: namesIn(last[1]) };
}

/** `a as b,c`: b is a, and c is c. */
function namesIn(list) {
  return new Map(
    list
      .split(',')
      .map((pair) => pair.split(' as '))
      .map(([from, to = from]) => [to, from]),
  );
}

/**
 * Modules that only hand on what another one holds are left out, and that one goes by both names: each file that is loaded takes a
 * third of a millisecond.
 */
async function writeModules(modules) {
  const written = new Map(modules.map((module) => [module.name, module]));
  for (const { name, isBare, imported, exported } of modules) {
    const [origin, ...others] = new Set([...exported.values()].map((local) => imported.get(local)?.origin));
    const held = written.get(basename(origin ?? ''));
    if (!isBare || others.length > 0 || !held) continue;
    for (const [to, local] of exported) held.exported.set(to, held.exported.get(imported.get(local).from));
    // Outside, the entry is known by its name.
    if (name === entry) held.name = name;
    written.set(name, held);
  }
  for (const module of new Set(written.values())) await writeCommonJs(module, (name) => written.get(name).name);
}

/** Mapped, so that a trace of a bug of ours can be read (B48). */
async function writeCommonJs({ name, text, imported, exported }, nameOf) {
  const place = (path) => (path.startsWith('./') ? `./${nameOf(basename(path))}` : path);
  const names = [...exported].map(([to, local]) => {
    const found = imported.get(local);
    return `${to}:${found ? `require("${place(found.origin)}").${found.from}` : local}`;
  });
  await build({
    ...shared,
    stdin: { contents: text, sourcefile: name },
    outfile: join(outdir, name),
    bundle: true,
    treeShaking: false,
    // What is exported is known by name.
    minifyIdentifiers: false,
    format: 'cjs',
    define: { 'import.meta.dirname': '__dirname' },
    sourcemap: true,
    supported: { 'dynamic-import': false },
    external,
    plugins: [
      {
        name: 'written modules',
        setup: ({ onResolve }) => onResolve({ filter: /^\.\// }, ({ path }) => ({ path: place(path), external: true })),
      },
    ],
    // Values instead of getters: one file asks the other for its functions a million times in a long run. In the prototype, as
    // esbuild copies what an imported module has of its own.
    footer: { js: `module.exports=Object.create({__esModule:true,${names}});` },
  });
}

/** What is printed for `--version` and every `--help`, and the commands, so that nothing has to be put together when somebody asks. */
async function writeFiles() {
  const { storedFiles } = createRequire(import.meta.url)(resolve(outdir, 'main.cjs'));
  mkdirSync(join(outdir, 'pages'), { recursive: true });
  for (const [name, text] of await storedFiles()) writeFileSync(join(outdir, name), text);
}
