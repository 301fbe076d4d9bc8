import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build, transform } from 'esbuild';

/**
 * Makes the program that is released: `node bundle.js --outdir=dist`. One file for what every command line needs, one for each
 * thing that is imported only when it is used, in CommonJS, whose loader starts several milliseconds sooner.
 */
const top = import.meta.dirname;
const { outdir } = parseArgs({ options: { outdir: { type: 'string', default: 'dist' } } }).values;
const core = join(top, 'src', 'main.ts');

/** Only the sandbox and `serve` need it, and it is installed only where it can be. */
const external = ['@photostructure/sqlite'];

const shared = { minify: true, platform: 'node', target: 'node20.18', logLevel: 'warning', sourcesContent: false };

/** What is imported when used imports the core too. So the core's files have the same importers all, and esbuild puts them in one file. */
const oneCore = {
  name: 'one core',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' ? { namespace: 'late', path: resolve(resolveDir, path) } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({
      contents: `import ${JSON.stringify(core)}; export * from ${JSON.stringify(path)};`,
      resolveDir: top,
    }));
  },
};

/** Modules of Node that take time to load and that not every command line needs are loaded when something of theirs is first used. */
const onDemand = {
  name: 'on demand',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:(child_process|crypto|fs\/promises|net|os|timers\/promises)$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? undefined : { namespace: 'on-demand', path },
    );
    // In the prototype, as that is all of a CommonJS module that esbuild hands on without reading it.
    onLoad({ filter: /.*/, namespace: 'on-demand' }, ({ path }) => ({
      contents: `module.exports = Object.create(new Proxy({}, { get: (_, name) => process.getBuiltinModule('${path}')[name] }));`,
    }));
  },
};

mkdirSync(outdir, { recursive: true });
for (const { path, text } of await split()) await writeCommonJs(path, text);

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
    plugins: [oneCore, onDemand],
  });
  return outputFiles;
}

/** Mapped, so that a trace of a bug of ours can be read (B48). */
async function writeCommonJs(path, text) {
  const { code, map } = await transform(text, {
    ...shared,
    format: 'cjs',
    sourcemap: 'external',
    sourcefile: path,
    supported: { 'dynamic-import': false },
    legalComments: 'none',
  });
  writeFileSync(path, `${code}//# sourceMappingURL=${basename(path)}.map\n`);
  writeFileSync(`${path}.map`, map);
}
