import { UnavailableError } from '../base/errors.ts';
import type { UrlRecord } from '../contract/records.ts';
import type { Client } from './client.ts';
import { type ListSelection, urlPages } from './pages.ts';

interface UrlCount {
  readonly count: number;
  readonly first: readonly UrlRecord[];
}

/**
 * Counts the links before a change. The server's total is trusted only if the listing ends there; otherwise all rows are counted. Throws
 * if they cannot be counted.
 */
export async function countUrls(
  client: Client,
  selection: ListSelection,
  { shown }: { readonly shown: number },
): Promise<UrlCount> {
  const { urls, page } = await client.send('listUrls', { query: { ...selection, limit: shown } });
  const first = urls.slice(0, shown);
  const total: unknown = page?.total_count;
  if (Number.isSafeInteger(total) && Number(total) >= urls.length) {
    const count = Number(total);
    if (await endsAt(count, selection, client)) return { count, first };
  }
  const pages = urlPages(client, selection, { all: true }, { untilEmpty: true, warn: refuseRepeats });
  let count = 0;
  for await (const { rows } of pages) count += rows.length;
  return { count, first };
}

/** Links that cannot be counted must not be changed. */
export function refuseRepeats(): never {
  throw new UnavailableError('the server repeats the same rows; the selected links cannot be counted');
}

/** True if there is a row at the last position and none after it. */
async function endsAt(count: number, selection: ListSelection, client: Client): Promise<boolean> {
  if (count === 0) return true;
  const { urls } = await client.send('listUrls', { query: { ...selection, offset: count - 1, limit: 2 } });
  return urls.length === 1;
}
