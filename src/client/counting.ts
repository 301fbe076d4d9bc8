import { UnavailableError } from '../base/errors.ts';
import type { UrlRecord } from '../contract/records.ts';
import type { Client } from './client.ts';
import { type ListSelection, urlPages } from './pages.ts';

/** How many URLs a selection is of. */
interface UrlCount {
  readonly count: number;
  /** Whether there may be more: no further ones were read. */
  readonly orMore: boolean;
  /** The first of them. */
  readonly first: readonly UrlRecord[];
}

/**
 * Counts the links that a change selects (D13). Two calls are enough if the server's total agrees with the rows at the end of the
 * listing. Otherwise the rows are counted, until there are more than `atMost`. Throws if they cannot be counted.
 */
export async function countUrls(
  client: Client,
  selection: ListSelection,
  { shown, atMost }: { readonly shown: number; readonly atMost?: number | undefined },
): Promise<UrlCount> {
  const { urls, page } = await client.send('listUrls', { query: { ...selection, limit: shown } });
  const first = urls.slice(0, shown);
  const total: unknown = page?.total_count;
  if (Number.isSafeInteger(total) && Number(total) >= urls.length) {
    const count = Number(total);
    if (count > (atMost ?? count) || (await endsAt(count, selection, client))) return { count, orMore: false, first };
  }
  let isLost = false;
  const extent = atMost === undefined ? { all: true } : { limit: atMost + 1 };
  const pages = urlPages(client, selection, extent, { untilEmpty: true, warn: () => (isLost = true) });
  let count = 0;
  for await (const { rows } of pages) count += rows.length;
  const orMore = atMost !== undefined && count > atMost;
  if (isLost && !orMore) refuseRepeats();
  return { count, orMore, first };
}

/** For a listing that decides what is changed: what cannot be counted is not touched (D13). */
export function refuseRepeats(): never {
  throw new UnavailableError('the server repeats the same rows; the selected links cannot be counted');
}

/** Whether the last row is there, and none behind it. */
async function endsAt(count: number, selection: ListSelection, client: Client): Promise<boolean> {
  if (count === 0) return true;
  const { urls } = await client.send('listUrls', { query: { ...selection, offset: count - 1, limit: 2 } });
  return urls.length === 1;
}
