const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { scriptOf } = require('./executable-start.cjs');

/**
 * `node --no-lazy --predictable code-cache.cjs FOLDER SUM` writes the code cache of each file of a program to `FILE.code`. It contains all
 * functions, and no function is called here, so that each build gives the same bytes. V8 stores a checksum of its flags at byte 12 and
 * accepts only code with its own: SUM is that of a normal start.
 */
const [folder, usualFlags] = process.argv.slice(2);
for (const name of readdirSync(folder).filter((file) => file.endsWith('.cjs'))) {
  const path = join(folder, name);
  const code = scriptOf(name, readFileSync(path)).createCachedData();
  code.writeUInt32LE(Number(usualFlags), 12);
  writeFileSync(`${path}.code`, code);
}
