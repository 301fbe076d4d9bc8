import { foldedHash, type LinkKey, recordDomain, type SoughtLink } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { isSameDomain } from '../contract/web-address.ts';
import { fittingHashes } from './batch-limits.ts';
import { CallError, isTooLarge } from './call-error.ts';
import type { Client } from './client.ts';

interface NamedUrl {
  readonly target: SoughtLink;
  readonly record: UrlRecord | undefined;
}

interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** A domain that the account does not have is no failure: its links are missing. */
  readonly ignoreUnknownDomains?: boolean;
}

interface ReadSettings extends ReadOptions {
  readonly client: Pick<Client, 'send'>;
  readonly domain?: string | undefined;
  /** Maximum number of hashes per call. */
  readonly batchSize: number;
}

/** Returns the existing URLs of one domain by the requested hash. */
export async function urlsByHash(
  hashes: Iterable<string>,
  { client, domain, batchSize, ...options }: ReadSettings,
): Promise<Map<string, UrlRecord>> {
  const targets = [...new Set(hashes)].map((hash) => ({ hash, domain }));
  const found = new Map<string, UrlRecord>();
  for await (const { target, record } of namedUrls(client, targets, batchSize, options)) {
    if (record) found.set(target.hash, record);
  }
  return found;
}

/** Keeps the order of the targets within a domain. Each call is for one domain (4.1.7). */
export async function* namedUrls(
  client: Pick<Client, 'send'>,
  targets: Iterable<LinkKey> | AsyncIterable<LinkKey>,
  batchSize: number,
  { signal, ignoreUnknownDomains }: ReadOptions = {},
): AsyncGenerator<NamedUrl> {
  const size: GroupSize = { items: batchSize };
  for await (const group of groupsOf(targets, size)) {
    const domain = group[0]?.domain;
    let isForeign = false;
    const found = await readGroup(group, size, async (hashes) => {
      const query = { hashes: hashes.join(','), domain, limit: hashes.length };
      try {
        const { urls } = await client.send('listUrls', { query }, { signal });
        return urls.filter(({ error }) => error?.code !== 1306);
      } catch (error) {
        if (!ignoreUnknownDomains || !isRejected(error, 1313)) throw error;
        isForeign = true;
        return [];
      }
    });
    for (const target of group) yield { target: isForeign ? { ...target, isForeign } : target, record: found.get(target.hash) };
  }
}

/** Shrinks for the rest of the reading when the server refuses a group as too large. */
interface GroupSize {
  items: number;
}

/** Limits groups by the number of hashes and by the length of the URL. */
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
 * Servers return records in any order, incompletely, with other URLs, or 1306 for one hash or because of one. Missing hashes are requested again until
 * an answer adds nothing. If that answer is empty, the rest does not exist; otherwise the group is halved, down to single hashes. After a
 * call that was too large, all groups are half as large.
 */
async function readGroup(
  group: readonly LinkKey[],
  size: GroupSize,
  ask: (hashes: readonly string[]) => Promise<readonly UrlRecord[]>,
): Promise<Map<string, UrlRecord>> {
  const domain = group[0]?.domain;
  const found = new Map<string, UrlRecord>();
  const open = [group.map(({ hash }) => hash)];
  for (let next = open.pop(); next; next = open.pop()) {
    const asked = next.slice(0, size.items);
    if (asked.length === 0) continue;
    const isOne = asked.length === 1;
    const urls = await ask(asked).catch((error: unknown) => {
      if (isTooLarge(error) && !isOne) return 'too large';
      if (isRejected(error, 1306)) return undefined;
      throw error;
    });
    if (urls === 'too large') {
      size.items = Math.floor(asked.length / 2);
      open.push(next);
      continue;
    }
    open.push(next.slice(asked.length));
    const before = found.size;
    if (urls) take(urls, { asked, domain }, found);
    if (found.size > before) open.push(asked.filter((hash) => !found.has(hash)));
    else if (urls?.length !== 0 && !isOne) {
      const middle = Math.ceil(asked.length / 2);
      open.push(asked.slice(middle), asked.slice(0, middle));
    }
  }
  return found;
}

function isRejected(error: unknown, apiCode: number): boolean {
  return error instanceof CallError && error.outcome === 'rejected' && error.apiCode === apiCode;
}

interface Asked {
  readonly asked: readonly string[];
  readonly domain: string | undefined;
}

/**
 * A record in another case belongs to the requested hash, unless that hash was returned too. Of two records of a hash, the one on the
 * requested domain counts, else the first.
 */
function take(urls: readonly UrlRecord[], { asked, domain }: Asked, found: Map<string, UrlRecord>): void {
  const open = new Set(asked);
  const others = urls.filter((record) => {
    if (!open.delete(record.hash)) return true;
    found.set(record.hash, record);
    return false;
  });
  if (others.length === 0) return;
  const folded = new Map([...open].map((hash) => [foldedHash(hash), hash]));
  for (const record of others) {
    const rival = found.get(record.hash);
    if (rival && isOn(record, domain) && !isOn(rival, domain)) found.set(record.hash, record);
    const hash = folded.get(foldedHash(record.hash));
    if (hash !== undefined && !found.has(hash)) found.set(hash, { ...record, hash: record.hash.trim() });
  }
}

function isOn(record: UrlRecord, domain: string | undefined): boolean {
  const shown = recordDomain(record);
  return domain !== undefined && shown !== undefined && isSameDomain(shown, domain);
}
