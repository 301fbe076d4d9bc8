import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect } from 'vitest';
import { main } from '../../src/cli/main.ts';
import type { Edition } from '../../src/contract/editions.ts';
import { type RunningService, startService } from '../../src/service/service.ts';
import type { ServiceLimits } from '../../src/service/service-options.ts';
import type { DomainSettings } from '../../src/service/store/store.ts';
import { canaryKey, expectNoSecret, secretFaults } from './canary.ts';
import { directlyTo } from './direct.ts';
import { type FaultyServer, type LoggedRequest, startFaultyServer } from './faulty-server.ts';
import { isException } from './habit-exceptions.ts';
import { createHabits, type Habits, habitsName } from './habits.ts';
import { runningClock } from './running-clock.ts';
import { createTestSystem, type World } from './test-system.ts';
import { until } from './until.ts';

/** How a script agrees to a change of links that the command finds itself. */
export const sure = ['--yes', '--max-affected', '5000'] as const;

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs one command line in this process. */
export type Linkctl = (argv: readonly string[], world?: World) => Promise<Ran>;

interface Fixtures {
  /** Which edition the test's own service speaks: `test.override({ edition: 'b' })`. */
  edition: Edition;
  /** Domains of the account; `localhost` without any. */
  domains: readonly DomainSettings[] | undefined;
  /** Bounds of the service that are not the edition's own. */
  limits: Partial<ServiceLimits> | undefined;
  /** When the clock of the service and of `linkctl` begins to run, in milliseconds since 1970; that of this computer without it. */
  startsAt: number | undefined;
  clock: { readonly now: () => number };
  /** A folder of the test's own, gone afterwards. */
  folder: string;
  /** The whole API over real HTTP, empty, for this test alone. */
  service: RunningService;
  /** How the server writes values: as ours does, or by the variable `LINKCTL_TEST_HABITS` in another way. */
  habits: Habits | undefined;
  /** What stands between `linkctl` and the service: it keeps what was sent, and misbehaves where its script says so. */
  wire: FaultyServer;
  /** Home, configuration, state and data of the test's own, without credentials. */
  homeEnv: Record<string, string>;
  /** The same with the credentials of the service. */
  env: Record<string, string>;
  linkctl: Linkctl;
  /** The text of a file that `linkctl` wrote, with values as the service writes them. */
  written: (path: string) => string;
  /** `linkctl` against another empty service, of the other edition. */
  other: Linkctl;
}

export const username = 'ann';
export const apiKey = canaryKey;

/** The requests so far, as `METHOD /path?query` below the API's root, and their bodies. */
export async function sent(wire: FaultyServer): Promise<{ call: string; body: unknown }[]> {
  return (await wire.requests()).map(({ method, url, body }) => ({
    call: `${method} ${decodeURIComponent(url.replace('/api/3', ''))}`,
    body: body === '' ? undefined : JSON.parse(body),
  }));
}

/** Waits until so many requests of a method, or of any, have come. */
export async function arrived(wire: FaultyServer, count: number, method?: string): Promise<void> {
  const isOne = (request: { readonly method: string }): boolean => method === undefined || request.method === method;
  await until(async () => (await wire.requests()).filter(isOne).length >= count, `${count} requests have come`);
}

/** The one fixture: a service and folders a test, and `linkctl` to run against them. */
export const test = base.extend<Fixtures>({
  edition: 'a',
  domains: undefined,
  limits: undefined,
  startsAt: undefined,
  clock: async ({ startsAt }, use) => {
    await use({ now: startsAt === undefined ? Date.now : runningClock(startsAt) });
  },
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads a fixture's needs from this pattern
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'linkctl-test-'));
    await use(folder);
    expect(secretFaults(folder)).toEqual([]);
    await rm(folder, { recursive: true, force: true });
  },
  service: async ({ edition, domains, limits, clock }, use) => {
    const service = await startService({ edition, domains, limits, username, apiKey, redirects: true, now: clock.now });
    await use(service);
    await service.close();
  },
  habits: async ({ task }, use) => {
    await use(habitsOf(task.file.filepath, task.name));
  },
  wire: async ({ service, habits }, use) => {
    const wire = await startFaultyServer({ backend: directlyTo(service), habits });
    const plain = (request: LoggedRequest): LoggedRequest => ({ ...request, body: habits?.plain(request.body) ?? request.body });
    await use({ ...wire, requests: async () => (await wire.requests()).map(plain) });
    await wire.close();
  },
  homeEnv: async ({ folder }, use) => {
    await use({ HOME: folder, PATH: process.env.PATH ?? '', LANG: 'C.UTF-8' });
  },
  env: async ({ homeEnv, wire, edition }, use) => {
    await use({
      ...homeEnv,
      LINKCTL_BASE_URL: wire.baseUrl,
      LINKCTL_USERNAME: username,
      LINKCTL_API_KEY: apiKey,
      LINKCTL_EDITION: edition,
    });
  },
  linkctl: async ({ env, clock, habits }, use) => {
    await use(runnerIn(env, clock, habits));
  },
  written: async ({ habits }, use) => {
    await use((path) => {
      const text = readFileSync(path, 'utf8');
      return habits?.plain(text) ?? text;
    });
  },
  other: async ({ edition, env, clock }, use) => {
    const otherEdition = edition === 'a' ? 'b' : 'a';
    const service = await startService({ edition: otherEdition, username, apiKey, redirects: false, now: clock.now });
    await use(runnerIn({ ...env, LINKCTL_BASE_URL: service.baseUrl, LINKCTL_EDITION: otherEdition }, clock));
    await service.close();
  },
});

/** As the variable `LINKCTL_TEST_HABITS` says; as ours where a test cannot do with others. */
function habitsOf(path: string, title: string): Habits | undefined {
  const name = habitsName();
  return name && !isException(path, title) ? createHabits(name) : undefined;
}

/** `linkctl` in this process, in an environment of its own. */
export function runnerIn(env: Readonly<Record<string, string>>, clock: Pick<World, 'now'> = {}, habits?: Habits): Linkctl {
  return async (argv, world = {}) => {
    const system = createTestSystem({ ...clock, ...world, env: { ...env, ...world.env } });
    const code = await main(argv, system);
    const { stdout, stderr } = system.printed();
    expectNoSecret(stdout + stderr);
    const plain = (text: string): string => habits?.plain(text) ?? text;
    return { code, stdout: plain(stdout), stderr: plain(stderr) };
  };
}
