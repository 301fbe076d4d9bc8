import { listingOf, readFilter, refuseDomains } from '../cli/listing.ts';
import type { Session } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { refuseRepeats } from '../client/counting.ts';
import { filteredPages } from '../client/filtered-pages.ts';
import { namedUrls } from '../client/named-urls.ts';
import { coverage } from '../client/whole-listing.ts';
import type { LinkKey } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import type { BulkOptions } from '../flags/bulk-flags.ts';
import type { LinkSelection, SelectionOptions } from '../flags/selection-flags.ts';
import { checkHashFile, itemsOf, placedOperands } from '../input/named-links.ts';
import type { LinkFilter } from '../links/filter.ts';

/** A link of a selection; only one that was named may not exist. */
export interface SelectedLink {
  readonly target: LinkKey;
  readonly record: UrlRecord | undefined;
}

export interface SelectedPage<Link extends SelectedLink = SelectedLink> {
  readonly links: readonly Link[];
  /** Links read so far, those that the filter left out included. */
  readonly read: number;
}

/** The links that a change selects, in whatever way (F1). */
export interface SelectedLinks<Link extends SelectedLink = SelectedLink> {
  /** What decides which they are, as it was typed. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly filter: LinkFilter | undefined;
  /** They are on several domains, or may be: a hash alone does not name them (F5). */
  readonly severalDomains: boolean;
  pages(): AsyncIterable<SelectedPage<Link>>;
}

/** Finds out how the links are read; a listing is read when its pages are. Throws a UsageError. */
export async function selectLinks(
  selection: LinkSelection,
  options: SelectionOptions & BulkOptions,
  session: Session,
): Promise<SelectedLinks> {
  const filter = await readFilter(options, session);
  const narrowed = { filter: options.filter };
  if (selection.kind === 'hashes' || selection.kind === 'file') {
    refuseDomains(options, session, { '<hash>...': true });
    const { given, domains, open } = await namedLinks(selection, session);
    const pages = () => namedPages(open(), filter, batchSizeOf(session, options.batchSize), session);
    return { given: { ...given, ...narrowed }, filter, severalDomains: domains.length > 1, pages };
  }
  refuseDomains(options, session, selection.kind === 'tags' ? { '--by-tags': true } : {});
  const tags = selection.kind === 'tags' ? selection.expression : undefined;
  const search = selection.kind === 'search' ? selection.text : undefined;
  const listing = await listingOf({ tags, search }, options, session);
  async function* pages(): AsyncGenerator<SelectedPage> {
    for await (const page of filteredPages(session.client, listing.selections, filter, { warn: refuseRepeats })) {
      yield { links: page.rows.map((record) => ({ target: page.linkOf(record), record })), read: page.read };
    }
    if (listing.isPart) for (const line of await coverage(session)) await session.note(line);
  }
  const { allDomains } = options;
  return { given: { tags, search, allDomains, ...narrowed }, filter, severalDomains: listing.severalDomains, pages };
}

/** Links that were named, by operands or by a file. */
async function namedLinks(selection: Extract<LinkSelection, { kind: 'hashes' | 'file' }>, session: Session) {
  if (selection.kind === 'hashes') {
    const { targets, domains } = await placedOperands(selection.operands, session, 'typed change');
    return { given: { targets }, domains, open: () => targets };
  }
  const source = await session.openInput(selection.path, 'hashes');
  const file = await checkHashFile(source, session, 'listed change');
  return { given: { sha256: source.sha256() }, domains: file.domains, open: () => itemsOf(file) };
}

async function* namedPages(
  targets: Iterable<LinkKey> | AsyncIterable<LinkKey>,
  filter: LinkFilter | undefined,
  batchSize: number,
  { client }: Session,
): AsyncGenerator<SelectedPage> {
  let read = 0;
  let links: SelectedLink[] = [];
  for await (const link of namedUrls(client, targets, batchSize)) {
    read += 1;
    if (!link.record || (filter?.matches(link.record) ?? true)) links.push(link);
    if (links.length < batchSize) continue;
    yield { links, read };
    links = [];
  }
  yield { links, read };
}
