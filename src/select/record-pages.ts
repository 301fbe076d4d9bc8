import { UnavailableError } from '../base/errors.ts';
import type { Session } from '../cli/session.ts';
import type { FilteredPage } from '../client/filtered-pages.ts';
import type { LinkKey } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { grouped, quantity } from '../output/quantity.ts';
import type { ListedLinks, NamedLinks } from './selected-links.ts';

interface RecordsPage {
  readonly records: readonly UrlRecord[];
  /** Named links that do not exist. */
  readonly missing: readonly LinkKey[];
}

/** Yields the records of all selected links. Throws an `UnavailableError` if the listing is incomplete. */
export async function* recordPages(links: NamedLinks | ListedLinks, { streams }: Session): AsyncGenerator<RecordsPage> {
  if (links.kind === 'named') {
    for await (const page of links.pages()) {
      yield {
        records: page.links.flatMap(({ record }) => record ?? []),
        missing: page.links.flatMap(({ target, record }) => (record ? [] : target)),
      };
    }
    return;
  }
  let last: FilteredPage | undefined;
  for await (const page of links.records()) {
    last = page;
    yield { records: page.rows, missing: [] };
    streams.progress.step(() => `${grouped(page.read)}/${page.total === undefined ? '?' : grouped(page.total)} links`);
  }
  // Links that an incomplete listing lacks would look deleted.
  const { read = 0, total = 0 } = last ?? {};
  if (read < total)
    throw new UnavailableError(`the server lists ${grouped(read)} of ${quantity(total, 'link')}; run the command again`);
}
