import { UsageError } from '../base/errors.ts';
import { quoted } from '../base/quoted.ts';
import type { Edition } from '../contract/editions.ts';
import { type AccountDomains, enumerated, type LinkDomains, type LinkKey, linkText } from '../contract/link.ts';
import { hostName, withoutLocalPort } from '../contract/web-address.ts';

/** The domain that the call works on. */
export interface WorkingDomain {
  readonly edition: Edition;
  readonly domain: string | undefined;
  /** Typed as a flag: it must not contradict a short URL. */
  readonly domainNamed: boolean;
}

/** A link that a command line or a file names. */
export interface Naming {
  readonly link: LinkKey;
  /** Where in a file. */
  readonly line: number | undefined;
}

/** No account has as many hosts. */
const mostHosts = 1000;

/**
 * Finds the domain of each named link, and remembers names without one. A short URL contains its domain. A bare hash is on the working
 * domain, or else on the account's default domain if the caller knows it. On edition B there is one domain, so calls carry none.
 */
export class Placement {
  readonly #working: WorkingDomain;
  readonly #defaultDomain: string | undefined;
  readonly #domains = new Set<string | undefined>();
  #last: LinkKey | undefined;
  /** Hosts of short URLs, each with the first of them; enough to find one that is not the account's. */
  readonly hosts = new Map<string, Naming>();
  /** The first bare hash, if there is no working domain. */
  bare: Naming | undefined;

  constructor(working: WorkingDomain, defaultDomain?: string) {
    this.#working = working;
    this.#defaultDomain = defaultDomain;
  }

  /** Throws a UsageError where it contradicts `--domain`. */
  place(link: LinkKey, line?: number): LinkKey {
    const placed = link.domain === undefined ? this.#placeBare(link, line) : this.#placeShortUrl(link, link.domain, line);
    if (!this.#last || this.#last.domain !== placed.domain) this.#domains.add(placed.domain);
    this.#last = placed;
    return placed;
  }

  /** The domains of the links so far; undefined is an unknown one. On more than one, hashes alone are ambiguous. */
  domains(): LinkDomains {
    return [...this.#domains];
  }

  #placeBare(link: LinkKey, line: number | undefined): LinkKey {
    const { edition, domain = this.#defaultDomain } = this.#working;
    if (edition === 'b') return link;
    if (this.#working.domain === undefined) this.bare ??= { link, line };
    return domain === undefined ? link : { hash: link.hash, domain };
  }

  #placeShortUrl(link: LinkKey, own: string, line: number | undefined): LinkKey {
    const { edition, domain, domainNamed } = this.#working;
    if (!this.hosts.has(own) && this.hosts.size < mostHosts) this.hosts.set(own, { link, line });
    if (edition === 'b') return { hash: link.hash };
    if (domainNamed && domain !== undefined && withoutLocalPort(own) !== withoutLocalPort(domain)) {
      throw new UsageError(`${own}/${link.hash} is not on --domain ${domain}`);
    }
    return link;
  }
}

/** The account whose links are named. */
export interface NamedAccount extends WorkingDomain {
  /** Edition A. Asks the server once. */
  domains(): Promise<AccountDomains>;
  /** The first of these hosts that is not the account's, and those that are. */
  foreignHost(hosts: readonly string[]): Promise<{ readonly host: string; readonly own: readonly string[] } | undefined>;
}

/** What the names are for: to be read, or changed as they were typed, or changed as a file lists them. */
export type NamedFor = 'reading' | 'typed change' | 'listed change';

/** What was read, and where its links are. */
export interface Placed<Found> {
  readonly found: Found;
  readonly placement: Placement;
}

/**
 * Reads names and finds the domain of each link. Reads them again if the first reading finds both short URLs and bare hashes, whose
 * domain is only known then: otherwise a hash and its short URL would be two links. `file`: for messages.
 */
export async function readPlaced<Found>(
  read: (placement: Placement) => Found | Promise<Found>,
  account: NamedAccount,
  use: NamedFor,
  file?: string,
): Promise<Placed<Found>> {
  const placement = new Placement(account);
  const found = await read(placement);
  const defaultDomain = await domainOfBare(placement, account, use, file);
  if (defaultDomain === undefined || placement.hosts.size === 0) return { found, placement };
  const again = new Placement(account, defaultDomain);
  return { found: await read(again), placement: again };
}

/**
 * The domain of bare hashes, if it matters. A bare hash in a list to be changed must not be taken for the same hash on another domain,
 * nor a short URL of another host for a link of the account; a hash and its short URL are one link. Asks the server only
 * if the names are ambiguous. Throws a UsageError.
 */
async function domainOfBare(
  { bare, hosts }: Placement,
  account: NamedAccount,
  use: NamedFor,
  file = '',
): Promise<string | undefined> {
  if (account.edition === 'b') {
    if (use !== 'reading' && hosts.size > 0) await refuseForeign(hosts, account, file);
    return undefined;
  }
  if (!bare || (use !== 'listed change' && hosts.size === 0)) return undefined;
  const { names, defaultDomain } = await account.domains();
  if (use === 'listed change' && names.length > 1) {
    throw new UsageError(
      `${placeOf(bare, file)}${quoted(bare.link.hash)} may be on ${enumerated(names, 'or', 5)}: list with --fields short_url, or give --domain`,
    );
  }
  const found = defaultDomain ?? (names.length === 1 ? names[0] : undefined);
  return found && (hostName(found) || found);
}

/** Refuses a short URL of another host. Throws a UsageError. */
export async function refuseForeign(hosts: Placement['hosts'], account: NamedAccount, file: string): Promise<void> {
  const foreign = await account.foreignHost([...hosts.keys()]);
  const named = foreign && hosts.get(foreign.host);
  if (!named) return;
  const where = foreign.own.length > 0 ? `, which has links on ${enumerated(foreign.own, 'and', 5)}` : '';
  throw new UsageError(`${placeOf(named, file)}${quoted(linkText(named.link))} is not a short URL of this account${where}`);
}

function placeOf({ line }: Naming, file: string): string {
  return line === undefined ? '' : `${file}, line ${line}: `;
}
