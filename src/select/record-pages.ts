import type { Session } from '../cli/session.ts';
import type { LinkKey } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { grouped } from '../output/quantity.ts';
import type { ListedLinks, NamedLinks } from './selected-links.ts';

interface RecordsPage {
  readonly records: readonly UrlRecord[];
  /** Named links that do not exist. */
  readonly missing: readonly LinkKey[];
}

/** Yields the records of all selected links. */
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
  for await (const { rows, read, total } of links.records()) {
    yield { records: rows, missing: [] };
    streams.progress.step(() => `${grouped(read)}/${total === undefined ? '?' : grouped(total)} links`);
  }
}
