const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

// What Node puts around a CommonJS module.
const head = '(function (exports, require, module, __filename, __dirname) { ';

/** Names the folder of `dist` that holds the program: `put-in-place.mjs`. */
exports.pointer = 'current';

/** The folder of the program that was built last. Throws where none was. */
exports.builtProgram = (dist) => join(dist, readFileSync(join(dist, exports.pointer), 'utf8'));

/** Where the code of the files of a program lies, by their names. */
exports.codeFolder = (folder) => join(folder, 'code');

/**
 * A `require` for the files of a program that takes the code which V8 made of them when it was built: compiling them anew takes
 * longer than anything else that a short command line does. What has none, and all of it under another Node, is compiled as
 * ever. `onLoad(name, script)` hears of each file; `place` is where traces say that they are; `gone(error)` makes the error of a
 * file that is not there.
 */
exports.createLoader = (folder, { onLoad = () => {}, place = folder, gone = (error) => error } = {}) => {
  const code = exports.codeFolder(folder);
  const maker = thisNode();
  const modules = new Map();

  function load(name) {
    const known = modules.get(name);
    if (known) return known.exports;
    const path = join(folder, name);
    const source = `${head}${textOf(path)}\n})`;
    const module = { exports: {} };
    modules.set(name, module);
    const cachedData = unpacked(read(join(code, name)), maker);
    const script = new Script(source, { filename: join(place, name), columnOffset: -head.length, cachedData });
    onLoad(name, script);
    script.runInThisContext()(module.exports, need, module, path, folder);
    return module.exports;
  }

  function textOf(path) {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      throw gone(error);
    }
  }

  const need = (name) => (name.startsWith('./') ? load(name) : require(name));
  return need;
};

/**
 * Code as it is kept: behind the Node that made it, and twice. V8 would take code of another build of its version, and crash over code
 * that was damaged, or run it; a digest takes longer to load than this takes to compare.
 */
exports.packed = (code) => Buffer.concat([thisNode(), code, code]);

function unpacked(bytes, maker) {
  if (!bytes?.subarray(0, maker.length).equals(maker)) return undefined;
  const middle = (maker.length + bytes.length) / 2;
  const code = bytes.subarray(maker.length, middle);
  return code.length > 0 && code.equals(bytes.subarray(middle)) ? code : undefined;
}

function thisNode() {
  const { arch, config, platform, versions } = process;
  const built = Object.entries(config.variables).filter(([name]) => name.startsWith('v8_'));
  return Buffer.from(JSON.stringify([platform, arch, versions, built]));
}

function read(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
