// The entry point of the executable, which contains the files of the program with their compiled code (`executable.mjs`).
const { getRawAsset, isSea } = require('node:sea');
const { Script } = require('node:vm');

/** The program loads only this package by its name. */
const packages = { pg: 'pg.cjs' };
const loaded = new Map();
// All files lie in one asset: Node reads the list of assets at every start.
const program = isSea() && getRawAsset('program');
const places = isSea() && JSON.parse(Buffer.from(getRawAsset('places')).latin1Slice());

/** Implements `require` for the files of the program and the modules of Node. */
function load(name) {
  const path = /^(?:\.\/)?(.+\.cjs)$/.exec(name)?.[1] ?? packages[name];
  if (!path) return require(name);
  const known = loaded.get(path);
  if (known) return known.exports;
  const module = { exports: {} };
  loaded.set(path, module);
  const { source, code } = places[path];
  const script = scriptOf(path, Buffer.from(program, ...source), new Uint8Array(program, ...code));
  // The path does not exist as a file; `partGone` in src/cli/main.ts asks for the location of the program.
  script.runInThisContext()(module.exports, load, module, process.execPath);
  return module.exports;
}

/** V8 accepts a code cache only with exactly the text that it was made from. Compiles the text if the code cache is empty or missing. */
function scriptOf(name, bytes, code) {
  const source = `(function (exports, require, module, __dirname) {${bytes.latin1Slice()}\n})`;
  return new Script(source, { filename: name, cachedData: code?.length > 0 ? code : undefined });
}

if (isSea()) {
  if (process.argv.includes('check')) process.env.UV_THREADPOOL_SIZE ??= '36';
  const { main, processSystem } = load('main.cjs');
  // All output is written. Freeing what is in memory would take a short command a millisecond or two.
  main(process.argv.slice(2), processSystem()).then((code) => process.exit(code));
} else {
  module.exports = { scriptOf };
}
