import { UnavailableError } from '../base/errors.ts';
import type { UrlRecord } from '../contract/records.ts';
import type { Client } from './client.ts';
import { type ListSelection, urlPages } from './pages.ts';

/** How many URLs a selection is of. */
interface UrlCount {
  readonly count: number;
  /** The first of them. */
  readonly first: readonly UrlRecord[];
}

/**
 * Counts the links that a change selects (D13). Two calls are enough if the server's total agrees with the rows at the end of the
 * listing. Otherwise the rows are counted. Throws if they cannot be counted.
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
