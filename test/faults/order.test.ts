import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { buildChild } from '../support/child-program.ts';
import { type FaultyHost, startFaultyHost } from '../support/faulty-process.ts';
import { type FaultWorld, type FaultWorldOptions, openFaultWorld } from './fault-world.ts';
import { hurriedArguments } from './hurried-program.ts';
import { areInOrder, callOf, kernelLog, type SystemCall } from './kernel-log.ts';
import { buildMutant } from './mutant.ts';

/** J1, R-23 and the locks as the kernel sees them: Linux and strace. */
let host: FaultyHost;
beforeAll(async () => {
  host = await startFaultyHost();
});
afterAll(() => host.close());

async function worldOf(options?: FaultWorldOptions): Promise<FaultWorld> {
  const world = await openFaultWorld(host, options);
  onTestFinished(() => world.close());
  return world;
}

const posts = /"POST \/api\/3\/urls/;

/** Eight rows in four batches. */
async function shortening(program?: string): Promise<SystemCall[]> {
  const world = await worldOf();
  const file = join(world.folder, 'links.txt');
  writeFileSync(file, Array.from({ length: 8 }, (_, row) => `https://example.com/${row}\n`).join(''));
  return await kernelLog(world.folder, hurriedArguments(['shorten', '-f', file, '--batch-size', '2'], program), world.env);
}

/** Requests before which no sync was over since their intent was written. */
function unprotected(calls: readonly SystemCall[]): number {
  const intents = calls.filter(({ text }) => text.includes('journal.log>') && text.includes('{\\"type\\":\\"intent\\"'));
  const syncs = calls.filter(({ text }) => /^fdatasync\(.*journal\.log>\) *= 0/.test(text));
  return calls
    .filter(({ text }) => posts.test(text))
    .filter((post, nth) => !syncs.some((sync) => areInOrder([intents[nth] ?? post, sync, post])) || !intents[nth]).length;
}

test('J1, R 3.5.4: the sync of an intent is over before the first byte of its request is written', async () => {
  const calls = await shortening();
  expect(calls.filter(({ text }) => posts.test(text))).toHaveLength(4);
  expect(unprotected(calls)).toBe(0);
});

test('R 3.5.5: a program that does not sync its intents is found out', async () => {
  const { program, remove } = await buildMutant('does not sync its intents');
  onTestFinished(remove);
  expect(unprotected(await shortening(program))).toBe(4);
});

test('D40: what a run begins with is on the disk before it gets its name, and its name before anything is sent', async () => {
  const world = await worldOf();
  const argv = hurriedArguments(['shorten', '-f', '-', '--generate-hashes']);
  const calls = await kernelLog(world.folder, argv, world.env, 'https://example.com/1\n');
  const named = callOf(calls, /^rename\(.*\.draft", ".*\/runs\/\d{8}-/);
  const sent = callOf(calls, posts);
  for (const content of [/^fsync\(.*\.draft\/input>\) *= 0/, /^fdatasync\(.*\.draft\/journal\.log>\) *= 0/]) {
    expect(areInOrder([callOf(calls, content), callOf(calls, /^fsync\(.*\.draft>\) *= 0/), named])).toBe(true);
  }
  // All of the way to it was made for this first run.
  for (const folder of ['runs', 'linkctl', 'state', '.local']) {
    expect(areInOrder([named, callOf(calls, new RegExp(`^fsync\\(\\d+<[^>]*/${folder}>\\) *= 0`)), sent]), folder).toBe(true);
  }
});

test('D38: a run that may not begin is gone before its locks are, so nobody finds it and then does not', async () => {
  const world = await worldOf({ limits: { maxUrls: 1 } });
  const argv = hurriedArguments(['shorten', '-f', '-']);
  const calls = await kernelLog(world.folder, argv, world.env, 'https://example.com/1\nhttps://example.com/2\n');
  expect(calls.filter(({ text }) => posts.test(text))).toEqual([]);
  const gone = callOf(calls, /^rename\(".*\/runs\/\d{8}-[^/]*", ".*\.draft"/);
  for (const lock of ['account-', 'begin-']) {
    const released = callOf(calls, new RegExp(`^unlink\\(".*/locks/${lock}\\w+/claim\\.`));
    expect(areInOrder([gone, released]), lock).toBe(true);
  }
  expect(world.journal()).toBeUndefined();
});

test('R-23: atomicWrite syncs the new content before it gets its name, and the folder afterwards', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'linkctl-order-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const child = await buildChild(join(import.meta.dirname, '..', 'files', 'write-child.ts'));
  onTestFinished(() => child.remove());
  const calls = await kernelLog(folder, [child.file, join(folder, 'links.csv'), '100', '1'], { PATH: process.env.PATH ?? '' });
  const order = [
    /^write\(.*links\.csv\.\S+\.tmp>, "aaaa/,
    /^fsync\(.*links\.csv\.\S+\.tmp>\) *= 0/,
    /^rename\(".*\.tmp", ".*links\.csv"\) *= 0/,
    new RegExp(`^fsync\\(\\d+<${folder}>\\) *= 0`),
  ];
  expect(areInOrder(order.map((pattern) => callOf(calls, pattern)))).toBe(true);
});
