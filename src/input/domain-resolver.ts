import { UsageError } from '../base/errors.ts';
import { quoted } from '../base/quoted.ts';
import type { Edition } from '../contract/editions.ts';
import { type AccountDomains, enumerated, type LinkDomains, type LinkKey, linkText } from '../contract/link.ts';
import { hostName, isLocalhost, isSameDomain } from '../contract/web-address.ts';
import { parseHash } from './hashes/parse-hash.ts';

interface WorkingDomain {
  readonly edition: Edition;
  readonly domain: string | undefined;
  /** The domain was given as a flag, so short URLs must not contradict it. */
  readonly domainNamed: boolean;
}

interface NamedLink {
  readonly link: LinkKey;
  /** The line in a file. */
  readonly line: number | undefined;
}

const maxHosts = 1000;

/**
 * Finds the domain of each named link and records hashes without one. A short URL contains its domain. A bare hash is on the working
 * domain, or else on the account's default domain if the caller knows it. On edition B there is one domain, so calls have none.
 */
export class DomainResolver {
  readonly #working: WorkingDomain;
  readonly #defaultDomain: string | undefined;
  readonly #domains = new Set<string | undefined>();
  #last: LinkKey | undefined;
  /** The first spelling of the domain of a service on this computer stands for all: ports change, and a link is one link on any. */
  #localhost: string | undefined;
  /** Hosts of short URLs, each with its first link; enough to find one that does not belong to the account. */
  readonly hosts = new Map<string, NamedLink>();
  /** The first bare hash, if there is no working domain. */
  bare: NamedLink | undefined;

  constructor(working: WorkingDomain, defaultDomain?: string) {
    this.#working = working;
    this.#defaultDomain = defaultDomain;
  }

  /** Throws a UsageError for a link that contradicts `--domain`. */
  resolve(link: LinkKey, line?: number): LinkKey {
    const resolved = this.#onOnePort(
      link.domain === undefined ? this.#resolveBare(link, line) : this.#resolveShortUrl(link, link.domain, line),
    );
    if (!this.#last || this.#last.domain !== resolved.domain) this.#domains.add(resolved.domain);
    this.#last = resolved;
    return resolved;
  }

  /** The domains of the links so far, with undefined for an unknown one. Hashes alone are ambiguous if there are several. */
  domains(): LinkDomains {
    return [...this.#domains];
  }

  #onOnePort(link: LinkKey): LinkKey {
    if (link.domain === undefined || !isLocalhost(link.domain)) return link;
    this.#localhost ??= link.domain;
    return { hash: link.hash, domain: this.#localhost };
  }

  #resolveBare(link: LinkKey, line: number | undefined): LinkKey {
    const { edition, domain = this.#defaultDomain } = this.#working;
    if (edition === 'b') return link;
    if (this.#working.domain === undefined) this.bare ??= { link, line };
    return domain === undefined ? link : { hash: link.hash, domain };
  }

  #resolveShortUrl(link: LinkKey, own: string, line: number | undefined): LinkKey {
    const { edition, domain, domainNamed } = this.#working;
    if (!this.hosts.has(own) && this.hosts.size < maxHosts) this.hosts.set(own, { link, line });
    if (edition === 'b') return { hash: link.hash };
    if (domainNamed && domain !== undefined && !isSameDomain(own, domain)) {
      throw new UsageError(`${own}/${link.hash} is not on --domain ${domain}`);
    }
    return link;
  }
}

export interface NamedAccount extends WorkingDomain {
  /** Edition A. Sends one request at most. */
  domains(): Promise<AccountDomains>;
  /** Returns the first host that does not belong to the account, and those that do. */
  foreignHost(hosts: readonly string[]): Promise<{ readonly host: string; readonly own: readonly string[] } | undefined>;
}

/** Links are read, changed as typed, or changed as a file lists them. */
export type LinkUse = 'reading' | 'typed change' | 'listed change';

/**
 * Reads names and finds the domain of each link. Reads them again if there are both short URLs and bare hashes, because the domain of a
 * bare hash is known only then; otherwise a hash and its short URL would be two links. `file` is for messages.
 */
export async function readWithDomains<Found>(
  read: (resolver: DomainResolver) => Found | Promise<Found>,
  account: NamedAccount,
  use: LinkUse,
  file?: string,
): Promise<{ readonly found: Found; readonly resolver: DomainResolver }> {
  const resolver = new DomainResolver(account);
  const found = await read(resolver);
  const defaultDomain = await domainOfBare(resolver, account, use, file);
  if (defaultDomain === undefined || resolver.hosts.size === 0) return { found, resolver };
  const again = new DomainResolver(account, defaultDomain);
  return { found: await read(again), resolver: again };
}

/**
 * Returns the domain of bare hashes, if it matters. In a list of changes a bare hash must not be taken for the same hash on another domain,
 * nor a short URL of another host for a link of the account. Sends a request only if the names are ambiguous. Throws a UsageError.
 */
async function domainOfBare(
  resolver: DomainResolver,
  account: NamedAccount,
  use: LinkUse,
  file = '',
): Promise<string | undefined> {
  const { bare, hosts } = resolver;
  const isB = account.edition === 'b';
  // On edition A the server refuses another host, but only after links of other domains may have been changed.
  if (use !== 'reading' && hosts.size > 0 && (isB || resolver.domains().length > 1)) await refuseForeign(hosts, account, file);
  if (isB) return undefined;
  if (!bare || (use !== 'listed change' && hosts.size === 0)) return undefined;
  const { names, defaultDomain } = await account.domains();
  if (use === 'listed change' && names.length > 1) {
    throw new UsageError(
      `${linePrefix(bare, file)}${quoted(bare.link.hash)} may be on ${enumerated(names, 'or', 5)}: add a short_url or a domain column, or set --domain`,
    );
  }
  const found = defaultDomain ?? (names.length === 1 ? names[0] : undefined);
  return found && (hostName(found) || found);
}

/** Throws a UsageError for a short URL of another host. */
export async function refuseForeign(hosts: DomainResolver['hosts'], account: NamedAccount, file: string): Promise<void> {
  const foreign = await account.foreignHost([...hosts.keys()]);
  const named = foreign && hosts.get(foreign.host);
  if (!named) return;
  const where = foreign.own.length > 0 ? `, which has links on ${enumerated(foreign.own, 'and', 5)}` : '';
  throw new UsageError(`${linePrefix(named, file)}${quoted(linkText(named.link))} is not a short URL of this account${where}`);
}

function linePrefix({ line }: NamedLink, file: string): string {
  return line === undefined ? '' : `${file}, line ${line}: `;
}

export type NamedHashes =
  | { readonly kind: 'hashes'; readonly operands: readonly string[] }
  | { readonly kind: 'file'; readonly path: string };

/** Two spellings of one URL count once. */
export async function resolveOperands(
  texts: readonly string[],
  account: NamedAccount,
  use: Exclude<LinkUse, 'listed change'>,
): Promise<{ readonly targets: readonly LinkKey[]; readonly domains: LinkDomains }> {
  const links = texts.map(parseHash);
  const { found, resolver } = await readWithDomains((each) => links.map((link) => each.resolve(link)), account, use);
  const targets = [...new Map(found.map((link) => [linkText(link), link])).values()];
  return { targets, domains: resolver.domains() };
}
