import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { licenseSections, packagesIn, section } from './licenses.mjs';
import { nodeFolder, nodeLicense, run, runnerOf, targets } from './node-binaries.mjs';
import { stripped } from './stripped.mjs';

const postject = createRequire(import.meta.url).resolve('postject/dist/cli.js');

/** What every executable holds: the program of `dist`, and the driver of PostgreSQL, which is installed beside it elsewhere. */
export async function filesInside({ top, dist, cache, folder }) {
  cpSync(dist, folder, { recursive: true, filter: (path) => !path.endsWith('.map') });
  const { metafile } = await build({
    entryPoints: [join(top, 'node_modules', 'pg', 'esm', 'index.mjs')],
    outfile: join(folder, 'pg.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    minify: true,
    // An engine in C for the same, which nobody asks for.
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

/** One file that is the program and the Node that runs it: `executable-start.cjs` begins. Answers whether compiled code is in it. */
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
  // All are of one version, so that any of them can write it for the others.
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

function configOf(folder, output) {
  return {
    // Its path is written into the executable, so it is the same wherever that is made.
    main: 'executable-start.cjs',
    output,
    assets: Object.fromEntries(
      readdirSync(folder)
        .sort()
        .map((name) => [name, join(folder, name)]),
    ),
    disableExperimentalSEAWarning: true,
    // Node's storage engine is called experimental on stderr, where scripts look for errors.
    execArgv: ['--disable-warning=ExperimentalWarning'],
    // What is set for Node on a computer is not meant for this program.
    execArgvExtension: 'none',
  };
}

/**
 * The same at every build, by these flags, where the machine is not busy: at a load of 26 a few bytes of it differed, and why is not found
 * yet. Empty where programs of the target cannot be run here: then V8 compiles at the start.
 */
function compile(folder, runner) {
  if (runner) {
    const usual = run(...runner, '-p', 'new vm.Script("").createCachedData().readUInt32LE(12)').trim();
    const flags = ['--predictable', '--hash-seed=1', '--random-seed=1', '--no-flush-bytecode'];
    run(...runner, ...flags, join(import.meta.dirname, 'compiled-code.cjs'), folder, usual);
  } else {
    for (const name of readdirSync(folder)) if (name.endsWith('.cjs')) writeFileSync(join(folder, `${name}.code`), '');
  }
}
