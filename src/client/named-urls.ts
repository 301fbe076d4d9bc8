import type { LinkKey } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { type CliError, NotFoundError, PartialError } from '../errors.ts';
import type { Client } from './client.ts';
import { type GroupSize, inGroups } from './groups.ts';

/** A URL that was asked for by its hash, and its record if there is one. */
export interface NamedUrl {
  readonly target: LinkKey;
  readonly record: UrlRecord | undefined;
}

/**
 * Reads URLs by hash in groups, in the order in which they were named within a domain. The answer may come in any order and in
 * parts, leave hashes out, hold others, or be 1306 because of one of them (F45).
 */
export async function* namedUrls(
  client: Client,
  targets: Iterable<LinkKey> | AsyncIterable<LinkKey>,
  size: GroupSize,
): AsyncGenerator<NamedUrl> {
  const groups = inGroups(targets, size, ({ hashes, domain }) => readGroup(client, hashes, domain));
  for await (const { group, result } of groups) {
    for (const hash of group.hashes) yield { target: { hash, domain: group.domain }, record: result.get(hash) };
  }
}

/** The failure of a URL that was named and is not there. */
export function notFound({ hash, domain }: LinkKey): NotFoundError {
  return new NotFoundError(`no short URL "${hash}"${domain ? ` on ${domain}` : ''}`, { apiCode: 1306 });
}

/** How a reading ends that did not find all that was named, after people have read which (B43). */
export function missingFailure(missing: number, named: number): CliError | undefined {
  if (missing === 0) return undefined;
  if (named === 1) return new NotFoundError('no such short URL', { apiCode: 1306, told: true });
  const Kind = missing < named ? PartialError : NotFoundError;
  return new Kind(`${missing} of ${named} URLs do not exist`);
}

type Records = ReadonlyMap<string, UrlRecord>;

async function readGroup(client: Client, hashes: readonly string[], domain: string | undefined): Promise<Records> {
  try {
    return await readPages(client, hashes, domain);
  } catch (error) {
    if ((error as { apiCode?: number }).apiCode !== 1306) throw error;
    if (hashes.length === 1) return new Map();
    const middle = Math.ceil(hashes.length / 2);
    const halves = [hashes.slice(0, middle), hashes.slice(middle)];
    const found: Records[] = [];
    for (const half of halves) found.push(await readGroup(client, half, domain));
    return new Map(found.flatMap((records) => [...records]));
  }
}

/** A server may give out less at a time than it is asked for. */
async function readPages(client: Client, hashes: readonly string[], domain: string | undefined): Promise<Records> {
  const found = new Map<string, UrlRecord>();
  for (let offset = 0; ; ) {
    const { urls, page } = await client.send('listUrls', {
      query: { hashes: hashes.join(','), domain, limit: hashes.length, ...(offset > 0 && { offset }) },
    });
    for (const record of urls) found.set(record.hash, record);
    offset += urls.length;
    if (urls.length === 0 || offset >= Math.min(hashes.length, page?.total_count ?? 0)) return found;
  }
}
