// The beginning of the one executable: `executable.mjs`. The program's files are inside, each with code that V8 has compiled.
const { getRawAsset, isSea } = require('node:sea');
const { Script } = require('node:vm');

/** Files of the program by name, and what V8 compiled them to. In the build they come from a folder. */
const inside = { source: (name) => Buffer.from(getRawAsset(name)).latin1Slice(), code: (name) => getRawAsset(`${name}.code`) };
/** The only package that is loaded by its name. */
const packages = { pg: 'pg.cjs' };
const loaded = new Map();

/** `require` of the program: its own files, and what Node has built in. */
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
  // No file lies there: `partGone` in src/cli/main.ts asks for the place of the program.
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
