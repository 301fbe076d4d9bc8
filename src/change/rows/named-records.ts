import type { Client } from '../../client/client.ts';
import { namedUrls } from '../../client/named-urls.ts';
import { type LinkKey, linkText } from '../../contract/link.ts';
import { lacksKey, type UrlRecord } from '../../contract/records.ts';

/**
 * Reads URLs by hash in groups. The function that it returns finds the record of each; undefined for one that does not exist or that no
 * request can name.
 */
export async function recordsOf(
  client: Pick<Client, 'send'>,
  targets: Iterable<LinkKey>,
  batchSize: number,
): Promise<(target: LinkKey) => UrlRecord | undefined> {
  const found = new Map<string, UrlRecord>();
  const sought = [...targets].filter(({ hash }) => !lacksKey(hash));
  for await (const { target, record } of namedUrls(client, sought, batchSize)) if (record) found.set(linkText(target), record);
  return (target) => found.get(linkText(target));
}
