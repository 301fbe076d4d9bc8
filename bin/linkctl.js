#!/usr/bin/env node
// Nothing is imported before Node's version is known: what follows needs the newest of what it asks for (B98).
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
  const { builtProgram, createLoader } = require('./code-cache.js');
  let folder;
  try {
    folder = builtProgram(require('node:path').join(__dirname, '..', 'dist'));
  } catch {
    process.stderr.write('error: linkctl is not built: npm ci builds it\n');
    process.exitCode = 9;
    return;
  }
  const program = load(folder, createLoader);
  program.main(process.argv.slice(2), program.processSystem()).then((code) => {
    process.exitCode = code;
  });
}

function load(folder, createLoader) {
  if (!process.env.LINKCTL_DEBUG && !process.argv.includes('--debug')) {
    // Heard of when the program is there, and loads what few commands need.
    const program = createLoader(folder, { gone: (error) => program.partGone(error) })('./main.cjs');
    return program;
  }
  // Traces of our own bugs then name lines of src/ (B48); reading the maps takes longer than most commands, so only for those who look.
  process.setSourceMapsEnabled(true);
  return require(`${folder}/main.cjs`);
}
