import { median, minima, ratio, runInTurn } from './processes.js';
import { writeRows } from './rows.js';

/** Rows a second end to end, in keyed mode with journal, check pass and results file. */
export async function bulk(world) {
  const [small, large] = world.quick ? [1000, 20_000] : [1000, 1_000_000];
  const files = new Map([small, large].map((count) => [count, world.path(`rows-${count}.csv`)]));
  for (const [count, path] of files) writeRows(path, count);
  const server = await world.canned();
  try {
    return [
      ...(await againstScripts(files.get(small), small, server, world)),
      ...(await againstScripts(files.get(large), large, server, world)),
      await againstLoop(files.get(small), small, server, world),
      await checkPass(files.get(large), large, server, world),
      await foreignForm(server, world),
      ...(await inFlight(world)),
    ];
  } finally {
    await server.stop();
  }
}

export function shortenFile(path, server, world, ...flags) {
  const argv = world.linkctl('shorten', '-f', path, '--results', world.path('results.csv'), '-q', '--yes', ...flags);
  return { argv, env: server.env, remove: [world.runs, world.path('results.csv')] };
}

async function againstScripts(path, count, server, world) {
  const commands = [
    shortenFile(path, server, world),
    { argv: ['python3', world.baseline('bulk.py'), path, server.baseUrl, world.path('python.csv')] },
    { argv: [process.execPath, world.baseline('bulk-bare.js'), path, server.baseUrl, world.path('bare.csv')] },
  ];
  const isSmall = count <= 1000;
  const [ours, python, bare] = await runInTurn(commands, { rounds: world.quick && !isSmall ? 3 : 15 });
  const speed = (samples) => `${Math.round(count / median(samples.map(({ wall }) => wall)) / 1000)} k rows/s`;
  const rows = count.toLocaleString('en');
  if (isSmall) {
    const note = `minima ${minima(ours, python).toFixed(2)}x`;
    return [{ what: `shorten -f ${rows} rows, wall`, unit: 'x Python script', value: ratio(ours, python), most: 1.8, note }];
  }
  const cpu = `CPU ${((1e6 * median(ours.map(({ cpu }) => cpu))) / count).toFixed(1)} us/row`;
  const note = `minima ${minima(python, ours).toFixed(2)}x; ${speed(ours)}, ${cpu}`;
  return [
    { what: `shorten -f ${rows} rows, rows/s`, unit: 'x Python script', value: 1 / ratio(ours, python), least: 1, note },
    {
      what: `shorten -f ${rows} rows, rows/s`,
      unit: 'x bare csv-parse + undici',
      value: 1 / ratio(ours, bare),
      least: 0.5,
      note: `minima ${minima(bare, ours).toFixed(2)}x; ${speed(bare)}`,
    },
  ];
}

/** The loop is run on few rows and reckoned up: a million would take days. */
async function againstLoop(path, count, server, world) {
  const few = world.path('few.csv');
  const rows = 100;
  writeRows(few, rows);
  const loop = { argv: ['sh', world.baseline('bulk.sh'), few, server.baseUrl] };
  const [ours, shell] = await runInTurn([shortenFile(path, server, world), loop], { rounds: world.quick ? 5 : 15 });
  const times = (count * ratio(shell, ours)) / rows;
  return {
    what: `shorten -f ${count.toLocaleString('en')} rows, rows/s`,
    unit: 'x shell loop of curl and jq',
    value: times,
    least: 50,
  };
}

/** A file with its one bad row at the end is checked and no more: nothing is sent. */
function checkFile(count, server, world) {
  const bad = world.path('bad.csv');
  writeRows(bad, count, { last: 'h00000000,not a url,,,false' });
  return {
    argv: ['sh', '-c', '"$@" 2>/dev/null; test $? = 2', 'check', ...world.linkctl('shorten', '-f', bad)],
    env: server.env,
  };
}

async function checkPass(path, count, server, world) {
  const parse = { argv: [process.execPath, world.baseline('parse-csv.js'), path] };
  const [ours, bare] = await runInTurn([checkFile(count, server, world), parse], { rounds: world.quick ? 5 : 15 });
  const note = `minima ${minima(ours, bare).toFixed(2)}x; a file with its one bad row at the end: nothing is sent`;
  return {
    what: `check pass, ${count.toLocaleString('en')} rows`,
    unit: 'x bare csv-parse pass',
    value: ratio(ours, bare),
    most: 1.3,
    note,
  };
}

/** The same links in the columns of another service (I2). */
async function foreignForm(server, world) {
  const count = world.quick ? 20_000 : 100_000;
  const [plain, foreign] = ['shorten', 'foreign'].map((form) => {
    const path = world.path(`${form}-form.csv`);
    writeRows(path, count, { form });
    return shortenFile(path, server, world);
  });
  const [ours, baseline] = await runInTurn([foreign, plain], { rounds: world.quick ? 5 : 15 });
  const note = `minima ${minima(ours, baseline).toFixed(2)}x`;
  return {
    what: `shorten -f ${count.toLocaleString('en')} rows of another service`,
    unit: 'x our own columns',
    value: ratio(ours, baseline),
    most: 1.3,
    note,
  };
}

/** With a server far away four calls under way at once should take a quarter of the time of one. */
async function inFlight(world) {
  const count = world.quick ? 10_000 : 100_000;
  const path = world.path('far.csv');
  writeRows(path, count);
  const server = await world.canned({ latency: 50 });
  try {
    const commands = ['1', '4'].map((calls) => shortenFile(path, server, world, '--concurrency', calls));
    const [one, four, check] = await runInTurn([...commands, checkFile(count, server, world)], { rounds: world.quick ? 3 : 15 });
    const sending = (samples) => samples.map(({ wall }, index) => ({ wall: wall - check[index].wall }));
    const what = `${count.toLocaleString('en')} rows, 50 ms of latency, 4 calls in flight`;
    const unit = 'x one in flight';
    return [
      { what: `${what}, the sending`, unit, value: ratio(sending(one), sending(four)), least: 3.5 },
      { what: `${what}, the whole run`, unit, value: ratio(one, four), note: `minima ${minima(one, four).toFixed(2)}x` },
    ];
  } finally {
    await server.stop();
  }
}
