import { createHash, randomBytes } from 'node:crypto';
import type { ServiceOptions } from '../../src/service/service-options.ts';
import { openPostgresStore } from '../../src/service/store/postgres/postgres-store.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/sqlite-store.ts';
import type { Store, StoredDomain, StoredUrl } from '../../src/service/store/store.ts';
import type { StoreOptions } from '../../src/service/store/store-options.ts';
import { freshDatabase } from '../support/postgres.ts';
import { username } from './credentials.ts';

/** Over which engine the tests run: `vitest.config.ts` runs those of store and service over both. */
export const isPostgres = process.env.LINKCTL_TEST_ENGINE === 'postgresql';

/** Where services that are given the same folder keep the same links. Without a folder, each has its own. */
export async function placeOf(folder?: string): Promise<Pick<ServiceOptions, 'data' | 'store'>> {
  return isPostgres ? { store: { url: await databaseOf(folder), environment: {} } } : { data: folder };
}

/** The same place as an argument of `service-child.ts`. */
export async function argumentOf(folder: string): Promise<string> {
  return isPostgres ? databaseOf(folder) : folder;
}

const options: StoreOptions = { edition: 'a', username, domains: [], now: Date.now, random: randomBytes };

export async function openStore(folder?: string): Promise<Store> {
  const { data, store } = await placeOf(folder);
  const opened = await (store
    ? openPostgresStore({ ...options, databaseUrl: store })
    : openSqliteStore({ ...options, directory: data }));
  await opened.open(undefined);
  return opened;
}

function databaseOf(folder: string | undefined): Promise<string> {
  return freshDatabase(folder && `f${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`);
}

/** One link, `abc`. */
export async function createUrl(store: Store, maxClicks = 0, tags: readonly string[] = []): Promise<StoredUrl> {
  const [domain] = await store.listDomains();
  const rules = { domain: domain as StoredDomain, duplicates: 'allowed', urlLimit: 9, monthLimit: 9, existingBound: 1 } as const;
  const fields = { longUrl: 'https://example.com/', customHash: 'abc', note: '', emailStats: false, tags };
  const [creation] = await store.createUrls([{ ...fields, expirationDate: null, maxClicks }], rules);
  if (creation?.kind !== 'created') throw new Error('no link was made');
  return creation.url;
}
