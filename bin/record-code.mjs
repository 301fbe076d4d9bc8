import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { codeFolder, createLoader, packed } from './code-cache.js';

/**
 * Keeps the code that V8 makes of the program: `node bin/record-code.mjs <its folder>`. The main jobs are done in this process, with the
 * program's own service for a server, and what was compiled for them is written down for `code-cache.js`. What nothing called
 * is compiled when it is, as ever; so a line that fails here costs time later, and nothing else.
 */
const program = resolve(process.argv[2]);
const scripts = new Map();
// The folder of whoever builds is nobody's business: V8 keeps the names of files with their code.
const onLoad = (name, script) => scripts.set(name, script);
const load = createLoader(program, { onLoad, place: 'linkctl/dist' });
const { main, processSystem } = load('./main.cjs');
const home = mkdtempSync(join(tmpdir(), 'linkctl-build-'));
const system = { ...processSystem(), env: { HOME: home } };

try {
  await doMainJobs();
} finally {
  rmSync(home, { recursive: true, force: true });
}
const folder = codeFolder(program);
mkdirSync(folder, { recursive: true });
for (const [name, script] of scripts) writeFileSync(join(folder, name), packed(script.createCachedData()));

async function doMainJobs() {
  const { account, stop } = await startService();
  if (!account) return;
  const { base_url, username, api_key } = account;
  const login = ['auth', 'login', '--base-url', base_url, '--username', username, '--edition', 'a', '--with-key'];
  await main(login, { ...system, stdin: Readable.from([api_key]) });
  await main(['shorten', 'https://nodejs.org/en/learn', '--hash', 'learn'], system);
  await main(['list'], system);
  const rows = join(home, 'rows.csv');
  const lines = Array.from({ length: 2000 }, (_, index) => `https://nodejs.org/${index},h${index},docs\n`);
  writeFileSync(rows, `long_url,custom_hash,tags\n${lines.join('')}`);
  await main(['shorten', '-f', rows, '--results', join(home, 'results.csv'), '--yes'], system);
  await stop();
}

/** `serve` under way; without an account where the storage engine is missing. */
async function startService() {
  const listeners = [];
  let announce;
  const announced = new Promise((resolve) => {
    announce = resolve;
  });
  const write = (text, done) => {
    announce(JSON.parse(text));
    done?.();
  };
  const onSignal = (_, listener) => {
    listeners.push(listener);
    return () => {};
  };
  const ended = main(['serve', '--port', '0', '-o', 'json'], { ...system, stdout: { write, on() {}, off() {} }, onSignal });
  return {
    account: await Promise.race([announced, ended.then(() => undefined)]),
    async stop() {
      listeners[0]();
      await ended;
    },
  };
}
