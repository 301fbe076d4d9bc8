import { median, minima, ratio, runInTurn } from './processes.js';
import { writeRows } from './rows.js';

/** Changes of many links: finding them, keeping what they were, and the memory of both. */
export async function changes(world) {
  return [await reading(world), ...(await images(world)), ...(await peaks(world))];
}

const rewrite = ['rewrite', 'https://sale.example.com', 'https://club.example.com'];

/** One link of ten is planned; nothing is sent. */
async function reading(world) {
  const total = world.quick ? 20_000 : 1_000_000;
  const server = await world.canned({ total });
  const out = world.path('plan.out');
  try {
    const commands = [
      { argv: world.linkctl(...rewrite, '-n', '-o', 'jsonl', '-q'), env: server.env, out },
      { argv: world.linkctl('list', '--all', '-o', 'jsonl'), env: server.env, out },
    ];
    const [plan, list] = await runInTurn(commands, { rounds: world.quick ? 5 : 15 });
    return {
      what: `rewrite -n of ${(total / 10).toLocaleString('en')} of ${total.toLocaleString('en')} links, links/s`,
      unit: 'x list --all -o jsonl',
      value: 1 / ratio(plan, list),
      least: 0.8,
      note: `minima ${minima(list, plan).toFixed(2)}x; CPU ${ratio(plan, list, 'cpu').toFixed(2)}x`,
    };
  } finally {
    await server.stop();
  }
}

/** With `--results` links are read before they are changed with and without `--no-undo`: what is left is keeping them. */
async function images(world) {
  const count = world.quick ? 10_000 : 100_000;
  const path = world.path('hashes.txt');
  writeRows(path, count, { form: 'hashes' });
  const server = await world.canned({ total: count });
  try {
    const results = world.path('results.csv');
    const edit = (...flags) => ({
      argv: world.linkctl('edit', '--hashes-from', path, '--note', 'autumn sale, week 40', '-q', '--yes', ...flags),
      env: server.env,
      remove: [world.runs, results],
    });
    const commands = [edit('--results', results), edit('--results', results, '--no-undo'), edit(), edit('--no-undo')];
    const [kept, read, whole, bare] = await runInTurn(commands, { rounds: world.quick ? 5 : 15 });
    const what = `edit --hashes-from of ${count.toLocaleString('en')} links`;
    const note = `minima ${minima(kept, read).toFixed(2)}x; ${median(kept.map(({ wall }) => wall)).toFixed(1)} s`;
    return [
      { what: `${what} that keeps them, wall`, unit: 'x one that reads them', value: ratio(kept, read), most: 1.1, note },
      { what: `${what} that keeps them, CPU`, unit: 'x one that reads them', value: ratio(kept, read, 'cpu'), most: 1.1 },
      { what: `${what}, wall`, unit: 'x --no-undo', value: ratio(whole, bare), note: 'with the calls that read the links' },
    ];
  } finally {
    await server.stop();
  }
}

/** Two of five links are rewritten. */
async function peaks(world) {
  const sizes = world.quick ? [5000, 20_000] : [50_000, 500_000];
  const found = [];
  for (const total of sizes) {
    const server = await world.canned({ total, onSale: 4 });
    try {
      const command = {
        argv: world.linkctl(...rewrite, '-q', '--yes', '--max-affected', String(total)),
        env: server.env,
        remove: [world.runs],
      };
      const [samples] = await runInTurn([command], { rounds: 3, warmups: 0 });
      found.push(median(samples.map(({ peak }) => peak)));
    } finally {
      await server.stop();
    }
  }
  const [small, large] = sizes.map((total) => `${(total * 0.4).toLocaleString('en')} of ${total.toLocaleString('en')}`);
  const value = found[1] / found[0];
  return [
    { what: `rewrite of ${large} links, peak memory`, unit: 'MB', value: found[1], most: 220 },
    { what: 'rewrite, peak memory', unit: `x that of ${small}`, value, ...(!world.quick && { most: 1.4 }) },
  ];
}
