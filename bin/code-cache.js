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
 * ever. `onLoad(name, script)` hears of each file.
 */
exports.createLoader = (dist, onLoad = () => {}) => {
  const folder = exports.codeFolder(dist);
  const isOurs = read(join(folder, exports.madeBy))?.toString() === exports.thisNode();
  const modules = new Map();

  function load(name) {
    const known = modules.get(name);
    if (known) return known.exports;
    const module = { exports: {} };
    modules.set(name, module);
    const filename = join(dist, name);
    const source = `${head}${readFileSync(filename, 'utf8')}\n})`;
    const cachedData = isOurs ? read(join(folder, name)) : undefined;
    const script = new Script(source, { filename, columnOffset: -head.length, cachedData });
    onLoad(name, script);
    script.runInThisContext()(module.exports, need, module, filename, dist);
    return module.exports;
  }

  const need = (name) => (name.startsWith('./') ? load(name) : require(name));
  return need;
};

function read(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
