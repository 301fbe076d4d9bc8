import { foldedHash, type LinkKey } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { fittingHashes } from './batch-limits.ts';
import { CallError, isTooLarge } from './call-error.ts';
import type { Client } from './client.ts';

/** A URL that was asked for by its hash, and its record if there is one. */
interface NamedUrl {
  readonly target: LinkKey;
  readonly record: UrlRecord | undefined;
}

export interface ReadSettings {
  readonly client: Pick<Client, 'send'>;
  readonly domain?: string | undefined;
  /** Hashes in one call at most. */
  readonly batchSize: number;
  readonly signal?: AbortSignal | undefined;
}

/** The records of those URLs of one domain that exist, by the hash that they were asked for with. */
export async function urlsByHash(
  hashes: Iterable<string>,
  { client, domain, batchSize, signal }: ReadSettings,
): Promise<Map<string, UrlRecord>> {
  const targets = [...new Set(hashes)].map((hash) => ({ hash, domain }));
  const found = new Map<string, UrlRecord>();
  for await (const { target, record } of namedUrls(client, targets, batchSize, signal)) {
    if (record) found.set(target.hash, record);
  }
  return found;
}

/** Reads URLs by hash in groups, in the order in which they were named within a domain. Each call is for one domain (4.1.7). */
export async function* namedUrls(
  client: Pick<Client, 'send'>,
  targets: Iterable<LinkKey> | AsyncIterable<LinkKey>,
  batchSize: number,
  signal?: AbortSignal,
): AsyncGenerator<NamedUrl> {
  const size: GroupSize = { items: batchSize };
  for await (const group of groupsOf(targets, size)) {
    const domain = group[0]?.domain;
    const found = await readGroup(
      group.map(({ hash }) => hash),
      size,
      async (hashes) => {
        const query = { hashes: hashes.join(','), domain, limit: hashes.length };
        return (await client.send('listUrls', { query }, { signal })).urls;
      },
    );
    for (const target of group) yield { target, record: found.get(target.hash) };
  }
}

/** How many hashes go into one call. It shrinks when the server finds a group too large, for the rest of the reading (B86, R-13). */
interface GroupSize {
  items: number;
}

/** URLs of one domain that fit in one call: by their number, and by the length of its address (B85, R-14). */
async function* groupsOf(
  targets: Iterable<LinkKey> | AsyncIterable<LinkKey>,
  size: GroupSize,
): AsyncGenerator<readonly LinkKey[]> {
  const domains = new Map<string | undefined, LinkKey[]>();
  for await (const target of targets) {
    const waiting = domains.get(target.domain) ?? [];
    if (waiting.push(target) === 1) domains.set(target.domain, waiting);
    if (waiting.length >= size.items) yield waiting.splice(0, fittingHashes(waiting));
  }
  for (const waiting of domains.values()) {
    while (waiting.length > 0) yield waiting.splice(0, fittingHashes(waiting));
  }
}

/**
 * The records of those that exist. An answer may be in any order, be partial, hold other URLs, or be 1306 because of one hash (F45,
 * D12). So missing hashes are requested again until an answer adds nothing; pages, totals and offsets are not trusted. If that last
 * answer is empty, the rest does not exist. If it is 1306, or holds only other URLs, each half is requested, down to single hashes.
 * After a call that was too large, all calls have half as many hashes.
 */
async function readGroup(
  hashes: readonly string[],
  size: GroupSize,
  ask: (hashes: readonly string[]) => Promise<readonly UrlRecord[]>,
): Promise<Map<string, UrlRecord>> {
  const found = new Map<string, UrlRecord>();
  const open = [hashes];
  for (let next = open.pop(); next; next = open.pop()) {
    const asked = next.slice(0, size.items);
    if (asked.length === 0) continue;
    const isOne = asked.length === 1;
    const urls = await ask(asked).catch((error: unknown) => {
      if (isTooLarge(error) && !isOne) return 'too large';
      if (error instanceof CallError && error.outcome === 'rejected' && error.apiCode === 1306) return undefined;
      throw error;
    });
    if (urls === 'too large') {
      size.items = Math.floor(asked.length / 2);
      open.push(next);
      continue;
    }
    open.push(next.slice(asked.length));
    const before = found.size;
    if (urls) take(urls, asked, found);
    if (found.size > before) open.push(asked.filter((hash) => !found.has(hash)));
    else if (urls?.length !== 0 && !isOne) {
      const middle = Math.ceil(asked.length / 2);
      open.push(asked.slice(middle), asked.slice(0, middle));
    }
  }
  return found;
}

/** A record that is written in another case belongs to the hash that was asked for, unless that one came too. */
function take(urls: readonly UrlRecord[], asked: readonly string[], found: Map<string, UrlRecord>): void {
  const open = new Set(asked);
  const others = urls.filter((record) => {
    if (!open.delete(record.hash)) return true;
    found.set(record.hash, record);
    return false;
  });
  if (open.size === 0 || others.length === 0) return;
  const folded = new Map([...open].map((hash) => [foldedHash(hash), hash]));
  for (const record of others) {
    const hash = folded.get(foldedHash(record.hash));
    if (hash !== undefined && !found.has(hash)) found.set(hash, { ...record, hash: record.hash.trim() });
  }
}
