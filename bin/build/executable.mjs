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
  writeFileSync(`${folder}.json`, JSON.stringify(configOf(folder, blob)));
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
];

function configOf(folder, output) {
  return {
    // A relative path, because it is written into the executable, which must not depend on the folder.
    main: 'executable-start.cjs',
    output,
    assets: Object.fromEntries(
      readdirSync(folder)
        .sort()
        .map((name) => [name, join(folder, name)]),
    ),
    disableExperimentalSEAWarning: true,
    execArgv: nodeFlags,
    // NODE_OPTIONS of the user is not meant for this program.
    execArgvExtension: 'none',
  };
}

/** Writes empty files if programs of the target cannot run here: then V8 compiles at the start. */
function compile(folder, runner) {
  if (runner) {
    const usual = run(...runner, ...nodeFlags, '-p', 'new vm.Script("").createCachedData().readUInt32LE(12)').trim();
    run(...runner, '--no-lazy', '--predictable', join(import.meta.dirname, 'code-cache.cjs'), folder, usual);
  } else {
    for (const name of readdirSync(folder)) if (name.endsWith('.cjs')) writeFileSync(join(folder, `${name}.code`), '');
  }
}
