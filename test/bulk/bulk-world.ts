import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { test as base } from 'vitest';
import type { System } from '../../src/base/system.ts';
import { decodeLine, type JournalLine } from '../../src/bulk/journal/lines.ts';
import { chooseMode, type DedupeScope } from '../../src/bulk/operations/modes.ts';
import type { BulkOperation } from '../../src/bulk/operations/operation.ts';
import { shortenOperation } from '../../src/bulk/operations/shortening.ts';
import { recordShown } from '../../src/bulk/past-runs/later-lines.ts';
import { type RunFolders, runFolders } from '../../src/bulk/past-runs/run-names.ts';
import type { RowOutcome } from '../../src/bulk/results/row-outcome.ts';
import { runEnd } from '../../src/bulk/results/run-end.ts';
import { type StartedRun, startRun } from '../../src/bulk/run.ts';
import type { OperationSettings, RunEnvironment, RunPlan } from '../../src/bulk/run-plan.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import type { Edition } from '../../src/contract/editions.ts';
import type { ShortenItem } from '../../src/contract/operations.ts';
import { startService } from '../../src/service/service.ts';
import type { ServiceLimits } from '../../src/service/service-options.ts';
import { canaryKey } from '../support/canary.ts';
import { directlyTo } from '../support/direct.ts';
import { type FaultyOptions, type FaultyServer, startFaultyServer } from '../support/faulty-server.ts';
import { createHabits, habitsName } from '../support/habits.ts';
import type { StoredLink } from '../support/stored-links.ts';
import { createTestSystem } from '../support/test-system.ts';

const username = 'ann';
const apiKey = canaryKey;

/** A service, a server in front of it that misbehaves on demand, and a folder for journals. */
export interface BulkWorld {
  readonly server: FaultyServer;
  readonly client: Client;
  readonly system: System;
  readonly folder: string;
  readonly state: string;
  readonly folders: RunFolders;
  readonly warnings: string[];
  /** Waits of so many milliseconds and more, in this world 200 times shorter, last until this is over as well. */
  prolong(milliseconds: number, over: () => Promise<unknown>): void;
  /** All records of the account, oldest first. */
  stored(): Promise<StoredLink[]>;
  /** POSTs that were read, as the numbers of items in them. */
  posts(): Promise<number[]>;
  /** Runs these rows to the end and says how it ended. */
  shorten(rows: readonly ShortenItem[], options?: ShortenRun): Promise<Ended>;
  journal(): JournalLine[];
  /** Another client of the same account, past the faulty server. */
  readonly direct: Client;
  /** A value that can be JSON, with a link's values as the service writes them. */
  plain<T>(value: T): T;
}

export interface ShortenRun extends Partial<Omit<RunPlan<ShortenItem>, 'operation' | 'payload' | 'mode'>> {
  readonly dedupe?: DedupeScope;
  readonly generateHashes?: boolean;
  readonly environment?: Partial<RunEnvironment>;
  /** Stops reading after so many rows. */
  readonly read?: number;
  readonly onRow?: (outcome: RowOutcome) => void;
  /** What the file is called. */
  readonly name?: string;
  /** For negative controls: an operation that does something wrong. */
  readonly spoil?: (operation: BulkOperation<ShortenItem>, settings: OperationSettings) => BulkOperation<ShortenItem>;
}

type ShortenOutcome = RowOutcome & { readonly payload: ShortenItem };

export interface Ended {
  readonly outcomes: readonly ShortenOutcome[];
  readonly summary: ReturnType<StartedRun['summary']>;
  readonly exit: number | 'signal';
  /** Statuses in the order of the rows: `created created failed`. */
  readonly statuses: string;
}

export interface WorldOptions {
  readonly edition?: Edition;
  readonly limits?: Partial<ServiceLimits>;
  readonly faulty?: FaultyOptions;
}

