import { median, minima, ratio, runInTurn } from './processes.js';

/** A whole account out of pages, against reading the pages and writing raw lines; and tables. */
export async function listing(world) {
  const total = world.quick ? 20_000 : 1_000_000;
  const server = await world.canned({ total });
  const out = world.path('listing.out');
  try {
    const formats = ['jsonl', 'csv', 'tsv', 'json'];
    const commands = [
      { argv: [process.execPath, world.baseline('read-pages.js'), server.baseUrl], out },
      ...formats.map((format) => ({ argv: world.linkctl('list', '--all', '-o', format), env: server.env, out })),
    ];
    const [raw, ...samples] = await runInTurn(commands, { rounds: world.quick ? 5 : 15 });
    const rows = formats.map((format, index) => ({
      what: `list --all ${total.toLocaleString('en')} links -o ${format}, rows/s`,
      unit: 'x raw lines',
      value: 1 / ratio(samples[index], raw),
      least: 0.6,
      note: `minima ${minima(raw, samples[index]).toFixed(2)}x; peak ${median(samples[index].map(({ peak }) => peak)).toFixed(0)} MB, raw ${median(raw.map(({ peak }) => peak)).toFixed(0)} MB`,
    }));
    return [...rows, await tables(world, out)];
  } finally {
    await server.stop();
  }
}

/** Ten times the rows may take ten times the time, and no more: 1 is linear. */
async function tables(world, out) {
  const sizes = world.quick ? [2000, 20_000] : [10_000, 100_000];
  const servers = await Promise.all(sizes.map((total) => world.canned({ total })));
  try {
    const commands = servers.map(({ env }) => ({ argv: world.linkctl('list', '--all', '-o', 'table'), env, out }));
    const [small, large] = await runInTurn(commands, { rounds: world.quick ? 3 : 15 });
    const note = `${median(large.map(({ wall }) => wall)).toFixed(1)} s for ${sizes[1].toLocaleString('en')}`;
    return {
      what: 'list -o table, ten times the rows',
      unit: 'x ten times the time',
      value: ratio(large, small) / 10,
      most: 1.1,
      note,
    };
  } finally {
    for (const { stop } of servers) await stop();
  }
}
