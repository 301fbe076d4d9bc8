const { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { loader, scriptOf } = require('./executable-start.cjs');

/**
 * `node code-cache.cjs FOLDER SUM` writes the code cache of each file of a program to `FILE.code`. Files that the usual commands
 * load have the code of what these call, because the rest would take longer to load than to compile when it is called; the others have all.
 * V8 stores a checksum of its flags at byte 12 and accepts only code with its own: SUM is that of a normal start.
 */
const [folder, usualFlags] = process.argv.slice(2);

const usual = [
  '--version',
  'help shorten',
  '__complete shor',
  'shorten --nosuch',
  'shorten https://example.com/',
  'list',
  'tags',
  '-p sandbox shorten https://example.com/',
];

const link = {
  hash: 'a',
  long_url: 'https://example.com/',
  short_url: 'go.example/a',
  short_url_with_protocol: 'https://go.example/a',
  total_clicks: 0,
  unique_clicks: 0,
  note: '',
  tags: ['a'],
  error: { code: 0, message: '' },
};
/** The answer to every call. */
const answer = JSON.stringify({ error: link.error, urls: [link], page: { total_count: 1 }, tags: [{ label: 'a' }] });

/** Runs the usual commands as a new user who has logged in. */
async function runUsual({ main, processSystem }) {
  const server = createServer((_request, response) => response.setHeader('content-type', 'application/json').end(answer));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const home = newHome(`http://127.0.0.1:${server.address().port}`);
  for (const name of Object.keys(process.env)) delete process.env[name];
  process.env.HOME = home;
  for (const line of usual) {
    const code = await main(line.split(' '), processSystem());
    if (code !== (line === 'shorten --nosuch' ? 2 : 0)) throw new Error(`${line}: exit code ${code}`);
  }
  server.close();
  rmSync(home, { recursive: true });
}

function newHome(baseUrl) {
  const home = mkdtempSync(join(tmpdir(), 'linkctl-'));
  const config = join(home, '.config', 'linkctl', 'config.json');
  const work = { base_url: baseUrl, username: 'ann', edition: 'a', api_key: 'secret' };
  mkdirSync(dirname(config), { recursive: true, mode: 0o700 });
  writeFileSync(config, JSON.stringify({ profiles: { work }, current_profile: 'work' }), { mode: 0o600 });
  return home;
}

async function writeCode() {
  const scripts = new Map();
  const scriptFor = (name) => {
    const script = scriptOf(name, readFileSync(join(folder, name)));
    scripts.set(name, script);
    return script;
  };
  await runUsual(loader(scriptFor, folder)('main.cjs'));
  setFlagsFromString('--no-lazy');
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.cjs'))) {
    const code = (scripts.get(name) ?? scriptFor(name)).createCachedData();
    code.writeUInt32LE(Number(usualFlags), 12);
    writeFileSync(join(folder, `${name}.code`), code);
  }
}

writeCode().then(() => process.exit());
