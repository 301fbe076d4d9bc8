import type { Command } from 'commander';
import { type CliError, NotFoundError, PartialError, UsageError } from '../base/errors.ts';
import { showsDefaultFields } from '../cli/invocation.ts';
import type { Session } from '../cli/session.ts';
import { checkTagExpression } from '../cli/tag-selection.ts';
import { noShortUrl } from '../client/api-messages.ts';
import type { ListSelection } from '../client/pages.ts';
import { hasNamesakes, ofEveryDomain } from '../client/whole-listing.ts';
import { thisServer } from '../contract/editions.ts';
import type { LinkKey } from '../contract/link.ts';
import type { Row, RowsReport } from '../output/report.ts';
import { missingRow } from '../output/url-columns.ts';

/** `--all-domains`, of commands that read whole listings (F6). */
export interface DomainsOptions {
  readonly allDomains?: boolean;
}

export function addDomainsFlag(command: Command): void {
  command.option('--all-domains', '[edition A] cover all domains of the account');
}

/** Refuses `--all-domains` beside what names links or a domain. `others` are flags that a listing of several domains has no sense for. */
export function refuseDomains(
  { allDomains }: DomainsOptions,
  { edition, domainNamed }: Session,
  others: { readonly [flag: string]: unknown },
): void {
  if (!allDomains) return;
  if (edition === 'b') throw new UsageError(`--all-domains: ${thisServer('b')} has one domain`);
  const [other] =
    Object.entries({ '--domain': domainNamed || undefined, ...others }).find(([, value]) => value !== undefined) ?? [];
  if (other) throw new UsageError(`specify only one of --all-domains or ${other}`);
}

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
  tags: string | undefined,
  order: Pick<ListSelection, 'search' | 'order_by'>,
  { allDomains }: DomainsOptions,
  session: Session,
): Promise<Listing> {
  if (tags !== undefined) {
    await checkTagExpression(tags, session);
    const severalDomains = showsDefaultFields(session) && (await hasNamesakes(session));
    return { selections: [{ ...order, tags }], severalDomains, isPart: false };
  }
  if (!allDomains) return { selections: [{ ...order, domain: session.domain }], severalDomains: false, isPart: true };
  const selections = ofEveryDomain(order, await session.domains());
  return { selections, severalDomains: selections.length > 1, isPart: false };
}

/** A link that was named, and what was read of it if it exists. */
export interface NamedLink {
  readonly target: LinkKey;
  readonly record: Row | undefined;
}

interface NamedRows extends Required<Pick<RowsReport, 'failure' | 'outcome'>> {
  readonly rows: AsyncGenerator<[Row]>;
  /** Links that exist, of those read so far. */
  found(): number;
}

/** A row for each link that was named; one that does not exist is a failed row (B43), or none with `--ignore-missing`. */
export function namedRows(links: AsyncIterable<NamedLink>, named: number, ignoreMissing = false): NamedRows {
  let found = 0;
  let missing = 0;
  const failures = new WeakMap<Row, CliError>();
  async function* rows(): AsyncGenerator<[Row]> {
    for await (const { target, record } of links) {
      if (record) {
        found += 1;
        yield [record];
      } else if (!ignoreMissing) {
        missing += 1;
        const row = missingRow(target);
        failures.set(row, notFound(target));
        yield [row];
      }
    }
  }
  return {
    rows: rows(),
    failure: (row) => failures.get(row),
    found: () => found,
    outcome: () => missingFailure(missing, named),
  };
}

/** The failure of a URL that was named and is not there. */
function notFound(link: LinkKey): NotFoundError {
  const { message, hint } = noShortUrl(link);
  return new NotFoundError(message, { apiCode: 1306, hint });
}

/** How a reading ends that did not find all that was named, after people have read which (B43). */
function missingFailure(missing: number, named: number): CliError | undefined {
  if (missing === 0) return undefined;
  if (named === 1) return new NotFoundError('no such short URL', { apiCode: 1306, reported: true });
  const Kind = missing < named ? PartialError : NotFoundError;
  return new Kind(`${missing} of ${named} links do not exist`);
}
