import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { writeRows } from './rows.js';
import { createWorld } from './world.js';

/**
 * `npm run bench:profile -- [what]`: where the time of one run goes, function by function.
 * `what` is `shorten`, `list` or a command line of one's own after `--`.
 */
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
  const functions = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map();
  for (const [index, id] of samples.entries()) {
    const name = functions.get(id);
    times.set(name, (times.get(name) ?? 0) + timeDeltas[index]);
  }
  const total = timeDeltas.reduce((sum, delta) => sum + delta, 0);
  process.stdout.write(`${(total / 1000).toFixed(0)} ms\n`);
  for (const [name, time] of [...times].sort(([, one], [, other]) => other - one).slice(0, 40)) {
    process.stdout.write(
      `${((100 * time) / total).toFixed(1).padStart(5)} %  ${(time / 1000).toFixed(0).padStart(6)} ms  ${name}\n`,
    );
  }
}

function nameOf({ functionName, url, lineNumber, columnNumber }) {
  return `${functionName || '(anonymous)'} ${url.split('/').at(-1)}:${lineNumber + 1}:${columnNumber + 1}`;
}
