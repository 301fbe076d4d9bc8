// Compiled code, kept beside the program: most of the time of a short command would go into compiling functions at their first call.
const fs = require('node:fs');
const { dirname, relative, sep } = require('node:path');
const { Script } = require('node:vm');

/**
 * Loads the `.cjs` files of a folder with the code that V8 compiled in an earlier run under the same Node. Returns what keeps the code of
 * this run, to be called when the work is done: by then V8 has compiled what the work calls. The code is never needed: what is missing,
 * does not fit or cannot be written is left as it is. Only code that the owner of the program wrote is run, because a folder that others
 * may write to, too, could hold theirs.
 */
exports.useCompiledCode = (folder, program) => {
  const place = `${folder}/code/${process.version}-${process.arch}`;
  const owner = fs.statSync(program).uid;
  const compiled = new Map();
  // V8 takes code only under the flags that it was made under, and some commands set flags for their own work. It knows a source by its
  // length, and would not look at code for one that it has compiled already.
  const sample = new Script('0').createCachedData();
  const haveFlagsChanged = () => new Script('1', { cachedData: sample }).cachedDataRejected;
  const usual = require.extensions['.js'];
  require.extensions['.cjs'] = (module, path) => {
    const name = relative(folder, path);
    if (name.includes(sep)) return usual(module, path);
    const kept = keptCode(`${place}/${name}`, owner);
    const source = `(function (exports, require, module, __filename, __dirname) {${fs.readFileSync(path, 'latin1')}\n})`;
    const script = new Script(source, { filename: path, cachedData: kept });
    if (!kept || script.cachedDataRejected) compiled.set(name, script);
    const load = script.runInThisContext();
    load.call(module.exports, module.exports, (id) => module.require(id), module, path, dirname(path));
  };
  return () => {
    const isOwner = process.getuid?.() === (process.getuid && owner);
    if (compiled.size > 0 && isOwner && !haveFlagsChanged()) keep(compiled, place);
  };
};

/**
 * V8 trusts the code that it is given, down to a crash. So it is kept twice, and used where both are the same: a comparison needs no module
 * of Node's, a checksum would need one that takes longer to load.
 */
function keptCode(path, owner) {
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

function keep(compiled, place) {
  try {
    fs.mkdirSync(place, { recursive: true, mode: 0o755 });
    for (const [name, script] of compiled) {
      const code = script.createCachedData();
      const unfinished = `${place}/${name}.${process.pid}`;
      fs.writeFileSync(unfinished, Buffer.concat([code, code]), { mode: 0o644 });
      fs.renameSync(unfinished, `${place}/${name}`);
    }
  } catch {
    // A folder that is read-only, or a full disk: the next start compiles again.
  }
}
