#!/usr/bin/env node
// Nothing is imported before Node's version is checked: an older Node cannot load what follows (B98).
const needed = [20, 18, 1];
const found = process.versions.node.split('.').map(Number);
const difference = found[0] - needed[0] || found[1] - needed[1] || found[2] - needed[2];

if (difference < 0) {
  process.stderr.write(`error: linkctl needs Node ${needed.join('.')} or newer, this is ${process.versions.node}\n`);
  process.exitCode = 9;
} else {
  // Node 22 calls its storage engine experimental on stderr, where scripts look for errors.
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
  // Looking up a name holds a thread. Of Node's four, dead name servers would hold all, and `check` would call other hosts unreachable.
  if (process.argv.includes('check')) process.env.UV_THREADPOOL_SIZE ??= '36';
  // Traces of our own bugs then name lines of src/. Reading the maps takes longer than most commands, and kept code has none.
  const isDebugged = process.env.LINKCTL_DEBUG || process.argv.includes('--debug');
  if (isDebugged) process.setSourceMapsEnabled(true);
  const keepCompiledCode = isDebugged ? undefined : require('./compiled-code.js').useCompiledCode(folder, `${folder}/main.cjs`);
  const { main, processSystem } = require(`${folder}/main.cjs`);
  main(process.argv.slice(2), processSystem()).then((code) => {
    process.exitCode = code;
    keepCompiledCode?.();
  });
}

/** The folder of the last build: `put-in-place.mjs`. */
function builtProgram() {
  const dist = require('node:path').join(__dirname, '..', 'dist');
  try {
    return `${dist}/${require('node:fs').readFileSync(`${dist}/current`, 'utf8')}`;
  } catch {
    return undefined;
  }
}
