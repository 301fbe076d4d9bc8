import { folders, type System } from '../../base/system.ts';
import { type CheckRecord, checkRecords } from '../../bulk/checks/check-record.ts';
import { checkedFields } from '../../bulk/checks/check-results.ts';
import type { CheckedLink } from '../../check/destinations.ts';
import { type CheckStatus, isCheckStatus } from '../../check/verdict.ts';
import type { Identity } from '../../client/subject.ts';
import { readKeptRows } from '../../input/kept-rows.ts';

/** The results of an earlier check, for reports. */
export interface KeptCheck {
  /** The command as people read it: `check --by-tags promo`. */
  readonly what: string;
  /** When it began, in ISO 8601. */
  readonly at: string;
  /** Every link was asked. */
  readonly complete: boolean;
  /** The short URLs were asked, and not the destinations. */
  readonly shortUrls: boolean;
  /** The listing that was checked, whole; undefined where links were selected. */
  readonly listing: { readonly allDomains: boolean; readonly domain: string | undefined } | undefined;
  /** The links that were reached, in the order of the listing. */
  links(): AsyncGenerator<ReachedLink>;
}

export interface ReachedLink {
  readonly link: CheckedLink;
  readonly status: CheckStatus;
  /** As a row of `check`. */
  row(): Promise<ReturnType<typeof checkedFields>>;
}

/** The checks of an account, newest first; each is read before the next one is asked for. Throws a LocalError where a record cannot be read. */
export async function* keptChecks(
  identity: Pick<Identity, 'server' | 'username'>,
  system: Pick<System, 'env' | 'platform'>,
): AsyncGenerator<KeptCheck> {
  for await (const record of checkRecords(folders(system).state, identity)) {
    const { what, at, complete, domain, options } = record;
    const isSelection = selecting.some((option) => options[option] !== undefined);
    const listing = isSelection ? undefined : { allDomains: options.allDomains === true, domain };
    try {
      yield { what, at, complete, shortUrls: options.shortUrls === true, listing, links: () => reachedLinks(record) };
    } finally {
      await record.close();
    }
  }
}

/** Tells checks of the same links from others; `sha256` is that of a file of hashes. */
const selecting = ['operands', 'sha256', 'tags', 'search', 'filter'] as const;

async function* reachedLinks({ input, statusOf, verdictOf }: CheckRecord): AsyncGenerator<ReachedLink> {
  let index = -1;
  for await (const links of readKeptRows<CheckedLink>(input)) {
    for (const link of links) {
      index += 1;
      const [nth, status] = [index, statusOf(index)];
      if (!isCheckStatus(status)) continue;
      yield {
        link,
        status,
        row: async () => checkedFields({ link, verdict: await verdictOf(nth) }),
      };
    }
  }
}
