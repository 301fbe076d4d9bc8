import { type CliError, NotFoundError, PartialError } from '../base/errors.ts';
import { foldedHash, type LinkKey } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { CallError } from './call-error.ts';
import type { Send } from './client-options.ts';
import { type GroupSize, inGroups } from './groups.ts';

/** A URL that was asked for by its hash, and its record if there is one. */
export interface NamedUrl {
  readonly target: LinkKey;
  readonly record: UrlRecord | undefined;
}

/** What reads. */
export interface Reader {
  readonly send: Send;
}

/**
 * Reads URLs by hash in groups, in the order in which they were named within a domain. The answer may come in any order and in
 * parts, leave hashes out, hold others, write them in another case, or be 1306 because of one of them (F45, D12).
 */
export async function* namedUrls(
  client: Reader,
  targets: Iterable<LinkKey> | AsyncIterable<LinkKey>,
  size: GroupSize,
  signal?: AbortSignal,
): AsyncGenerator<NamedUrl> {
  const groups = inGroups(targets, size, async ({ hashes, domain }) => {
    const found = new Map<string, UrlRecord>();
    await readGroup(hashes, found, async (asked) => {
      const query = { hashes: asked.join(','), domain, limit: asked.length };
      return (await client.send('listUrls', { query }, { signal })).urls;
    });
    return found;
  });
  for await (const { group, result } of groups) {
    for (const hash of group.hashes) yield { target: { hash, domain: group.domain }, record: result.get(hash) };
  }
}

export interface ReadSettings {
  readonly client: Reader;
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
  for await (const { target, record } of namedUrls(client, targets, { items: batchSize }, signal)) {
    if (record) found.set(target.hash, record);
  }
  return found;
}

/** The failure of a URL that was named and is not there. */
export function notFound({ hash, domain }: LinkKey): NotFoundError {
  return new NotFoundError(`no short URL "${hash}"${domain ? ` on ${domain}` : ''}`, { apiCode: 1306 });
}

/** How a reading ends that did not find all that was named, after people have read which (B43). */
export function missingFailure(missing: number, named: number): CliError | undefined {
  if (missing === 0) return undefined;
  if (named === 1) return new NotFoundError('no such short URL', { apiCode: 1306, reported: true });
  const Kind = missing < named ? PartialError : NotFoundError;
  return new Kind(`${missing} of ${named} URLs do not exist`);
}

type NamedUrlsState = Map<string, UrlRecord>;

/**
 * Asks for what an answer left out until one adds nothing: no page, total or offset of the server is believed (D12). What is left
 * then does not exist if that answer was empty; one that holds only strangers says nothing, nor does 1306, which may be for one of
 * many: then each half is asked for, down to single hashes.
 */
async function readGroup(
  hashes: readonly string[],
  found: NamedUrlsState,
  ask: (hashes: readonly string[]) => Promise<readonly UrlRecord[]>,
): Promise<void> {
  for (let rest = hashes; rest.length > 0; ) {
    const urls = await ask(rest).catch(unlessMissing);
    const before = found.size;
    if (urls) take(urls, rest, found);
    if (found.size === before) {
      if (urls?.length === 0 || rest.length === 1) return;
      const middle = Math.ceil(rest.length / 2);
      await readGroup(rest.slice(0, middle), found, ask);
      return await readGroup(rest.slice(middle), found, ask);
    }
    rest = rest.filter((hash) => !found.has(hash));
  }
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof CallError) || error.outcome !== 'rejected' || error.apiCode !== 1306) throw error;
}

/** A record that is written in another case belongs to the hash that was asked for, unless that one came too. */
function take(urls: readonly UrlRecord[], asked: readonly string[], found: NamedUrlsState): void {
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
