import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Edition } from '../../src/contract/editions.ts';
import type { ShortenItem } from '../../src/contract/operations.ts';
import { startService } from '../../src/service/service.ts';
import type { ServiceLimits } from '../../src/service/service-options.ts';
import { canaryKey } from '../support/canary.ts';
import type { FaultyHost } from '../support/faulty-process.ts';
import type { FaultyOptions, FaultyServer } from '../support/faulty-server.ts';
import type { StoredLink } from '../support/stored-links.ts';

/** The key that must be seen nowhere. */
export const canary = canaryKey;
const username = 'ann';
/** For calls past the program. */
export const authorization = `Basic ${Buffer.from(`${username}:${canary}`).toString('base64')}`;

/** A real service, a faulty server in another process in front of it, and a folder of its own. */
export interface FaultWorld {
  readonly server: FaultyServer;
  readonly folder: string;
  /** Of the program: it talks to the faulty server. */
  readonly env: Record<string, string>;
  /** The service itself, its redirects too. */
  readonly origin: string;
  /** All records of a domain, the default one without it, oldest first, asked of the service itself. */
  stored(domain?: string): Promise<StoredLink[]>;
  /** The newest of them, in one call; newest first. */
  newest(count: number, domain?: string): Promise<StoredLink[]>;
  /** Makes links past the faulty server. */
  create(items: readonly ShortenItem[]): Promise<void>;
  /** Path of the only journal, of what was typed the record itself; undefined where no run was begun. */
  journal(): string | undefined;
  close(): Promise<void>;
}

export interface FaultWorldOptions {
  readonly edition?: Edition;
  /** Of the account, the default one first; `s.ex` without them. */
  readonly domains?: readonly string[];
  /** Makes the account what it is before anybody else sees it; `baseUrl` is the service itself. */
  readonly prepare?: (service: { readonly baseUrl: string; readonly origin: string }) => Promise<void>;
  readonly limits?: Partial<ServiceLimits>;
  readonly faulty?: FaultyOptions;
}

export async function openFaultWorld(host: FaultyHost, options: FaultWorldOptions = {}): Promise<FaultWorld> {
  const { edition = 'a', domains = ['s.ex'], limits, faulty, prepare } = options;
  const folder = mkdtempSync(join(tmpdir(), 'linkctl-faults-'));
  const service = await startService({
    edition,
    username,
    apiKey: canary,
    limits,
    redirects: true,
    domains: domains.map((name) => ({ name })),
  });
  await prepare?.(service);
  const server = await host.start({ backend: service.baseUrl, ...faulty });
  const call = async (path: string, init: RequestInit = {}): Promise<{ urls: StoredLink[] }> => {
    const answer = await fetch(service.baseUrl + path, { ...init, headers: { authorization } });
    return (await answer.json()) as { urls: StoredLink[] };
  };
  return {
    server,
    folder,
    origin: service.origin,
    env: {
      HOME: folder,
      PATH: process.env.PATH ?? '',
      LANG: 'C.UTF-8',
      LINKCTL_BASE_URL: server.baseUrl,
      LINKCTL_USERNAME: username,
      LINKCTL_API_KEY: canary,
      LINKCTL_EDITION: edition,
    },
    async newest(count, domain) {
      return (await call(`/urls?limit=${count}${domain === undefined ? '' : `&domain=${domain}`}`)).urls;
    },
    async stored(domain) {
      const records: StoredLink[] = [];
      for (;;) {
        const { urls } = await call(
          `/urls?offset=${records.length}&limit=1000${domain === undefined ? '' : `&domain=${domain}`}`,
        );
        if (urls.length === 0) return records.reverse();
        records.push(...urls);
      }
    },
    async create(items) {
      for (let start = 0; start < items.length; start += 1000) {
        await call('/urls', { method: 'POST', body: JSON.stringify({ urls: items.slice(start, start + 1000) }) });
      }
    },
    journal() {
      const runs = join(folder, '.local', 'state', 'linkctl', 'runs');
      try {
        const [run] = readdirSync(runs).filter((name) => !name.startsWith('.'));
        return run && (run.endsWith('.log') ? join(runs, run) : join(runs, run, 'journal.log'));
      } catch {
        return undefined;
      }
    },
    async close() {
      await server.close();
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Follows a short URL of a domain of the service. */
export async function visit(origin: string, host: string, hash: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const visiting = request(`${origin}/${hash}`, { headers: { host } }, (answer) => answer.resume().on('end', resolve));
    visiting.on('error', reject).end();
  });
}
