import type { UrlRecord } from '../contract/records.ts';
import type { Client } from './client.ts';
import { type GroupSize, type HashTarget, inGroups } from './groups.ts';

/** A URL that was asked for by its hash, and its record if there is one. */
export interface NamedUrl {
  readonly target: HashTarget;
  readonly record: UrlRecord | undefined;
}

/**
 * Reads URLs by hash in groups, in the order in which they were named within a domain. The answer may come in any order, leave
 * hashes out or hold others (F45); a whole group that is answered with 1306 is missing.
 */
export async function* namedUrls(
  client: Client,
  targets: Iterable<HashTarget> | AsyncIterable<HashTarget>,
  size: GroupSize,
): AsyncGenerator<NamedUrl> {
  const groups = inGroups(targets, size, ({ joined, domain, hashes }) => readGroup(client, joined, domain, hashes.length));
  for await (const { group, result } of groups) {
    for (const hash of group.hashes) yield { target: { hash, domain: group.domain }, record: result.get(hash) };
  }
}

async function readGroup(
  client: Client,
  hashes: string,
  domain: string | undefined,
  limit: number,
): Promise<Map<string, UrlRecord>> {
  try {
    const { urls } = await client.send('listUrls', { query: { hashes, domain, limit } });
    return new Map(urls.map((record) => [record.hash, record]));
  } catch (error) {
    if ((error as { apiCode?: number }).apiCode === 1306) return new Map();
    throw error;
  }
}
