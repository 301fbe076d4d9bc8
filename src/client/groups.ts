import { UsageError } from '../base/errors.ts';
import { type Edition, editions } from '../contract/editions.ts';
import type { LinkKey } from '../contract/link.ts';
import { isTooLarge } from './call-error.ts';

/** Hashes of one domain that fit into one call. */
export interface HashGroup {
  readonly hashes: readonly string[];
  /** Ready for `query`: separated by commas (4.1.8). */
  readonly joined: string;
  readonly domain?: string | undefined;
}

/** How many items go into one call. It shrinks when the server finds a group too large, for the rest of the run (B86, R-13). */
export interface GroupSize {
  items: number;
}

/** Who sends: the edition of the server, and what the profile says. */
export interface Sender {
  readonly edition: Edition;
  readonly defaults: { readonly batch_size?: number | null | undefined };
}

/**
 * Items in one call: by the flag, else by the profile, else the edition's bound, which a profile that was made for another edition
 * may exceed (D15). Deployments differ (FIELD-NOTES 21). Throws a UsageError for a flag that exceeds it.
 */
export function batchSizeOf({ edition, defaults }: Sender, flag?: number): number {
  const { groupBound, title } = editions[edition];
  if (flag !== undefined && flag > groupBound) {
    throw new UsageError(`--batch-size: ${title} takes at most ${groupBound} items in one call`);
  }
  return flag ?? Math.min(defaults.batch_size ?? groupBound, groupBound);
}

/**
 * Does `work` on all targets in groups that keep to both limits, items and encoded URL length (B85, R-14); each group is of one
 * domain. A group that the server refuses as too large is halved and sent again, down to one item. Order within a domain is kept.
 */
export async function* inGroups<T>(
  targets: Iterable<LinkKey> | AsyncIterable<LinkKey>,
  size: GroupSize,
  work: (group: HashGroup) => Promise<T>,
): AsyncGenerator<{ readonly group: HashGroup; readonly result: T }> {
  for await (const group of groupsOf(targets, size)) yield* shrinking(group, size, work);
}

/** How many hashes, from the first, fit in one address. */
export function fittingHashes(urls: readonly LinkKey[]): number {
  let bytes = 0;
  for (const [position, { hash }] of urls.entries()) {
    bytes += encodedLength(hash);
    if (bytes > listBytes) return Math.max(1, position);
  }
  return urls.length;
}

/** Bytes that a list of hashes may take in an address: what is around it has the rest of the 6,000 (B85, R-14). */
const listBytes = 5800;

async function* groupsOf(targets: Iterable<LinkKey> | AsyncIterable<LinkKey>, size: GroupSize): AsyncGenerator<HashGroup> {
  const open = new Map<string | undefined, { hashes: string[]; bytes: number }>();
  for await (const { hash, domain } of targets) {
    const bytes = encodedLength(hash);
    const group = open.get(domain);
    if (group && group.hashes.length < size.items && group.bytes + bytes <= listBytes) {
      group.hashes.push(hash);
      group.bytes += bytes;
      continue;
    }
    open.set(domain, { hashes: [hash], bytes });
    if (group) yield groupOf(group.hashes, domain);
  }
  for (const [domain, { hashes }] of open) yield groupOf(hashes, domain);
}

async function* shrinking<T>(
  group: HashGroup,
  size: GroupSize,
  work: (group: HashGroup) => Promise<T>,
): AsyncGenerator<{ readonly group: HashGroup; readonly result: T }> {
  for (let rest = group.hashes; rest.length > 0; ) {
    const part = groupOf(rest.slice(0, size.items), group.domain);
    try {
      const result = await work(part);
      rest = rest.slice(part.hashes.length);
      yield { group: part, result };
    } catch (error) {
      if (!isTooLarge(error) || part.hashes.length === 1) throw error;
      size.items = Math.floor(part.hashes.length / 2);
    }
  }
}

function groupOf(hashes: readonly string[], domain: string | undefined): HashGroup {
  return { hashes, joined: hashes.join(','), domain };
}

/** With the comma after it, which becomes `%2C`. */
function encodedLength(hash: string): number {
  return encodeURIComponent(hash).length + 3;
}
