const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

// What Node puts around a CommonJS module.
const head = '(function (exports, require, module, __filename, __dirname) { ';

/** Where the code of the files in `dist` lies, by their names, and `madeBy`: the Node that made it. */
exports.codeFolder = (dist) => join(dist, 'code');
exports.madeBy = 'node.json';

/** V8 takes the code of another build of its version, and knows nothing of how that was configured: so builds are compared whole. */
exports.thisNode = () => JSON.stringify([process.platform, process.arch, process.versions, process.config]);

/**
 * A `require` for the files of `dist` that takes the code which V8 made of them when the program was built: compiling them anew takes
 * longer than anything else that a short command line does. What has none, and all of it under another Node, is compiled as
 * ever. `onLoad(name, script)` hears of each file; `place` is where traces say that they are.
 */
exports.createLoader = (dist, onLoad = () => {}, place = dist) => {
  const folder = exports.codeFolder(dist);
  const isOurs = read(join(folder, exports.madeBy))?.toString() === exports.thisNode();
  const modules = new Map();

  function load(name) {
    const known = modules.get(name);
    if (known) return known.exports;
    const module = { exports: {} };
    modules.set(name, module);
    const path = join(dist, name);
    const source = `${head}${readFileSync(path, 'utf8')}\n})`;
    const cachedData = isOurs ? whole(read(join(folder, name))) : undefined;
    const script = new Script(source, { filename: join(place, name), columnOffset: -head.length, cachedData });
    onLoad(name, script);
    script.runInThisContext()(module.exports, need, module, path, dist);
    return module.exports;
  }

  const need = (name) => (name.startsWith('./') ? load(name) : require(name));
  return need;
};

/** V8 crashes over code that was damaged, or runs it: so it is there twice, and a digest would take longer to load than to compare. */
exports.twice = (code) => Buffer.concat([code, code]);

function whole(bytes = Buffer.alloc(0)) {
  const half = bytes.length / 2;
  const code = bytes.subarray(0, half);
  return half > 0 && code.equals(bytes.subarray(half)) ? code : undefined;
}

function read(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
