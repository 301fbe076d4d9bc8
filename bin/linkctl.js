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
  const { main, processSystem } = program();
  main(process.argv.slice(2), processSystem()).then((code) => {
    process.exitCode = code;
  });
}

function program() {
  if (!process.env.LINKCTL_DEBUG && !process.argv.includes('--debug')) {
    return require('./code-cache.js').createLoader(require('node:path').join(__dirname, '..', 'dist'))('./main.cjs');
  }
  // Traces of our own bugs then name lines of src/ (B48); reading the maps takes longer than most commands, so only for those who look.
  process.setSourceMapsEnabled(true);
  return require('../dist/main.cjs');
}
