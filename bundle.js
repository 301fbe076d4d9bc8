import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
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

const shared = { absWorkingDir: top, platform: 'node', target: 'node20.18', logLevel: 'warning', sourcesContent: false };

/** What is imported when used imports the core too. So the core's files have the same importers all, and esbuild puts them in one file. */
const oneCore = {
  name: 'one core',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' ? { namespace: 'late', path: resolve(resolveDir, path) } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({
      contents: `import ${JSON.stringify(core)}; export * from ${JSON.stringify(path)};`,
      resolveDir: dirname(path),
    }));
  },
};

/** commander would start programs for subcommands that are files of their own; ours never are, and the module takes 2 ms. */
const noSubprocesses = {
  name: 'no subprocesses',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      importer.includes(join('node_modules', 'commander')) ? { namespace: 'none', path: 'child_process' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'none' }, () => ({ contents: 'module.exports = {};' }));
  },
};

mkdirSync(outdir, { recursive: true });
writeFileSync(join(outdir, 'package.json'), '{ "type": "commonjs" }\n');
for (const { path, text } of await split()) await writeCommonJs(path, text);

/** esbuild splits ES modules only. */
async function split() {
  const { outputFiles } = await build({
    ...shared,
    entryPoints: [core],
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    sourcemap: 'inline',
    write: false,
    external,
    plugins: [oneCore, noSubprocesses],
  });
  return outputFiles;
}

/** Names stay and lines are mapped, so that a trace of a bug of ours can be read (B48). */
async function writeCommonJs(path, text) {
  const { code, map } = await transform(text, {
    ...shared,
    format: 'cjs',
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: 'external',
    sourcefile: path,
    supported: { 'dynamic-import': false },
    legalComments: 'none',
  });
  writeFileSync(path, `${code}//# sourceMappingURL=${basename(path)}.map\n`);
  writeFileSync(`${path}.map`, map);
}