export async function openWorld({
  edition = 'a',
  limits,
  faulty,
}: WorldOptions = {}): Promise<BulkWorld & { close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'bulk-'));
  const state = join(folder, 'state');
  const service = await startService({ edition, username, apiKey, limits, redirects: false, domains: [{ name: 's.ex' }] });
  const name = habitsName();
  const habits = name && createHabits(name);
  const server = await startFaultyServer({ backend: directlyTo(service), habits, ...faulty });
  let prolonged = { from: Number.POSITIVE_INFINITY, over: (): Promise<unknown> => Promise.resolve() };
  const system: System = {
    ...createTestSystem(),
    // Waits are part of what is tested, their length is not.
    async sleep(milliseconds, signal) {
      await delay(milliseconds / 200, undefined, signal ? { signal } : {});
      if (milliseconds >= prolonged.from) await prolonged.over();
    },
  };
  const connect = (baseUrl: string): Client =>
    createClient({ baseUrl, username, readKey: async () => apiKey, edition, keySource: 'the test', version: '0', system });
  const client = connect(server.baseUrl);
  const direct = connect(service.baseUrl);
  const warnings: string[] = [];
  const world: Omit<BulkWorld, 'shorten'> = {
    server,
    client,
    direct,
    system,
    folder,
    state,
    folders: runFolders(state),
    warnings,
    prolong(from, over) {
      prolonged = { from, over };
    },
    async stored() {
      const records: StoredLink[] = [];
      for (;;) {
        const { urls } = await direct.send('listUrls', { query: { offset: records.length, limit: 500 } });
        if (urls.length === 0) return records.reverse();
        records.push(...(urls as StoredLink[]));
      }
    },
    posts: async () =>
      (await server.requests())
        .filter(({ method }) => method === 'POST')
        .map(({ body }) => (body === '' ? 0 : JSON.parse(body).urls.length)),
    journal: () => journalOf(state),
    plain: (value) => {
      if (!habits) return value;
      return JSON.parse(habits.plain(JSON.stringify(value)));
    },
  };
  return {
    ...world,
    shorten: (rows, options) => shorten(world, rows, options),
    async close() {
      await server.close();
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const test = base.extend<{ options: WorldOptions; world: BulkWorld }>({
  options: [{}, { injected: true }],
  world: async ({ options }, use) => {
    const world = await openWorld(options);
    await use(world);
    await world.close();
  },
});

async function shorten(
  world: Omit<BulkWorld, 'shorten'>,
  rows: readonly ShortenItem[],
  { dedupe = 'off', generateHashes = false, environment, read, onRow, name = 'links.csv', spoil, ...plan }: ShortenRun = {},
): Promise<Ended> {
  const mode = chooseMode({
    edition: world.client.edition,
    rows: rows.length,
    keyedRows: rows.filter(({ custom_hash }) => custom_hash !== undefined).length,
    dedupe,
    generateHashes,
  });
  const run = await startRun(
    {
      operation: (settings) => {
        const operation = shortenOperation({ ...settings, mode });
        return spoil?.(operation, settings) ?? operation;
      },
      mode,
      input: inputOf(rows, join(world.folder, name)),
      payload: (item) => item as ShortenItem,
      options: {},
      columns: ['custom_hash', 'long_url', 'note', 'tags'],
      batchSize: 1000,
      settle: 200,
      ...plan,
    },
    {
      client: world.client,
      system: world.system,
      folders: world.folders,
      warn: (message) => void world.warnings.push(message),
      ...environment,
    },
  );
  const outcomes: ShortenOutcome[] = [];
  for await (const settled of run.rows) {
    for (const outcome of settled) {
      outcomes.push(outcome as ShortenOutcome);
      onRow?.(outcome);
    }
    if (read !== undefined && outcomes.length >= read) break;
  }
  const summary = run.summary();
  // As the program does when all is printed.
  if (read === undefined) await recordShown(run.facts.run, world.folders, world.system);
  const end = runEnd(summary.tally, summary.stop);
  const statuses = outcomes.map(({ status }) => status).join(' ');
  return { outcomes, summary, statuses, exit: exitOf(end) };
}

/** The exit code, or `signal`. */
export function exitOf(end: ReturnType<typeof runEnd>): number | 'signal' {
  return end.kind === 'signal' ? end.kind : end.kind === 'error' ? end.error.exitCode : 0;
}

export function inputOf(rows: readonly object[], name: string): RunPlan<ShortenItem>['input'] {
  return {
    name,
    sha256: createHash('sha256').update(JSON.stringify(rows)).digest('hex'),
    rows: rows.length,
    async *open() {
      for (let start = 0; start < rows.length; start += 700) {
        yield rows.slice(start, start + 700).map((item, nth) => ({ line: start + nth + 2, item }));
      }
    },
  };
}

export function journalOf(state: string): JournalLine[] {
  const runs = readdirSync(join(state, 'runs')).filter((name) => !name.startsWith('.'));
  const text = readFileSync(join(state, 'runs', runs.at(-1) ?? '', 'journal.log'), 'utf8');
  return text
    .split('\n')
    .map(decodeLine)
    .filter((line) => line !== undefined);
}

/** Rows with long URLs of their own. */
export function rowsOf(count: number, more: (index: number) => Partial<ShortenItem> = () => ({})): ShortenItem[] {
  return Array.from({ length: count }, (_, index) => ({ long_url: `https://example.com/${index}`, ...more(index) }));
}

/** How many records each row has at the service, by long URL: `{ 1: 10 }` for ten rows with one each. */
export function multiplicity(rows: readonly ShortenItem[], records: readonly StoredLink[]): Record<number, number> {
  const counts = new Map(rows.map(({ long_url }) => [long_url, 0]));
  for (const { long_url } of records) counts.set(long_url, (counts.get(long_url) ?? 0) + 1);
  const found: Record<number, number> = {};
  for (const count of counts.values()) found[count] = (found[count] ?? 0) + 1;
  return found;
}
