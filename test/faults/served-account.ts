import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Edition } from '../../src/contract/editions.ts';
import type { UrlRecord } from '../../src/contract/records.ts';
import { programPath } from '../support/built-program.ts';
import { canaryKey } from '../support/canary.ts';
import type { FaultyHost } from '../support/faulty-process.ts';
import type { FaultyOptions, FaultyServer } from '../support/faulty-server.ts';
import { username } from '../support/linkctl.ts';
import { store, stored } from '../support/stored-links.ts';
import { authorization, visit } from './fault-world.ts';
import { type AccountLink, accountLinks, domainsOf } from './rewrite-account.ts';

/** Every record of an account as text, by `domain/hash`: every byte of every field. */
export type Dump = ReadonlyMap<string, string>;

/** An account on the disk, to be copied for each trial. */
export interface PreparedAccount {
  readonly edition: Edition;
  readonly links: readonly AccountLink[];
  readonly dump: Dump;
  /** The data folder of a service that has ended. */
  readonly data: string;
  remove(): void;
}

/** Every 250th link has been clicked. */
const clickedEvery = 250;

/** Makes an account with `linkctl serve`. Throws where the service does not have the links as they were given. */
export async function prepareAccount(edition: Edition, count: number): Promise<PreparedAccount> {
  const folder = mkdtempSync(join(tmpdir(), 'linkctl-account-'));
  const data = join(folder, 'data');
  const links = accountLinks(edition, count);
  const service = await serve(edition, data, folder);
  for (const domain of domainsOf[edition]) {
    const items = links.filter((link) => link.domain === domain).map(({ item }) => item);
    await store(service, items, edition === 'a' ? domain : undefined);
  }
  for (const [nth, { domain, item }] of links.entries())
    if (nth % clickedEvery === 0) await visit(service.origin, domain, item.custom_hash);
  const dump = await dumpOf(service, edition);
  await service.stop();
  for (const { domain, item } of links) {
    const found: Partial<UrlRecord> = JSON.parse(dump.get(`${domain}/${item.custom_hash}`) ?? '{}');
    if (found.long_url !== item.long_url) throw new Error(`${item.long_url} was stored as ${found.long_url}`);
  }
  return { edition, links, dump, data, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A copy of a prepared account on `linkctl serve`, a faulty server that keeps what was sent, and a home of the program. */
export interface ServedAccount {
  readonly folder: string;
  readonly server: FaultyServer;
  /** Of the program: it talks to the faulty server. */
  readonly env: Record<string, string>;
  dump(): Promise<Dump>;
  /** A change past the program and the log. */
  call(method: 'PATCH' | 'DELETE', domain: string, hash: string, fields?: object): Promise<void>;
  close(): Promise<void>;
}

export async function openServedAccount(
  { edition, data }: PreparedAccount,
  host: FaultyHost,
  faulty: FaultyOptions,
): Promise<ServedAccount> {
  const folder = mkdtempSync(join(tmpdir(), 'linkctl-rewrite-'));
  const copy = join(folder, 'data');
  cpSync(data, copy, { recursive: true });
  const service = await serve(edition, copy, folder);
  const server = await host.start({ backend: service.baseUrl, ...faulty });
  return {
    folder,
    server,
    env: {
      ...service.env,
      LINKCTL_BASE_URL: server.baseUrl,
      LINKCTL_USERNAME: username,
      LINKCTL_API_KEY: canaryKey,
      LINKCTL_EDITION: edition,
    },
    dump: () => dumpOf(service, edition),
    async call(method, domain, hash, fields) {
      const query = edition === 'a' ? `?domain=${domain}` : '';
      const body = fields && JSON.stringify({ urls: [fields] });
      const init = { method, headers: { authorization }, ...(body && { body }) };
      const answer = await fetch(`${service.baseUrl}/urls/${hash}${query}`, init);
      const { error } = (await answer.json()) as { error: { code: number } };
      if (error.code !== 0) throw new Error(`${method} ${hash}: ${error.code}`);
    },
    async close() {
      await server.close();
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function serve(edition: Edition, data: string, home: string) {
  const keyFile = join(home, 'key');
  writeFileSync(keyFile, `${canaryKey}\n`, { mode: 0o600 });
  const env = { HOME: home, PATH: process.env.PATH ?? '', LANG: 'C.UTF-8' };
  const domains = domainsOf[edition].flatMap((name) => ['--domain', name]);
  const account = ['--edition', edition, '--data', data, '--username', username, '--api-key-file', keyFile, ...domains];
  const child = spawn(process.execPath, [programPath, 'serve', '--port', '0', '-q', '-o', 'json', ...account], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'close');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const baseUrl: string = JSON.parse(line).base_url;
  return {
    env,
    baseUrl,
    origin: new URL(baseUrl).origin,
    async stop() {
      child.kill();
      await gone;
    },
  };
}

async function dumpOf(service: { readonly baseUrl: string }, edition: Edition): Promise<Dump> {
  const dump = new Map<string, string>();
  for (const domain of domainsOf[edition]) {
    const records = await stored(service, edition === 'a' ? domain : undefined);
    for (const record of records) dump.set(`${domain}/${record.hash}`, JSON.stringify(record));
  }
  return dump;
}
