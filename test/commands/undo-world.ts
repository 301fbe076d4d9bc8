import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { UrlRecord } from '../../src/contract/records.ts';
import { startProgram } from '../support/built-program.ts';
import type { FaultyServer } from '../support/faulty-server.ts';
import { faults, type Step } from '../support/faulty-steps.ts';
import { arrived, type Linkctl, type Ran, sent } from '../support/linkctl.ts';
import { call, type Served, stored } from '../support/stored-links.ts';
import type { World } from '../support/test-system.ts';

/** All that undo can restore, by hash. */
export async function values(service: Parameters<typeof stored>[0], domain?: string): Promise<Record<string, object>> {
  const entries = (await stored(service, domain)).map(
    ({ hash, long_url, note, tags, expiration_date, email_stats, max_clicks }): [string, object] => [
      hash,
      { long_url, note, tags: tags.toSorted(), expiration_date, email_stats, max_clicks },
    ],
  );
  return Object.fromEntries(entries);
}

/** A change by somebody else. */
export async function foreign(
  served: Served,
  method: string,
  path: string,
  fields?: Partial<UrlRecord> | { custom_hash: string },
): Promise<void> {
  expect(await call(served, { method, path, body: fields && { urls: [fields] } })).toMatchObject({ error: { code: 0 } });
}

/** The changes that were sent since so many requests. */
export async function changes(wire: FaultyServer, from = 0): Promise<string[]> {
  return (await sent(wire))
    .slice(from)
    .map(({ call }) => call)
    .filter((call) => !call.startsWith('GET'));
}

export interface RunRow {
  readonly run: string;
  readonly what: string;
  readonly undo: string;
  readonly state: string;
}

export async function runs(linkctl: Linkctl): Promise<RunRow[]> {
  return JSON.parse((await linkctl(['runs', '-o', 'json'])).stdout).runs;
}

/** A file of the newest run. */
export async function newestFile(linkctl: Linkctl, folder: string, name: string): Promise<string> {
  return join(folder, '.local', 'state', 'linkctl', 'runs', (await runs(linkctl))[0]?.run ?? '', name);
}

/** `undo` of the newest change that is applied, by its name: where nobody watches it is required. */
export async function undoLast(linkctl: Linkctl, flags: readonly string[] = [], world?: World): Promise<Ran> {
  return await linkctl(['undo', await newestFor('undo', linkctl, world), '--yes', ...flags], world);
}

/** `redo` of what was undone last. */
export async function redoLast(linkctl: Linkctl, flags: readonly string[] = [], world?: World): Promise<Ran> {
  return await linkctl(['redo', await newestFor('redo', linkctl, world), '--yes', ...flags], world);
}

/** The name that the refusal of a nameless command gives. */
export async function newestFor(command: 'undo' | 'redo', linkctl: Linkctl, world?: World): Promise<string> {
  const { stderr } = await linkctl([command, '--yes'], world);
  // If the newest cannot be undone, the hint names another.
  const named = /^the newest run, (\S+) /m.exec(stderr) ?? new RegExp(`linkctl ${command} (\\S+) --yes`).exec(stderr);
  return named?.[1] ?? 'none';
}

/** What a process leaves that was killed when all was done, before it could say so: the newest run is not shown. */
export async function hideResult(linkctl: Linkctl): Promise<void> {
  const [{ run }] = JSON.parse((await linkctl(['runs', '-o', 'json'])).stdout).runs;
  const { journal } = JSON.parse((await linkctl(['runs', 'show', run, '-o', 'json'])).stdout);
  const lines = readFileSync(journal, 'utf8').split('\n');
  expect(lines.at(-2)).toContain('"type":"shown"');
  writeFileSync(journal, lines.toSpliced(-2, 1).join('\n'));
}

/** One link in a call, so that a run can stop after any link. */
export const singly = ['--yes', '--batch-size', '1', '--concurrency', '1'];

/** So many links are changed, and the call for the next one is refused, which stops the run. The first call of a shortening is made twice. */
export async function stopped(
  words: readonly string[],
  method: string,
  { linkctl, wire }: { readonly linkctl: Linkctl; readonly wire: FaultyServer },
  changed = 1,
): Promise<void> {
  const times = changed + (words[0] === 'shorten' ? 1 : 0);
  const refused = { only: { method }, ...faults.refuse(1301, 403) };
  await wire.script(times === 0 ? [refused] : [{ only: { method }, times }, refused]);
  await linkctl(words);
  await wire.script([]);
}

interface Wired {
  readonly wire: FaultyServer;
  readonly env: Record<string, string>;
}

/** Runs the program until the request of this step has come, and kills it. */
export async function killed(
  words: readonly string[],
  step: Step,
  { wire, env }: Wired,
  before: readonly Step[] = [],
): Promise<void> {
  const earlier = (await wire.requests()).filter(({ method }) => method === step.only?.method).length;
  await wire.script([...before, step]);
  const { process: child, ended } = startProgram(words, env);
  await arrived(wire, earlier + before.length + 1, step.only?.method);
  child.kill('SIGKILL');
  await ended;
  await wire.script([]);
}

/** Repeats a command that changes a part at a time, until it says that all is done, or, if they are given, until the links have these values. */
export async function repeated(words: readonly string[], { linkctl, service }: Worked, wanted?: object): Promise<void> {
  let last: Ran | undefined;
  const isReached = async (): Promise<boolean> =>
    wanted === undefined ? last?.code === 0 : isDeepStrictEqual(await values(service), wanted);
  for (let times = 0; times < 8 && (last === undefined || !(await isReached())); times += 1) last = await linkctl(words);
  if (wanted) expect(await values(service)).toEqual(wanted);
  expect(last?.code, last?.stderr).toBe(0);
}

export interface Worked {
  readonly linkctl: Linkctl;
  readonly service: Parameters<typeof values>[0];
}
