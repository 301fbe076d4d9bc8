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
  // Traces of our own bugs then name lines of src/ (B48); reading the maps takes longer than most commands, so only for those who look.
  if (process.env.LINKCTL_DEBUG || process.argv.includes('--debug')) process.setSourceMapsEnabled(true);
  const { main, processSystem } = require('../dist/main.cjs');
  main(process.argv.slice(2), processSystem()).then((code) => {
    process.exitCode = code;
  });
}
