// The entry point of the executable, which contains the files of the program with their compiled code (`executable.mjs`).
const { getRawAsset, isSea } = require('node:sea');
const { Script } = require('node:vm');

/** The program loads only this package by its name. */
const packages = { pg: 'pg.cjs' };

/** Returns `require` for the files of the program and the modules of Node. `scriptFor` compiles a file; `folder` is what it sees as its own. */
function loader(scriptFor, folder) {
  const loaded = new Map();
  const load = (name) => {
    const path = /^(?:\.\/)?(.+\.cjs)$/.exec(name)?.[1] ?? packages[name];
    if (!path) return require(name);
    const known = loaded.get(path);
    if (known) return known.exports;
    const module = { exports: {} };
    loaded.set(path, module);
    scriptFor(path).runInThisContext()(module.exports, load, module, folder);
    return module.exports;
  };
  return load;
}

/** V8 accepts a code cache only with exactly the text that it was made from. Compiles the text if the code cache is empty or missing. */
function scriptOf(name, bytes, code) {
  const source = `(function (exports, require, module, __dirname) {${bytes.latin1Slice()}\n})`;
  return new Script(source, { filename: name, cachedData: code?.length > 0 ? code : undefined });
}

if (isSea()) {
  if (process.argv.includes('check')) process.env.UV_THREADPOOL_SIZE ??= '36';
  // All files lie in one asset: Node reads the list of assets at every start.
  const program = getRawAsset('program');
  const places = JSON.parse(Buffer.from(getRawAsset('places')).latin1Slice());
  const scriptFor = (name) => {
    const { source, code } = places[name];
    return scriptOf(name, Buffer.from(program, ...source), new Uint8Array(program, ...code));
  };
  // No file has this path; `partGone` in src/cli/main.ts asks for the location of the program.
  const { main, processSystem } = loader(scriptFor, process.execPath)('main.cjs');
  // All output is written. Freeing what is in memory would take a short command a millisecond or two.
  const system = processSystem();
  main(process.argv.slice(2), system).then((code) => system.exit(code));
} else {
  module.exports = { loader, scriptOf };
}
