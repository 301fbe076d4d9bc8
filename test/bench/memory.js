import { shortenFile } from './bulk.js';
import { median, runInTurn } from './processes.js';
import { writeRows } from './rows.js';

/** PERFORMANCE.md section 2: peak memory must not grow with the rows. */
export async function memory(world) {
  const sizes = world.quick ? [1000, 20_000, 100_000] : [100_000, 1_000_000, 5_000_000];
  const peaks = { shorten: [], list: [] };
  for (const count of sizes) {
    const path = world.path(`rows-${count}.csv`);
    writeRows(path, count);
    const server = await world.canned({ total: count });
    try {
      peaks.shorten.push(await peakOf(shortenFile(path, server, world), count));
      peaks.list.push(await peakOf({ argv: world.linkctl('list', '--all', '-o', 'jsonl'), env: server.env }, count));
    } finally {
      await server.stop();
    }
  }
  const rows = [...growth('shorten -f', peaks.shorten, sizes), ...growth('list --all', peaks.list, sizes)];
  // Small sizes say how large the program is, and nothing of growth.
  return world.quick ? rows.map(({ most: _, ...row }) => row) : rows;
}

async function peakOf(command, count) {
  const [samples] = await runInTurn([command], { rounds: count > 1_000_000 ? 1 : 3, warmups: 0 });
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
    { what: `${what}, peak memory`, unit: `${most} / ${many}`, value: third / second, most: 1.15 },
    { what: `${what}, peak memory`, unit: `${most} / ${few}`, value: third / first, most: 1.4 },
  ];
}
