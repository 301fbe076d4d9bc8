import { CallError } from '../client/call-error.ts';
import type { Client } from '../client/client.ts';
import type { LinkKey } from '../contract/link.ts';
import { isUsableHash } from './answer-items.ts';
import type { KnownRecord } from './verdict.ts';

/** Bytes that a list of hashes may take in an address: with path and other parameters it stays below 6,000 (R-14, B85). */
const listBytes = 5800;

/** How many hashes, from the first, fit in one address. */
export function fittingHashes(urls: readonly LinkKey[]): number {
  let bytes = 0;
  for (const [position, { hash }] of urls.entries()) {
    bytes += encodeURIComponent(hash).length + (position === 0 ? 0 : '%2C'.length);
    if (bytes > listBytes) return Math.max(1, position);
  }
  return urls.length;
}

export interface ReadHashesSettings {
  readonly client: Pick<Client, 'send'>;
  readonly domain?: string | undefined;
  /** Hashes in one call at most. */
  readonly batchSize: number;
  readonly signal?: AbortSignal | undefined;
}

/** The records of those hashes that exist, by hash, in as few calls as the limits allow. */
export async function readHashes(hashes: readonly string[], settings: ReadHashesSettings): Promise<Map<string, KnownRecord>> {
  const found = new Map<string, KnownRecord>();
  let rest = [...new Set(hashes)];
  while (rest.length > 0) {
    const count = fittingHashes(rest.slice(0, settings.batchSize).map((hash) => ({ hash })));
    await readGroup(rest.slice(0, count), settings, found);
    rest = rest.slice(count);
  }
  return found;
}

/** Servers differ in what they do about a hash that is not there: leave it out, or refuse the whole call (F45). */
async function readGroup(
  hashes: readonly string[],
  settings: ReadHashesSettings,
  found: Map<string, KnownRecord>,
): Promise<void> {
  try {
    await readPages(hashes, settings, found);
  } catch (error) {
    const code = error instanceof CallError && error.outcome === 'rejected' ? error.apiCode : undefined;
    if (code === 1306 && hashes.length === 1) return;
    if ((code !== 1306 && code !== 1221) || hashes.length === 1) throw error;
    const middle = Math.ceil(hashes.length / 2);
    await readGroup(hashes.slice(0, middle), settings, found);
    await readGroup(hashes.slice(middle), settings, found);
  }
}

async function readPages(
  hashes: readonly string[],
  { client, domain, signal }: ReadHashesSettings,
  found: Map<string, KnownRecord>,
): Promise<void> {
  const asked = new Set(hashes);
  for (let offset = 0; offset < hashes.length; ) {
    const query = {
      hashes: hashes.join(','),
      limit: hashes.length,
      ...(offset > 0 && { offset }),
      ...(domain !== undefined && { domain }),
    };
    const { urls, page } = await client.send('listUrls', { query }, { signal });
    for (const record of urls) if (isUsableHash(record.hash) && asked.has(record.hash)) found.set(record.hash, record);
    offset += urls.length;
    if (urls.length === 0 || offset >= Number(page?.total_count ?? 0)) return;
  }
}
