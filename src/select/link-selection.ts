import type { Session } from '../cli/session.ts';
import type { LinkDomains } from '../contract/link.ts';
import type { LinkFilter } from '../link/rules/filter.ts';
import type { ListedLinks, NamedLinks, Narrowing, Purpose } from './selected-links.ts';
import { type LinkSelection, refuseDomainFlags, type SelectionOptions } from './selection-flags.ts';

/** Prepares the reading of links. A listing is read only when its pages are. Throws a UsageError for an invalid selection. */
export async function selectLinks(
  selection: LinkSelection,
  options: SelectionOptions & { readonly batchSize?: number; readonly orderBy?: string },
  session: Session,
  purpose: Purpose,
): Promise<NamedLinks | ListedLinks> {
  refuseDomainFlags(selection, options, session, purpose);
  const narrowing = await narrowingOf(options, session);
  if (selection.kind !== 'listing') {
    const { namedLinks } = await import('./named-selection.ts');
    return await namedLinks(selection, narrowing, { batchSize: options.batchSize, purpose, session });
  }
  const { listedLinks, listingOf, noteCoverage } = await import('./listed-selection.ts');
  const listing = await listingOf(selection, options, session, purpose);
  const { tags, search } = selection;
  const given = { tags, search, allDomains: options.allDomains, ...narrowing.given };
  const listed = listedLinks(listing, { ...narrowing, given }, session, purpose);
  if (purpose !== 'show') await noteCoverage(listed, session);
  return listed;
}

/** Selects all links of the domains, or of the working domain if there are none. `isNoted` prints the domains that are left out. */
export async function linksOfDomains(
  domains: LinkDomains,
  options: Pick<SelectionOptions, 'filter'>,
  session: Session,
  { isNoted = false } = {},
): Promise<ListedLinks> {
  const { listedLinks, noteCoverage } = await import('./listed-selection.ts');
  const listings = (domains.length > 0 ? domains : [session.domain]).map((domain) => ({ domain }));
  const severalDomains = listings.length > 1;
  const listing = { listings, severalDomains, isPart: !severalDomains };
  const listed = listedLinks(listing, await narrowingOf(options, session), session, 'change');
  if (isNoted) await noteCoverage(listed, session);
  return listed;
}

/** Parses `--filter`, with days relative to the start of the command. Throws a UsageError. */
async function narrowingOf({ filter }: Pick<SelectionOptions, 'filter'>, { edition, now: begun }: Session): Promise<Narrowing> {
  if (!filter) return { given: {}, filter: undefined };
  const { parseFilters } = await import('../link/rules/filter.ts');
  const filterAt = (now: number): LinkFilter => parseFilters(filter, { edition, now });
  return { given: { filter }, filter: filterAt(begun), filterAt };
}
