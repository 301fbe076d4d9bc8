#!/usr/bin/env node
// Written so that an old Node can parse it and say what is wrong (B98).
var found = process.versions.node.split('.').map(Number);
var needed = [20, 18, 1];
var difference = found[0] - needed[0] || found[1] - needed[1] || found[2] - needed[2];

if (difference < 0) {
  process.stderr.write('error: linkctl needs Node ' + needed.join('.') + ' or newer, this is ' + process.versions.node + '\n');
  process.exitCode = 9;
} else {
  // Node 22 calls its storage engine experimental on stderr, where scripts look for errors.
  var emitWarning = process.emitWarning;
  process.emitWarning = function (warning, type) {
    if (type !== 'ExperimentalWarning' || !/SQLite/.test(String(warning))) emitWarning.apply(process, arguments);
  };
  import('../dist/main.js').then(function (tool) {
    return tool.main(process.argv.slice(2), tool.processSystem());
  }).then(function (code) {
    process.exitCode = code;
  });
}
