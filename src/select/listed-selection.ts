import { UsageError } from '../base/errors.ts';
import { showsDefaultFields } from '../cli/invocation.ts';
import type { Session } from '../cli/session.ts';
import type { ListSelection } from '../client/pages.ts';
import { hasNamesakes, ofEveryDomain } from '../client/whole-listing.ts';
import { thisServer } from '../contract/editions.ts';
import type { LinkFilter } from '../link/rules/filter.ts';
import type { LinkSelection, SelectionOptions } from './selection-flags.ts';
import { checkTagExpression } from './tag-expression.ts';

/** Listings that are read one after the other. */
export interface Listing {
  readonly selections: readonly ListSelection[];
  /** Rows can be namesakes on several domains (F5). */
  readonly severalDomains: boolean;
  /** Other domains of the account are left out, which the user must know (F6). */
  readonly isPart: boolean;
}

/** What a tag expression selects on all domains, or else the links of the working domain, or with `--all-domains` of each. */
export async function listingOf(
  query: Pick<ListSelection, 'tags' | 'search' | 'order_by'>,
  { allDomains }: Pick<SelectionOptions, 'allDomains'>,
  session: Session,
): Promise<Listing> {
  if (query.tags !== undefined) {
    await checkTagExpression(query.tags, session);
    const severalDomains = showsDefaultFields(session) && (await hasNamesakes(session));
    return { selections: [query], severalDomains, isPart: false };
  }
  if (!allDomains) return { selections: [{ ...query, domain: session.domain }], severalDomains: false, isPart: true };
  const selections = ofEveryDomain(query, await session.domains());
  return { selections, severalDomains: selections.length > 1, isPart: false };
}

/** Refuses `--all-domains` beside what names links or a domain. `others` are flags that a listing of several domains has no sense for. */
export function refuseDomains(
  { allDomains }: Pick<SelectionOptions, 'allDomains'>,
  { edition, domainNamed }: Session,
  others: { readonly [flag: string]: unknown },
): void {
  if (!allDomains) return;
  if (edition === 'b') throw new UsageError(`--all-domains: ${thisServer('b')} has one domain`);
  const [other] =
    Object.entries({ '--domain': domainNamed || undefined, ...others }).find(([, value]) => value !== undefined) ?? [];
  if (other) throw new UsageError(`specify only one of --all-domains or ${other}`);
}

/**
 * Refuses `--all-domains` where it has no sense: a typed link or one with a label says its domain itself. Throws a UsageError.
 */
export function refuseDomainsOf({ kind }: LinkSelection, options: SelectionOptions, session: Session): void {
  const ways = { hashes: '<hash>...', file: '--hashes-from', tags: '--by-tags', search: undefined, all: undefined };
  const way = ways[kind];
  refuseDomains(options, session, way === undefined ? {} : { [way]: true });
}

/** The filter of the line, whose days are counted from `now`; undefined without one. Throws a UsageError. */
export async function readFilter(
  { filter }: Pick<SelectionOptions, 'filter'>,
  { edition, now: begun }: Pick<Session, 'edition' | 'now'>,
  now = begun,
): Promise<LinkFilter | undefined> {
  if (!filter) return undefined;
  const { parseFilters } = await import('../link/rules/filter.ts');
  return parseFilters(filter, { edition, now });
}
