import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type FaultyHost, startFaultyHost } from '../support/faulty-process.ts';
import { openFaultWorld } from './fault-world.ts';
import { hurriedArguments } from './hurried-program.ts';
import { buildMutant } from './mutant.ts';

/** J1 as the kernel sees it: Linux and strace. */
let host: FaultyHost;
beforeAll(async () => {
  host = await startFaultyHost();
});
afterAll(() => host.close());

type Event = 'intent' | 'synced' | 'POST';

/** What the program asked of the kernel, in order: intents written to the journal, syncs that are over, requests begun. */
async function eventsOf(program?: string): Promise<Event[]> {
  const world = await openFaultWorld(host);
  onTestFinished(() => world.close());
  const [file, log] = [join(world.folder, 'links.txt'), join(world.folder, 'strace.log')];
  writeFileSync(file, Array.from({ length: 8 }, (_, row) => `https://example.com/${row}\n`).join(''));
  const calls = 'trace=openat,write,writev,pwrite64,sendto,sendmsg,fdatasync,fsync';
  const argv = hurriedArguments(['shorten', '-f', file, '--batch-size', '2'], program);
  await promisify(execFile)('strace', ['-f', '-s', '64', '-e', calls, '-o', log, process.execPath, ...argv], { env: world.env });
  return readEvents(readFileSync(log, 'latin1'));
}

function readEvents(log: string): Event[] {
  const events: Event[] = [];
  /** The journal's descriptor, and the threads that wait for a sync of it. */
  let journal: string | undefined;
  const opening = new Set<string>();
  const syncing = new Set<string>();
  for (const line of log.split('\n')) {
    const thread = line.split(/\s/, 1)[0] ?? '';
    if (/openat\(.*journal\.log"/.test(line)) opening.add(thread);
    const opened = /= (\d+)$/.exec(line)?.[1];
    if (opening.has(thread) && line.includes('openat') && opened !== undefined) {
      opening.delete(thread);
      journal = opened;
    }
    if (line.includes(`write64(${journal}, `) && line.includes('{\\"type\\":\\"intent\\"')) events.push('intent');
    if (line.includes(`datasync(${journal}`)) syncing.add(thread);
    if (syncing.has(thread) && /datasync.*= 0$/.test(line)) {
      syncing.delete(thread);
      events.push('synced');
    }
    if (line.includes('"POST /api/3/urls')) events.push('POST');
  }
  return events;
}

/** Requests before which no sync was over since their intent was written. */
function unprotected(events: readonly Event[]): number {
  let intent: 'none' | 'written' | 'synced' = 'none';
  let count = 0;
  for (const event of events) {
    if (event === 'intent') intent = 'written';
    if (event === 'synced' && intent === 'written') intent = 'synced';
    if (event === 'POST' && intent !== 'synced') count += 1;
    if (event === 'POST') intent = 'none';
  }
  return count;
}

test('J1, 3.5.4: the sync of an intent is over before the first byte of its request is written', async () => {
  const events = await eventsOf();
  expect(events.filter((event) => event === 'POST')).toHaveLength(4);
  expect(unprotected(events)).toBe(0);
}, 30_000);

test('3.5.5: a program that does not sync its intents is found out', async () => {
  const { program, remove } = await buildMutant('does not sync its intents');
  onTestFinished(remove);
  expect(unprotected(await eventsOf(program))).toBe(4);
}, 30_000);
