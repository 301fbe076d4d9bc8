import { UnavailableError } from '../base/errors.ts';
import type { Session } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { type FilteredPage, filteredPages } from '../client/filtered-pages.ts';
import { namedUrls } from '../client/named-urls.ts';
import type { ListSelection } from '../client/pages.ts';
import { coverage, wholeAccount } from '../client/whole-listing.ts';
import type { LinkKey } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { readTargets } from '../input/named-targets.ts';
import type { LinkFilter } from '../link/rules/filter.ts';
import { grouped, quantity } from '../output/quantity.ts';
import { listingOf, readFilter, refuseDomains } from './listed-selection.ts';
import { type NamedSelection, readSelection, type SelectionOptions } from './selection-flags.ts';

/** Links as they are named on a command line. */
export interface TypedSelection {
  readonly operands: readonly string[];
  readonly options: SelectionOptions;
}

/** Some of the selected links. */
interface RecordsPage {
  readonly records: readonly UrlRecord[];
  /** Those that were named and do not exist. */
  readonly missing: readonly LinkKey[];
}

/**
 * The records of all selected links: of the whole account, on all domains, without a selection. Nothing is listed before the pages are read,
 * which throw an `UnavailableError` where the listing is not whole.
 */
export async function selectedRecords(
  { operands, options }: TypedSelection,
  session: Session,
): Promise<AsyncGenerator<RecordsPage>> {
  const selection = readSelection(operands, options);
  const filter = await readFilter(options, session);
  if (selection && selection.kind !== 'tags') {
    refuseDomains(options, session, { '<hash>...': true });
    return namedPages(selection, filter, session);
  }
  refuseDomains(options, session, { '--by-tags': options.byTags });
  const selections = await selectionsOf(options, session);
  const pages = filteredPages(session.client, selections, filter, { untilEmpty: true, warn: refuseRepeats });
  return wholeListing(pages, session);
}

async function* namedPages(
  selection: Exclude<NamedSelection, { kind: 'tags' }>,
  filter: LinkFilter | undefined,
  session: Session,
): AsyncGenerator<RecordsPage> {
  const { open } = await readTargets(selection, session, (path) => session.openInput(path, 'hashes'));
  for await (const { record, target } of namedUrls(session.client, open(), batchSizeOf(session, undefined))) {
    if (record === undefined) yield { records: [], missing: [target] };
    else if (filter?.matches(record) ?? true) yield { records: [record], missing: [] };
  }
}

/** Without a selection, all links of all domains; `--domain` narrows that. */
async function selectionsOf(options: SelectionOptions, session: Session): Promise<readonly ListSelection[]> {
  const { byTags: tags, search, allDomains, filter } = options;
  if (tags === undefined && search === undefined && !filter && !session.domainNamed) return await wholeAccount(session);
  const { selections, isPart } = await listingOf({ tags, search }, { allDomains }, session);
  if (isPart) for (const line of await coverage(session)) await session.note(line);
  return selections;
}

/** Links that a listing lacks would look deleted. */
async function* wholeListing(pages: AsyncGenerator<FilteredPage>, { streams }: Session): AsyncGenerator<RecordsPage> {
  let last: FilteredPage | undefined;
  for await (const page of pages) {
    last = page;
    yield { records: page.rows, missing: [] };
    streams.progress.step(() => `${grouped(page.read)}/${page.total === undefined ? '?' : grouped(page.total)} links`);
  }
  const { read = 0, total = 0 } = last ?? {};
  if (read < total)
    throw new UnavailableError(`the server lists ${grouped(read)} of ${quantity(total, 'link')}; run the command again`);
}

function refuseRepeats(): never {
  throw new UnavailableError('the server repeats the same rows; the listing is incomplete');
}
