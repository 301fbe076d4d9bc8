import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, describe } from 'vitest';
import type { Edition } from '../../src/contract/editions.ts';
import type {
  AccountRecord,
  DomainRecord,
  ErrorRecord,
  LogEntry,
  Page,
  StatsRecord,
  TagRecord,
  UrlRecord,
} from '../../src/contract/records.ts';
import { type RunningService, startService } from '../../src/service/service.ts';
import type { ServiceOptions } from '../../src/service/service-options.ts';
import { apiKey, username } from './credentials.ts';
import { placeOf } from './engine.ts';

/** Whatever an answer may hold; a member that this one does not have fails the test that reads it. */
export interface Body {
  readonly error: ErrorRecord;
  readonly version?: string;
  readonly urls: readonly UrlRecord[];
  readonly page: Page;
  readonly account: AccountRecord;
  readonly stats: readonly StatsRecord[];
  readonly tags: readonly TagRecord[];
  readonly domains: readonly DomainRecord[];
  readonly log: readonly LogEntry[];
  readonly links: { readonly rss_url: string; readonly atom_url: string };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface Client {
  readonly service: RunningService;
  /** One call with good credentials; objects are sent as JSON. */
  call(method: string, path: string, payload?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Shortens and gives the items of the answer. */
  shorten(...items: object[]): Promise<readonly UrlRecord[]>;
  /** Hashes in a listing, in its order. */
  hashes(query?: string): Promise<string[]>;
  /** A visit that follows nothing. */
  visit(path: string, headers?: Record<string, string>, method?: string): Promise<Response>;
}

export interface World {
  /** Milliseconds since 1970, for tests to set. */
  time: number;
  readonly failures: unknown[];
}

type Settings = Partial<ServiceOptions>;

interface Fixtures {
  edition: Edition;
  /** A service in memory with the defaults. */
  client: Client;
  /** More services, of other settings; closed after the test. */
  start: (settings?: Settings) => Promise<Client>;
  world: World;
  folder: string;
}

/** 2024-05-15 12:00:00 UTC. */
export const noon = Date.UTC(2024, 4, 15, 12);

export const test = base.extend<Fixtures>({
  edition: 'a',
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the pattern
  world: async ({}, use) => {
    const world: World = { time: noon, failures: [] };
    await use(world);
    if (world.failures.length > 0) throw world.failures[0];
  },
  // Named so that the folder outlives the services in it.
  start: async ({ edition, world, folder: _folder }, use) => {
    const running: RunningService[] = [];
    await use(async ({ data, ...settings } = {}) => {
      const service = await startService({
        ...(await placeOf(data)),
        edition,
        username,
        apiKey,
        redirects: true,
        now: () => world.time,
        onFailure: (error) => world.failures.push(error),
        ...settings,
      });
      running.push(service);
      return { ...connect(service), service };
    });
    for (const service of running) await service.close().catch(() => {});
  },
  client: async ({ start }, use) => {
    await use(await start());
  },
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the pattern
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'linkctl-service-'));
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },
});

/** Tests of what both editions have. */
export function inBothEditions(define: (editionTest: typeof test, edition: Edition) => void): void {
  describe.each(['a', 'b'] as const)('edition %s', (edition) => define(test.extend({ edition }), edition));
}

export function authorization(name = username, key = apiKey): string {
  return `Basic ${Buffer.from(`${name}:${key}`).toString('base64')}`;
}

export function connect(service: Pick<RunningService, 'baseUrl' | 'origin'>): Omit<Client, 'service'> {
  const call: Client['call'] = async (method, path, payload, headers = {}) => {
    const bodies = [FormData, URLSearchParams, Uint8Array];
    const isPlain = payload === undefined || typeof payload === 'string' || bodies.some((body) => payload instanceof body);
    const response = await fetch(service.baseUrl + path, {
      method,
      headers: { authorization: authorization(), ...headers },
      body: isPlain ? (payload as string | undefined) : JSON.stringify(payload),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
  };
  return {
    call,
    shorten: async (...items) => {
      const { body } = await call('POST', '/urls', { urls: items });
      if (body.error.code !== 0) throw new Error(`shorten: ${body.error.code}`);
      return body.urls;
    },
    hashes: async (query = '') => {
      const { body } = await call('GET', `/urls${query}`);
      if (body.error.code !== 0) throw new Error(`GET /urls${query}: ${body.error.code}`);
      return body.urls.map((url) => url.hash);
    },
    visit: (path, headers = {}, method = 'GET') => fetch(service.origin + path, { method, headers, redirect: 'manual' }),
  };
}

export function many<T>(count: number, item: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => item(index));
}
