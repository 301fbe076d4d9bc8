import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeRows } from './rows.js';
import { createWorld } from './world.js';

/**
 * `npm run bench:profile -- [what]`: where the time of one run goes, by file of the source and by function.
 * `what` is `shorten`, `list` or a command line of one's own after `--`.
 */
/** Source maps of the program's files, read once. */
const maps = new Map();
const { positionals } = parseArgs({ allowPositionals: true });
const world = createWorld({ names: true });
const server = await world.canned({ total: 100_000 });
try {
  const folder = world.path('profile');
  const argv = lineOf(positionals);
  execFileSync(process.execPath, ['--cpu-prof', '--cpu-prof-dir', folder, world.program, ...argv], {
    env: { ...process.env, ...server.env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const file of readdirSync(folder)) print(JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')));
  rmSync(folder, { recursive: true });
} finally {
  await server.stop();
  world.remove();
}

function lineOf([what = 'shorten', ...more]) {
  if (what === 'list') return ['list', '--all', '-o', 'jsonl'];
  if (what !== 'shorten') return [what, ...more];
  writeRows(world.path('rows.csv'), 100_000);
  return ['shorten', '-f', world.path('rows.csv'), '--results', world.path('results.csv'), '-q', '--yes'];
}

function print({ nodes, samples, timeDeltas }) {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const total = timeDeltas.reduce((sum, delta) => sum + delta, 0);
  process.stdout.write(`${(total / 1000).toFixed(0)} ms\n`);
  for (const part of ['file', 'name']) {
    const times = new Map();
    for (const [index, id] of samples.entries()) {
      const key = places.get(id)[part];
      times.set(key, (times.get(key) ?? 0) + timeDeltas[index]);
    }
    process.stdout.write('\n');
    for (const [key, time] of [...times].sort(([, one], [, other]) => other - one).slice(0, 30)) {
      const share = ((100 * time) / total).toFixed(1);
      process.stdout.write(`${share.padStart(5)} %  ${(time / 1000).toFixed(0).padStart(6)} ms  ${key}\n`);
    }
  }
}

/** The file of the source that a function stands in, and the function. */
function placeOf({ functionName, url, lineNumber, columnNumber }) {
  const map = mapOf(url);
  const source = map?.findEntry(lineNumber, columnNumber).originalSource?.replace(/^.*?\/(src|node_modules)\//, '$1/');
  const file = source ?? (url || functionName);
  return { file, name: `${functionName || '(anonymous)'} in ${file}` };
}

function mapOf(url) {
  if (!maps.has(url)) {
    const path = `${url.startsWith('file:') ? fileURLToPath(url) : url}.map`;
    maps.set(url, existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : undefined);
  }
  return maps.get(url);
}
