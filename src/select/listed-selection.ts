import { UnavailableError } from '../base/errors.ts';
import { flagText, quoted } from '../base/quoted.ts';
import { showsDefaultFields } from '../cli/invocation.ts';
import type { Session } from '../cli/session.ts';
import { type FilteredPage, filteredPages } from '../client/filtered-pages.ts';
import type { PagingOptions } from '../client/page-cursor.ts';
import type { ListSelection } from '../client/pages.ts';
import { coverage, hasSeveralDomains, ofEveryDomain, refuseIncomplete, wholeAccount } from '../client/whole-listing.ts';
import { editions } from '../contract/editions.ts';
import { type LinkKey, recordDomain } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { hasOperators, isAmbiguousLabel, labelExpression } from '../contract/tag-label.ts';
import { isSameDomain } from '../contract/web-address.ts';
import { isExact, type ListedLinks, type Narrowing, type Purpose, type SelectedPage } from './selected-links.ts';
import { ignoresDomain, isEverything, type ListedSelection, type SelectionOptions } from './selection-flags.ts';

/** Listings that are read one after the other. */
interface Listing {
  readonly listings: readonly ListSelection[];
  readonly severalDomains: boolean;
  /** Other domains of the account are left out, which must be reported. */
  readonly isPart: boolean;
}

/**
 * A tag expression selects on all domains. Other selections cover the working domain, or all domains with `--all-domains`. A reading of
 * the counters covers the whole account unless something narrows it.
 */
export async function listingOf(
  selection: ListedSelection,
  { allDomains, filter, orderBy }: SelectionOptions & { readonly orderBy?: string },
  session: Session,
  purpose: Purpose,
): Promise<Listing> {
  const { tags, search } = selection;
  const query = { tags, search, order_by: orderBy };
  if (tags !== undefined) {
    await checkTagExpression(tags, session);
    const severalDomains = showsDefaultFields(session) && (await hasSeveralDomains(session).catch(() => true));
    return { listings: [query], severalDomains, isPart: false };
  }
  const isWhole = purpose === 'record' && isEverything(selection) && !filter && !session.domainNamed;
  if (!allDomains && !isWhole) {
    return { listings: [{ ...query, domain: session.domain }], severalDomains: false, isPart: true };
  }
  const listings = isWhole ? await wholeAccount(session) : ofEveryDomain(query, await session.domains());
  return { listings, severalDomains: listings.length > 1, isPart: false };
}

/**
 * Warns that a tag expression selects on all domains, and if it is also the label of a tag, because it does not select that tag.
 */
async function checkTagExpression(expression: string, session: Session): Promise<void> {
  if (session.domain !== undefined) await session.warn(ignoresDomain(session.domain));
  if (!hasOperators(expression)) return;
  const { accountTags } = await import('../client/account-tags.ts');
  const label = (await accountTags(session.client)).spelled(expression);
  if (label === undefined) return;
  await session.warn(
    `${flagText('--by-tags', expression)} is interpreted as an expression, but a tag has this label. To select the tag: ${flagText('--by-tags', labelExpression(label))}`,
  );
}

/** An empty result may be due to a mistyped label. Expressions, and labels that servers know by themselves, are not checked. */
async function noteUnknownTag(expression: string | undefined, { client, note }: Session): Promise<void> {
  if (expression === undefined || isAmbiguousLabel(expression)) return;
  const { accountTags } = await import('../client/account-tags.ts');
  // The links were read, so a failure of this call is not one of the command.
  const tags = await accountTags(client).catch(() => undefined);
  if (tags && tags.spelled(expression) === undefined) await note(`no tag ${quoted(expression)}; to list the tags: linkctl tags`);
}

export function listedLinks(
  { listings, severalDomains, isPart }: Listing,
  narrowing: Narrowing,
  session: Session,
  purpose: Purpose,
): ListedLinks {
  let hasGaps = false;
  const warn = (message: string): void => {
    hasGaps = true;
    void session.warn(message);
  };
  const paging: PagingOptions = purpose === 'show' ? { warn } : { untilEmpty: true, warn: refuseIncomplete };
  const isNoted = isExact(purpose) || (purpose === 'show' && session.streams.watched);
  async function* records(extent: Parameters<ListedLinks['records']>[0] = {}): AsyncGenerator<FilteredPage> {
    let read = 0;
    for await (const page of filteredPages(session.client, listings, narrowing.filter, { ...extent, ...paging })) {
      ({ read } = page);
      yield page;
    }
    if (read === 0 && isNoted) await noteUnknownTag(listings[0]?.tags, session);
  }
  async function* pages(): AsyncGenerator<SelectedPage> {
    for await (const { rows, read, linkOf } of records()) {
      const links = rows.map((record) => ({ target: linkOf(record), record }));
      if (isExact(purpose)) await refuseStrangers(links, session);
      yield { links, read };
    }
  }
  const domain = listings[0]?.domain ?? session.domain;
  return {
    ...narrowing,
    kind: 'listed',
    listings,
    severalDomains,
    records,
    pages,
    hasGaps: () => hasGaps,
    coverage: async (advice) => (isPart ? await coverage({ ...session, domain }, advice) : []),
  };
}

/** Prints the domains of the account that the links leave out. */
export async function noteCoverage(links: Pick<ListedLinks, 'coverage'>, { note }: Session): Promise<void> {
  for (const line of await links.coverage()) await note(line);
}

/** Throws if the server lists links of another domain than requested: on the requested one, their hashes may name other links. */
async function refuseStrangers(
  links: readonly { readonly target: LinkKey; readonly record: UrlRecord }[],
  { edition, domains }: Session,
): Promise<void> {
  if (!editions[edition].severalDomains) return;
  // On a page with links of one domain, only the first needs a check.
  let known: { readonly shown: string; readonly domain: string | undefined } | undefined;
  for (const { target, record } of links) {
    const shown = recordDomain(record);
    if (shown === undefined || shown === target.domain) continue;
    if (shown === known?.shown && target.domain === known.domain) continue;
    const { names, defaultDomain } = await domains();
    const asked = target.domain ?? defaultDomain;
    const isOwn = names.some((name) => isSameDomain(name, shown));
    if (asked === undefined || isSameDomain(shown, asked) || !isOwn) {
      known = { shown, domain: target.domain };
      continue;
    }
    throw new UnavailableError(`the server lists links of ${shown} where those of ${asked} were requested`);
  }
}
