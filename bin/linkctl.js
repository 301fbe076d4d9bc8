#!/usr/bin/env node
// Checks the version before any import because an older Node cannot load the program.
const needed = [20, 18, 1];
const found = process.versions.node.split('.').map(Number);
const difference = found[0] - needed[0] || found[1] - needed[1] || found[2] - needed[2];

if (difference < 0) {
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
  const { load, keep } = isDebugged ? plainProgram(folder) : require('./compiled-code.js').compiledProgram(folder);
  const { main, processSystem } = load('main.cjs');
  main(process.argv.slice(2), processSystem()).then((code) => {
    keep();
    // All output is written. Freeing what is in memory would take a short command a millisecond or two.
    process.exit(code);
  });
}

function plainProgram(folder) {
  return { load: (name) => require(`${folder}/${name}`), keep: () => undefined };
}

/** `put-in-place.mjs` writes the pointer to the last build. */
function builtProgram() {
  const dist = require('node:path').join(__dirname, '..', 'dist');
  try {
    return `${dist}/${require('node:fs').readFileSync(`${dist}/current`, 'utf8')}`;
  } catch {
    return undefined;
  }
}
