import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { programPath, runProgram } from '../support/built-program.ts';

/**
 * Issue 4: so many rows into `linkctl serve` in keyed mode, killed three times on the way. For a person to start: `npm run
 * million`, or with `LINKCTL_MILLION=50000` for a smaller million.
 */
const rows = Number(process.env.LINKCTL_MILLION ?? 1_000_000);
const kills = 3;

interface Start {
  readonly seconds: number;
  /** Until the journal grew: the first new request is on its way. */
  readonly secondsToFirstIntent: number;
  readonly peakMebibytes: number;
  readonly killed: boolean;
}

test(`${rows} rows, killed ${kills} times: nothing lost, nothing twice, one results line per row`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'linkctl-million-'));
  const service = await serve(folder);
  try {
    const file = join(folder, 'links.txt');
    await write(file, rows, (row) => `https://example.com/${row}\n`);
    const results = join(folder, 'results.csv');
    const argv = ['shorten', '-f', file, '--generate-hashes', '--results', results];
    const starts: Start[] = [];
    for (let nth = 1; nth <= kills; nth += 1) starts.push(await run(argv, service.env, folder, (rows * nth) / (kills + 1)));
    starts.push(await run(argv, service.env, folder, undefined));
    const hashes = await readHashes(results);
    const { listings, ...verdict } = await compare(hashes, service.env, folder);
    const account = JSON.parse((await runProgram(['account', '-o', 'json'], service.env)).stdout).account;
    const calls = account.counters.today_api_calls.count - listings;
    console.log(
      JSON.stringify({ rows, starts, calls, ...verdict, serviceMebibytes: peakMebibytes(service.process.pid) }, null, 1),
    );
    expect(starts.map(({ killed }) => killed)).toEqual([...new Array(kills).fill(true), false]);
    expect(verdict).toMatchObject({ resultLines: rows, lost: 0, duplicated: 0, wrong: 0 });
  } finally {
    service.process.kill();
    await once(service.process, 'close');
    rmSync(folder, { recursive: true, force: true });
  }
});

async function serve(folder: string) {
  const base = { HOME: folder, PATH: process.env.PATH ?? '', LANG: 'C.UTF-8' };
  const flags = ['--port', '0', '--data', join(folder, 'data'), '--domain', 's.ex', '-o', 'json'];
  const child = spawn(process.execPath, [programPath, 'serve', ...flags], { env: base, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { base_url, username, api_key_file } = JSON.parse(line);
  const api_key = readFileSync(api_key_file, 'utf8').trim();
  const credentials = { LINKCTL_BASE_URL: base_url, LINKCTL_USERNAME: username, LINKCTL_API_KEY: api_key };
  return { process: child, env: { ...base, ...credentials, LINKCTL_EDITION: 'a' } };
}

async function write(path: string, count: number, line: (row: number) => string): Promise<void> {
  const stream = createWriteStream(path);
  for (let row = 0; row < count; row += 1) if (!stream.write(line(row))) await once(stream, 'drain');
  stream.end();
  await once(stream, 'close');
}

/** The released program as it is; killed as soon as it has reported so many rows. */
async function run(
  argv: readonly string[],
  env: Record<string, string>,
  folder: string,
  killAt: number | undefined,
): Promise<Start> {
  const started = performance.now();
  const before = journalSize(folder);
  const child = spawn(process.execPath, [programPath, ...argv], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'close');
  let reported = 0;
  child.stdout.on('data', (bytes: Buffer) => {
    for (const byte of bytes) if (byte === 0x0a) reported += 1;
    if (killAt !== undefined && reported >= killAt) child.kill('SIGKILL');
  });
  let peak = 0;
  let secondsToFirstIntent = 0;
  while (child.exitCode === null && child.signalCode === null) {
    peak = Math.max(peak, peakMebibytes(child.pid));
    if (secondsToFirstIntent === 0 && journalSize(folder) > before) secondsToFirstIntent = secondsSince(started);
    await delay(50);
  }
  await gone;
  return { seconds: secondsSince(started), secondsToFirstIntent, peakMebibytes: peak, killed: child.signalCode === 'SIGKILL' };
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 100) / 10;
}

function journalSize(folder: string): number {
  const runs = join(folder, '.local', 'state', 'linkctl', 'runs');
  const [run] = existsSync(runs) ? readdirSync(runs).filter((name) => !name.startsWith('.')) : [];
  return run === undefined ? 0 : statSync(join(runs, run, 'journal.log')).size;
}

/** The most that the process has had in memory so far (Linux). */
function peakMebibytes(processId: number | undefined): number {
  try {
    const [, kibibytes = '0'] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${processId}/status`, 'utf8')) ?? [];
    return Math.round(Number(kibibytes) / 1024);
  } catch {
    return 0;
  }
}

/** The hash of each row by the results file, in its order; throws for a line that is not the next row's. */
async function readHashes(results: string): Promise<string[]> {
  const hashes: string[] = [];
  for await (const line of createInterface(createReadStream(results))) {
    const [row, status, hash = ''] = line.split(',');
    if (row === 'row') continue;
    if (Number(row) !== hashes.length + 1 || status !== 'created') throw new Error(`line ${hashes.length + 2}: ${line}`);
    hashes.push(hash);
  }
  return hashes;
}

/** What the service has, against what was reported. */
async function compare(hashes: readonly string[], env: Record<string, string>, folder: string) {
  const argv = ['list', '--all', '--fields', 'hash,long_url', '-o', 'tsv'];
  const child = spawn(process.execPath, [programPath, ...argv], {
    env: { ...env, HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const found = new Uint8Array(rows);
  let wrong = 0;
  let records = 0;
  for await (const line of createInterface(child.stdout)) {
    const [hash, url = ''] = line.split('\t');
    const row = Number(url.slice(url.lastIndexOf('/') + 1));
    records += 1;
    found[row] = (found[row] ?? 0) + 1;
    if (hashes[row] !== hash) wrong += 1;
  }
  const lost = found.reduce((sum, count) => sum + Number(count === 0), 0);
  const duplicated = records - (rows - lost);
  return { resultLines: hashes.length, records, lost, duplicated, wrong, listings: Math.ceil(records / 1000) };
}
