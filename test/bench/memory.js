import { shortenFile } from './bulk.js';
import { median, runInTurn } from './processes.js';
import { writeRows } from './rows.js';

/** Peak memory must not grow with the rows. */
export async function memory(world) {
  const sizes = world.quick ? [1000, 20_000, 100_000] : [100_000, 1_000_000, 5_000_000];
  const peaks = new Map();
  for (const count of sizes) {
    const server = await world.canned({ total: count });
    try {
      for (const [what, command] of commandsFor(count, server, world)) {
        peaks.set(what, [...(peaks.get(what) ?? []), await peakOf(command, count)]);
      }
    } finally {
      await server.stop();
    }
  }
  const rows = [...peaks].flatMap(([what, found]) => growth(what, found, sizes));
  // Small sizes say how large the program is, and nothing of growth.
  return world.quick ? rows.map(({ most: _, ...row }) => row) : rows;
}

function commandsFor(count, server, world) {
  const file = (form) => {
    const path = world.path(`${form}.csv`);
    writeRows(path, count, { form });
    return path;
  };
  const change = (...argv) => ({ argv: world.linkctl(...argv, '-q', '--yes'), env: server.env, remove: [world.runs] });
  const list = (format) => ({
    argv: world.linkctl('list', '--all', '-o', format),
    env: server.env,
    out: world.path('listing.out'),
  });
  return [
    ['shorten -f', shortenFile(file('shorten'), server, world)],
    ['edit -f', change('edit', '-f', file('edit'))],
    ['delete --hashes-from', change('delete', '--hashes-from', file('hashes'))],
    ...['jsonl', 'json', 'csv', 'tsv'].map((format) => [`list --all -o ${format}`, list(format)]),
  ];
}

async function peakOf(command, count) {
  const [samples] = await runInTurn([command], { rounds: count >= 1_000_000 ? 1 : 3, warmups: 0 });
  return median(samples.map(({ peak }) => peak));
}

function growth(what, [first, second, third], sizes) {
  const [few, many, most] = sizes.map((count) => count.toLocaleString('en'));
  return [
    {
      what: `${what} ${most} rows, peak memory`,
      unit: 'MB',
      value: third,
      most: 220,
      note: `${first.toFixed(0)}, ${second.toFixed(0)}, ${third.toFixed(0)} MB`,
    },
    { what: `${what}, peak memory`, unit: `x that of ${many}`, value: third / second, most: 1.15 },
    { what: `${what}, peak memory`, unit: `x that of ${few}`, value: third / first, most: 1.4 },
  ];
}
