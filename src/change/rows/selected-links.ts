import { UnavailableError } from '../../base/errors.ts';
import type { InputFile, RunInput } from '../../bulk/run-plan.ts';
import { listingOf, readFilter } from '../../cli/listing.ts';
import type { Session } from '../../cli/session.ts';
import { batchSizeOf } from '../../client/batch-limits.ts';
import { refuseRepeats } from '../../client/counting.ts';
import { filteredPages } from '../../client/filtered-pages.ts';
import { namedUrls } from '../../client/named-urls.ts';
import type { ListSelection } from '../../client/pages.ts';
import { coverage } from '../../client/whole-listing.ts';
import { editions } from '../../contract/editions.ts';
import { type LinkDomains, type LinkKey, recordDomain } from '../../contract/link.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { withoutLocalPort } from '../../contract/web-address.ts';
import type { BulkOptions } from '../../flags/bulk-flags.ts';
import type { LinkSelection, SelectionOptions } from '../../flags/selection-flags.ts';
import { checkHashFile } from '../../input/hash-file.ts';
import { itemsOf, resolveOperands } from '../../input/named-targets.ts';
import type { LinkFilter } from '../../link/rules/filter.ts';

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
  /** The file that names them. */
  readonly file?: InputFile | undefined;
  /** Of what was typed, with days that are counted from `now`: a resumed run means those of its beginning (D24). */
  filterAt(now: number): Promise<LinkFilter | undefined>;
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
  const filterAt = (now: number) => readFilter(options, session, now);
  const narrowed = { filter: options.filter };
  if (selection.kind === 'hashes' || selection.kind === 'file') {
    const { given, domains, open, file } = await namedLinks(selection, session);
    const pages = () => namedPages(open(), filter, batchSizeOf(session, options.batchSize), session);
    return { given: { ...given, ...narrowed }, file, filterAt, severalDomains: domains.length > 1, pages };
  }
  const tags = selection.kind === 'tags' ? selection.expression : undefined;
  const search = selection.kind === 'search' ? selection.text : undefined;
  const listing = await listingOf({ tags, search }, options, session);
  if (listing.isPart) await noteCoverage([], session);
  const pages = () => listedPages(listing.selections, filter, session);
  const { allDomains } = options;
  return { given: { tags, search, allDomains, ...narrowed }, filterAt, severalDomains: listing.severalDomains, pages };
}

/** The whole listing, to its end. Throws where it cannot be read whole: a part of the selection is not what was asked for (D13). */
async function* listedPages(
  selections: readonly ListSelection[],
  filter: LinkFilter | undefined,
  session: Session,
): AsyncGenerator<SelectedPage> {
  const reading = { untilEmpty: true, warn: refuseRepeats };
  for await (const page of filteredPages(session.client, selections, filter, reading)) {
    const links = page.rows.map((record) => ({ target: page.linkOf(record), record }));
    await refuseStrangers(links, session);
    yield { links, read: page.read };
  }
}

/** Throws where a server lists links of another domain than it was asked for: on that domain other links have their hashes (F5). */
async function refuseStrangers(
  links: readonly { readonly target: LinkKey; readonly record: UrlRecord }[],
  { edition, domains }: Session,
): Promise<void> {
  if (!editions[edition].severalDomains) return;
  // Of a page of links of one domain, the first is enough.
  let known: { readonly shown: string; readonly domain: string | undefined } | undefined;
  for (const { target, record } of links) {
    const shown = recordDomain(record);
    if (shown === undefined || shown === target.domain) continue;
    if (shown === known?.shown && target.domain === known.domain) continue;
    const { names, defaultDomain } = await domains();
    const asked = target.domain ?? defaultDomain;
    const isOwn = names.some((name) => withoutLocalPort(name) === withoutLocalPort(shown));
    if (asked === undefined || withoutLocalPort(shown) === withoutLocalPort(asked) || !isOwn) {
      known = { shown, domain: target.domain };
      continue;
    }
    throw new UnavailableError(`the server lists links of ${shown} where those of ${asked} were requested`);
  }
}

/** The links of the domains that a file names, or of the working domain where it names none. */
export async function linksOfDomains(
  domains: LinkDomains,
  options: Pick<SelectionOptions, 'filter'>,
  session: Session,
): Promise<SelectedLinks> {
  const names = domains.length > 0 ? domains : [session.domain];
  const filter = await readFilter(options, session);
  const selections = names.map((domain) => ({ domain }));
  return {
    given: { filter: options.filter },
    filterAt: (now) => readFilter(options, session, now),
    severalDomains: names.length > 1,
    pages: () => listedPages(selections, filter, session),
  };
}

/** Says which domains such links leave out, where they are all on one. */
export async function noteCoverage([only, ...others]: LinkDomains, session: Session): Promise<void> {
  if (others.length > 0) return;
  for (const line of await coverage({ ...session, domain: only ?? session.domain })) await session.note(line);
}

/** Links that were named, by operands or by a file. */
async function namedLinks(selection: Extract<LinkSelection, { kind: 'hashes' | 'file' }>, session: Session) {
  if (selection.kind === 'hashes') {
    const { targets, domains } = await resolveOperands(selection.operands, session, 'typed change');
    return { given: { targets }, domains, open: () => targets };
  }
  const source = await session.openInput(selection.path, 'hashes');
  const file = await checkHashFile(source, session, 'listed change');
  const sha256 = source.sha256();
  return { given: { sha256 }, domains: file.domains, open: () => itemsOf(file), file: rereadable(source, sha256) };
}

/** The file of an input that can be read again; what came through a pipe is none. */
export function rereadable({ name, copyTo }: Pick<RunInput, 'name' | 'copyTo'>, sha256: string): InputFile | undefined {
  return copyTo === undefined ? { name, sha256 } : undefined;
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
