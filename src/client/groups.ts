import { type Edition, editions } from '../contract/editions.ts';
import type { LinkKey } from '../contract/link.ts';
import { CallError } from './call-error.ts';

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

/** The profile's bound, or else the edition's; deployments differ (FIELD-NOTES 21). */
export function groupSize(edition: Edition, batchSize?: number): GroupSize {
  return { items: batchSize ?? editions[edition].groupBound };
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

/** Whether a call was refused because it held too much: too many items, too long a body, too long an address. */
export function isTooLarge(error: unknown): error is CallError {
  if (!(error instanceof CallError) || error.outcome !== 'rejected') return false;
  return error.apiCode === 1221 || error.apiCode === 1310 || error.status === 413 || error.status === 414;
}

/** Bytes of the encoded hash list; what is around it in the address has the rest of the 6000 (B85). */
const maximumList = 5600;

async function* groupsOf(targets: Iterable<LinkKey> | AsyncIterable<LinkKey>, size: GroupSize): AsyncGenerator<HashGroup> {
  const open = new Map<string | undefined, { hashes: string[]; bytes: number }>();
  for await (const { hash, domain } of targets) {
    const bytes = encodedLength(hash);
    const group = open.get(domain);
    if (group && group.hashes.length < size.items && group.bytes + bytes <= maximumList) {
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
