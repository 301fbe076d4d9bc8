#!/usr/bin/env node
const fs = require('node:fs');
const { dirname } = require('node:path');
const { Script } = require('node:vm');

/** V8 puts a checksum of its flags there into compiled code. */
const flagsPosition = 12;

/** All files are read into the same memory, because the system takes longer to give new memory than to read a file. */
let memory = Buffer.allocUnsafeSlow(2 ** 19);

// Checked first, because an older Node cannot load the program.
const needed = [20, 18, 1];
const found = process.versions.node.split('.').map(Number);
const difference = found[0] - needed[0] || found[1] - needed[1] || found[2] - needed[2];

if (require.main !== module) {
  module.exports = { compiledProgram };
} else if (difference < 0) {
  process.stderr.write(`error: linkctl needs Node ${needed.join('.')} or newer, this is ${process.versions.node}\n`);
  process.exitCode = 9;
} else {
  // Node 22 warns on stderr that SQLite is experimental, and scripts look for errors there.
  const { emitWarning } = process;
  process.emitWarning = (warning, ...rest) => {
    if (!/SQLite is an experimental feature/.test(String(warning))) emitWarning.call(process, warning, ...rest);
  };
  start();
}

function start() {
  const folder = builtProgram();
  if (!folder) {
    process.stderr.write('error: linkctl is not built: npm ci builds it\n');
    process.exitCode = 9;
    return;
  }
  // A name lookup blocks a thread. Dead name servers would block all four of Node's, and `check` would report other hosts as unreachable.
  if (process.argv.includes('check')) process.env.UV_THREADPOOL_SIZE ??= '36';
  // Makes stack traces refer to lines of src/. Loading the source maps takes longer than most commands, and cached code has none.
  const isDebugged = process.env.LINKCTL_DEBUG || process.argv.includes('--debug');
  if (isDebugged) process.setSourceMapsEnabled(true);
  const { load, keep } = isDebugged ? plainProgram(folder) : compiledProgram(folder);
  const { main, processSystem } = load('main.cjs');
  const system = processSystem();
  main(process.argv.slice(2), system).then((code) => {
    keep();
    // All output is written. Freeing what is in memory would take a short command a millisecond or two.
    system.exit(code);
  });
}

function plainProgram(folder) {
  return { load: (name) => require(`${folder}/${name}`), keep: () => undefined };
}

/** `put-in-place.mjs` writes the pointer to the last build. */
function builtProgram() {
  const dist = `${dirname(__dirname)}/dist`;
  try {
    return `${dist}/${fs.readFileSync(`${dist}/current`, 'utf8')}`;
  } catch {
    return undefined;
  }
}

/**
 * Loads the program in a folder with the code that V8 compiled in earlier runs under the same Node: `load('main.cjs')`. `keep` is for the end
 * of the work: it stores what this run and earlier ones called of all files, because the rest would take longer to load than to compile when it
 * is called. To look takes milliseconds, so only a run that found a file without code looks, and one in 32: a first run may have failed early.
 * The cache is optional: files that are missing, stale or not writable are ignored. Only code that the owner of the program wrote is run,
 * because others may be able to write to the folder.
 */
function compiledProgram(folder) {
  const cache = `${folder}/code/${process.version}-${process.arch}`;
  let owner;
  const loaded = new Map();
  const scripts = new Map();
  // V8 accepts code only under the flags with which it was compiled, and some commands set flags.
  let flags;
  let isDue = process.pid % 32 === 0;
  let depth = 0;
  // Node's own `require` would look for each file and for the package that it belongs to.
  const load = (name) => {
    const known = loaded.get(name);
    if (known) return known.exports;
    const filename = `${folder}/${name}`;
    const file = read(filename);
    owner = file.uid;
    const source = `(function (exports, require, module, __dirname) {${file.bytes.latin1Slice()}\n})`;
    // Another file may need only a part of this one, so code that is kept for it does not tell what the command of this file calls.
    const place = depth > 0 ? `part-${name}` : name;
    const cachedData = readCode(`${cache}/${place}`, owner);
    const script = new Script(source, { filename, cachedData });
    const isStored = script.cachedDataRejected === false;
    flags ??= (isStored ? cachedData : script.createCachedData()).readUInt32LE(flagsPosition);
    isDue ||= !isStored;
    scripts.set(place, { script, size: isStored ? cachedData.length : 0 });
    const module = { exports: {} };
    loaded.set(name, module);
    const requireFrom = (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id));
    depth += 1;
    script.runInThisContext()(module.exports, requireFrom, module, folder);
    depth -= 1;
    return module.exports;
  };
  const keep = () => {
    const isOwner = process.getuid?.() === (process.getuid && owner);
    if (isDue && isOwner) writeCode(scripts, cache, flags);
  };
  return { load, keep };
}

/**
 * V8 trusts its input and may crash on damaged code, so each file holds the code twice and counts only if both copies are equal. A checksum
 * would need a module of Node that takes longer to load.
 */
function readCode(path, owner) {
  try {
    const { uid, mode, bytes } = read(path);
    if (process.getuid && (uid !== owner || mode & 0o022)) return undefined;
    const half = bytes.length / 2;
    const code = bytes.subarray(0, half);
    return half > 0 && code.equals(bytes.subarray(half)) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** The bytes are overwritten by the next file. Without `O_NONBLOCK`, opening a pipe would wait for its writer. */
function read(path) {
  const file = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    const stats = fs.fstatSync(file);
    if (!stats.isFile()) throw new Error(`${path} is not a regular file`);
    const { uid, mode, size } = stats;
    if (size > memory.length) memory = Buffer.allocUnsafeSlow(size);
    return { uid, mode, bytes: memory.subarray(0, fs.readSync(file, memory, 0, size, 0)) };
  } finally {
    fs.closeSync(file);
  }
}

function writeCode(scripts, cache, flags) {
  try {
    fs.mkdirSync(cache, { recursive: true, mode: 0o755 });
    for (const [name, { script, size }] of scripts) {
      const code = script.createCachedData();
      // In a long run V8 drops the code of functions that are not called any more.
      if (code.length <= size) continue;
      code.writeUInt32LE(flags, flagsPosition);
      const unfinished = `${cache}/${name}.${process.pid}`;
      fs.writeFileSync(unfinished, Buffer.concat([code, code]), { mode: 0o644 });
      fs.renameSync(unfinished, `${cache}/${name}`);
    }
  } catch {
    // The folder is read-only or the disk is full: the next start compiles again.
  }
}
