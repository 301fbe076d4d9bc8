// The entry point of the executable, which contains the files of the program with their compiled code (`executable.mjs`).
const { getRawAsset, isSea } = require('node:sea');
const { Script } = require('node:vm');

/** The files of the program and their code caches. The build reads them from a folder instead. */
const inside = { source: (name) => Buffer.from(getRawAsset(name)).latin1Slice(), code: (name) => getRawAsset(`${name}.code`) };
/** The program loads only this package by its name. */
const packages = { pg: 'pg.cjs' };
const loaded = new Map();

/** Implements `require` for the files of the program and the modules of Node. */
function load(name, from = inside) {
  const path = /^(?:\.\/)?(.+\.cjs)$/.exec(name)?.[1] ?? packages[name];
  if (!path) return require(name);
  const known = loaded.get(path);
  if (known) return known.module.exports;
  const module = { exports: {} };
  const source = `(function (exports, require, module, __dirname) {${from.source(path)}\n})`;
  const code = from.code(path);
  const script = new Script(source, { filename: path, ...(code.byteLength > 0 ? { cachedData: new Uint8Array(code) } : {}) });
  loaded.set(path, { module, script });
  // The path does not exist as a file; `partGone` in src/cli/main.ts asks for the location of the program.
  script.runInThisContext()(module.exports, (other) => load(other, from), module, process.execPath);
  return module.exports;
}

if (isSea()) {
  if (process.argv.includes('check')) process.env.UV_THREADPOOL_SIZE ??= '36';
  const { main, processSystem } = load('main.cjs');
  main(process.argv.slice(2), processSystem()).then((code) => {
    process.exitCode = code;
  });
} else {
  module.exports = { load, loaded };
}
