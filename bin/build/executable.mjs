import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { licenseSections, packagesIn, section } from './licenses.mjs';
import { nodeFolder, nodeLicense, run, runnerOf, targets } from './node-binaries.mjs';
import { stripped } from './stripped.mjs';

const postject = createRequire(import.meta.url).resolve('postject/dist/cli.js');

/** Every executable contains the program of `dist` and the driver of PostgreSQL, which other packages install separately. */
export async function filesInside({ top, dist, cache, folder }) {
  cpSync(dist, folder, { recursive: true, filter: (path) => !path.endsWith('.map') });
  const { metafile } = await build({
    entryPoints: [join(top, 'node_modules', 'pg', 'esm', 'index.mjs')],
    outfile: join(folder, 'pg.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    minify: true,
    // An optional native driver that nothing uses.
    external: ['pg-native'],
    metafile: true,
    absWorkingDir: top,
  });
  const driver = packagesIn(metafile);
  const licenses = join(folder, 'licenses.txt');
  const all = readFileSync(licenses, 'utf8') + licenseSections(top, driver) + section('Node.js', nodeLicense(cache));
  writeFileSync(licenses, all);
  return driver;
}

/** Makes one file of Node and the program; `executable-start.cjs` is its entry point. Returns whether it contains compiled code. */
export function makeExecutable(target, { files, work, cache, path }) {
  const folder = join(work, target.name);
  cpSync(files, folder, { recursive: true });
  const node = join(nodeFolder(target, cache), target.binary);
  const runner = runnerOf(target, node);
  compile(folder, runner);
  const blob = `${folder}.blob`;
  writeFileSync(`${folder}.json`, JSON.stringify(configOf(blob, { ...programAssets(folder), ...dataAssets(folder) })));
  cpSync(join(import.meta.dirname, 'executable-start.cjs'), join(work, 'executable-start.cjs'));
  process.chdir(work);
  // All targets have the same version of Node, so any of them can write the blob for the others.
  const [writer] = targets.map((one) => runnerOf(one, join(nodeFolder(one, cache), one.binary))).filter(Boolean);
  run(...writer, '--experimental-sea-config', `${folder}.json`);
  const program = readFileSync(node);
  writeFileSync(path, target.debian ? stripped(program) : program, { mode: 0o755 });
  run(
    process.execPath,
    postject,
    path,
    'NODE_SEA_BLOB',
    blob,
    '--sentinel-fuse',
    'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
  );
  return runner !== undefined;
}

const nodeFlags = [
  // Node warns on stderr that SQLite is experimental, and scripts look for errors there.
  '--disable-warning=ExperimentalWarning',
  // In MB. V8 begins with one, which loading the program fills twice, and each time it stops to copy what is alive.
  '--min-semi-space-size=4',
  // In MB. Node 24 would let it grow to several times as much, which takes a long run 40 to 130 MB more and as much time.
  '--max-semi-space-size=16',
];

const isScript = (name) => name.endsWith('.cjs');

/** One asset of all files of the program and their code caches, and one that tells where each lies: its start and its length in bytes. */
function programAssets(folder) {
  const parts = [];
  const places = {};
  let end = 0;
  const put = (path) => {
    const bytes = readFileSync(path);
    const place = [end, bytes.length];
    // V8 copies a code cache that is not aligned.
    const padding = Buffer.alloc(-bytes.length & 7);
    parts.push(bytes, padding);
    end += bytes.length + padding.length;
    return place;
  };
  for (const name of readdirSync(folder).filter(isScript).sort()) {
    places[name] = { source: put(join(folder, name)), code: put(join(folder, `${name}.code`)) };
  }
  writeFileSync(`${folder}.program`, Buffer.concat(parts));
  writeFileSync(`${folder}.places`, JSON.stringify(places));
  return { program: `${folder}.program`, places: `${folder}.places` };
}

/** What the program reads as text. */
function dataAssets(folder) {
  const names = readdirSync(folder).filter((name) => !isScript(name) && !name.endsWith('.cjs.code'));
  return Object.fromEntries(names.sort().map((name) => [name, join(folder, name)]));
}

function configOf(output, assets) {
  return {
    // A relative path, because it is written into the executable, which must not depend on the folder.
    main: 'executable-start.cjs',
    output,
    assets,
    disableExperimentalSEAWarning: true,
    execArgv: nodeFlags,
    // NODE_OPTIONS of the user is not meant for this program.
    execArgvExtension: 'none',
  };
}

/** Each run gives the same bytes. A code cache says which functions V8 has compiled once more, and that depends on the time. */
const repeatable = ['--predictable', '--no-sparkplug', '--no-maglev', '--no-opt'];

/** V8 numbers what it compiles, also what Node calls when a connection has waited for a second. So a machine that stops gives other numbers. */
function untilTwoAgree(made) {
  for (let [before, now] = [made(), made()]; !now.equals(before); [before, now] = [now, made()]);
}

function codeOf(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.cjs.code'));
  return Buffer.concat(names.sort().map((name) => readFileSync(join(folder, name))));
}

/** Writes empty files if programs of the target cannot run here: then V8 compiles at the start. */
function compile(folder, runner) {
  if (runner) {
    const usual = run(...runner, ...nodeFlags, '-p', 'new vm.Script("").createCachedData().readUInt32LE(12)').trim();
    untilTwoAgree(() => {
      run(...runner, ...repeatable, join(import.meta.dirname, 'code-cache.cjs'), folder, usual);
      return codeOf(folder);
    });
  } else {
    for (const name of readdirSync(folder).filter(isScript)) writeFileSync(join(folder, `${name}.code`), '');
  }
}
