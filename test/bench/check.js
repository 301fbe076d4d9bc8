import { join } from 'node:path';
import { median, minima, ratio, runInTurn, startServer } from './processes.js';
import { credentials } from './world.js';

const latency = 50;
/** Requests at once (K2). */
const total = 32;

/** Asking many destinations as fast as politeness allows (K6), and the memory of it. */
export async function check(world) {
  return [...(await speed(world)), ...(await peaks(world))];
}

async function speed(world) {
  const [links, hosts] = world.quick ? [2000, 100] : [10_000, 500];
  const server = await openServer(links, hosts);
  try {
    const baseline = { argv: [process.execPath, world.baseline('polite-heads.js'), server.line], env: world.env };
    const rounds = world.quick ? 1 : 3;
    const [asked, bare] = await runInTurn([command(server, world), baseline], { rounds, warmups: 0 });
    const what = `check of ${links.toLocaleString('en')} destinations on ${hosts} hosts that answer after ${latency} ms`;
    const wall = median(asked.map((sample) => sample.wall));
    const allowed = (links * latency) / total / 1000;
    return [
      {
        what: `${what}, wall`,
        unit: 'x what 32 requests at once allow',
        value: wall / allowed,
        most: 1.3,
        note: `${wall.toFixed(1)} s; ${allowed.toFixed(1)} s`,
      },
      {
        what,
        unit: 'x a bare script with the same limits',
        value: ratio(asked, bare),
        note: `minima ${minima(asked, bare).toFixed(2)}x; CPU ${ratio(asked, bare, 'cpu').toFixed(2)}x`,
      },
    ];
  } finally {
    await server.stop();
  }
}

async function peaks(world) {
  const sizes = world.quick ? [500, 2000] : [2500, 10_000, 40_000];
  const found = [];
  for (const links of sizes) {
    const server = await openServer(links, links / 20);
    const [samples] = await runInTurn([command(server, world)], { rounds: 1, warmups: 0 });
    await server.stop();
    found.push(samples[0].peak);
  }
  const note = found.map((peak, nth) => `${sizes[nth].toLocaleString('en')}: ${peak.toFixed(0)} MB`).join(', ');
  const last = found.at(-1);
  return [
    { what: 'check, peak memory', unit: `x that of a quarter of the destinations`, value: last / found.at(-2), most: 1.15, note },
  ];
}

function openServer(links, hosts) {
  return startServer([join(import.meta.dirname, 'destinations-server.js'), ...[links, hosts, latency].map(String)]);
}

function command({ line }, world) {
  return {
    argv: world.linkctl('check', '--allow-private', '-q'),
    env: { ...world.env, ...credentials(line) },
    remove: [world.runs],
    out: world.path('check.out'),
  };
}
