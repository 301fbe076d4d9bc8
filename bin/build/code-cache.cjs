const { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { PassThrough } = require('node:stream');
const { load, loaded } = require('./executable-start.cjs');

/**
 * `node code-cache.cjs FOLDER SUM` writes the code cache of each file of a program to `FILE.code`. Functions of frequent commands are
 * compiled for the next start, the rest at their first call. V8 stores a checksum of its flags at byte 12 and accepts only code with its
 * own: SUM is that of a normal start, because this process has flags that make builds reproducible.
 */
const [folder, usualFlags] = process.argv.slice(2);
const from = { source: (name) => readFileSync(join(folder, name), 'latin1'), code: () => new ArrayBuffer(0) };
const home = mkdtempSync(join(tmpdir(), 'linkctl-build-'));
const rows = join(home, 'rows.csv');
writeFileSync(rows, 'long_url,hash,tags\nhttps://example.com/1,one,a\nhttps://example.com/2,two,a b\n');

const lines = [
  '--version',
  'shorten --help',
  'shorten https://example.com/ --hash first --tag a',
  'list -o json',
  `shorten -f ${rows}`,
  'list --all',
  'stats first',
  'edit first --url https://example.com/x',
  'runs list',
  'tags',
  'delete first --yes',
];

/** By time and chance other functions would run, or in another order: as those that show progress, or sort runs by their names. */
let step = 0;
const time = () => Date.UTC(2026, 0, 1) + (step += 1);
const randomBytes = (count) => Buffer.alloc(count, (step += 1) % 256);

async function run() {
  const { main, processSystem } = load('main.cjs', from);
  for (const line of lines) {
    const stream = () => new PassThrough().resume();
    const env = { HOME: home, LINKCTL_PROFILE: 'sandbox' };
    const code = await main(line.split(' '), { ...processSystem(), now: time, elapsed: time, randomBytes, env, stdin: stream().end(), stdout: stream(), stderr: stream(), onCrash: () => {} });
    if (code !== 0) throw new Error(`linkctl ${line}: exit ${code}`);
  }
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.cjs'))) {
    const code = loaded.get(name)?.script.createCachedData() ?? Buffer.alloc(0);
    if (code.length > 0) code.writeUInt32LE(Number(usualFlags), 12);
    writeFileSync(join(folder, `${name}.code`), code);
  }
}

run().finally(() => rmSync(home, { recursive: true }));
