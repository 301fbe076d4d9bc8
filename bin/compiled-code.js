// A code cache beside the program: a short command would spend most of its time on compiling functions at their first call.
const fs = require('node:fs');
const { dirname, relative, sep } = require('node:path');
const { Script } = require('node:vm');

/**
 * Loads the `.cjs` files of a folder with the code that V8 compiled in an earlier run under the same Node. Returns a function that stores
 * the code of this run, for the end of the work, when V8 has compiled all that was called. The cache is optional: files that are missing,
 * stale or not writable are ignored. Only code that the owner of the program wrote is run, because others may be able to write to the
 * folder.
 */
exports.useCompiledCode = (folder, program) => {
  const cache = `${folder}/code/${process.version}-${process.arch}`;
  const owner = fs.statSync(program).uid;
  const compiled = new Map();
  // V8 accepts code only under the flags with which it was compiled, and some commands set flags. It caches sources by length and would not
  // read the data for one that it has compiled already.
  const sample = new Script('0').createCachedData();
  const haveFlagsChanged = () => new Script('1', { cachedData: sample }).cachedDataRejected;
  const loadScript = require.extensions['.js'];
  require.extensions['.cjs'] = (module, path) => {
    const name = relative(folder, path);
    if (name.includes(sep)) return loadScript(module, path);
    const cached = readCode(`${cache}/${name}`, owner);
    const source = `(function (exports, require, module, __filename, __dirname) {${fs.readFileSync(path, 'latin1')}\n})`;
    const script = new Script(source, { filename: path, cachedData: cached });
    if (!cached || script.cachedDataRejected) compiled.set(name, script);
    const load = script.runInThisContext();
    load.call(module.exports, module.exports, (id) => module.require(id), module, path, dirname(path));
  };
  return () => {
    const isOwner = process.getuid?.() === (process.getuid && owner);
    if (compiled.size > 0 && isOwner && !haveFlagsChanged()) writeCode(compiled, cache);
  };
};

/**
 * V8 trusts its input and may crash on damaged code, so each file holds the code twice and counts only if both copies are equal. A checksum
 * would need a module of Node that takes longer to load.
 */
function readCode(path, owner) {
  let file;
  try {
    file = fs.openSync(path, 'r');
    const { uid, mode } = fs.fstatSync(file);
    if (process.getuid && (uid !== owner || mode & 0o022)) return undefined;
    const bytes = fs.readFileSync(file);
    const code = bytes.subarray(0, bytes.length / 2);
    return code.length > 0 && code.equals(bytes.subarray(code.length)) ? code : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

function writeCode(compiled, cache) {
  try {
    fs.mkdirSync(cache, { recursive: true, mode: 0o755 });
    for (const [name, script] of compiled) {
      const code = script.createCachedData();
      const unfinished = `${cache}/${name}.${process.pid}`;
      fs.writeFileSync(unfinished, Buffer.concat([code, code]), { mode: 0o644 });
      fs.renameSync(unfinished, `${cache}/${name}`);
    }
  } catch {
    // The folder is read-only or the disk is full: the next start compiles again.
  }
}
