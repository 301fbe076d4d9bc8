import { UsageError } from '../../base/errors.ts';
import { shellWord } from '../../base/quoted.ts';
import { domainName, type Session } from '../../cli/session.ts';
import { editions } from '../../contract/editions.ts';
import { enumerated } from '../../contract/link.ts';
import { isSameDomain, withoutLocalPort } from '../../contract/web-address.ts';
import { accountLabel } from '../account-label.ts';

/** The two accounts of a copy, each with its own credentials. */
export interface CopyAccounts {
  readonly source: Session;
  readonly target: Session;
}

/** `--map-domain`: maps domains of the source to domains of the target. */
export type DomainMap = ReadonlyMap<string, string>;

/** Returns the domain of a copy; undefined on edition B, or if the server does not name its default domain. */
export type DomainOfCopy = (domain: string | undefined) => string | undefined;

/** Throws a UsageError if a text is not `a=b`, or if a domain is mapped twice. */
export function readDomainMap(texts: readonly string[] = []): DomainMap {
  const map = new Map<string, string>();
  for (const text of texts) {
    const [from = '', to = '', ...more] = text.split('=');
    if (from === '' || to === '' || more.length > 0) {
      throw new UsageError(`--map-domain: expected <domain>=<domain>, got ${JSON.stringify(text)}`);
    }
    const [source, target] = [from, to].map((name) => domainName(name, '--map-domain'));
    const key = withoutLocalPort(source ?? '');
    if (map.has(key) && map.get(key) !== target) throw new UsageError(`--map-domain: ${from} is given twice`);
    map.set(key, target ?? '');
  }
  return map;
}

/** Throws a UsageError, before anything is read, if an account would be copied to itself. */
export function refuseSameAccount({ source, target }: CopyAccounts, map: DomainMap): void {
  if (isSameAccount({ source, target }) && (map.size === 0 || !editions[target.edition].severalDomains))
    throw sameAccount(target);
}

function isSameAccount({ source, target }: CopyAccounts): boolean {
  const [one, other] = [source.client.identity, target.client.identity];
  return one.server === other.server && one.username === other.username;
}

function sameAccount(target: Session): UsageError {
  return new UsageError(`source and target of the copy are the same: ${accountLabel(target)}`, {
    hint: editions[target.edition].severalDomains
      ? 'to copy to another domain of it, add --map-domain <from>=<to>'
      : 'name another profile with --to',
  });
}

/**
 * Maps domains as in `--map-domain`, otherwise to the domain of the same name. If all links are on one domain that the target lacks, they
 * go to the target's working domain. Throws a UsageError for a domain that an account does not have.
 */
export async function domainsOfCopies(
  domains: ReadonlySet<string>,
  map: DomainMap,
  accounts: CopyAccounts,
): Promise<DomainOfCopy> {
  await refuseUnknown(domains, map, accounts.source);
  const { target } = accounts;
  if (!editions[target.edition].severalDomains) {
    const foreign = await target.foreignHost([...map.values()]);
    if (map.size > 0 && foreign) throw notOf(foreign.host, target, foreign.own);
    return () => undefined;
  }
  const { names, defaultDomain } = await target.domains();
  const own = (name: string): string | undefined => names.find((one) => isSameDomain(one, name));
  for (const name of map.values()) if (names.length > 0 && own(name) === undefined) throw notOf(name, target, names);
  const found = new Map<string, string | undefined>();
  for (const domain of domains) {
    const mapped = map.get(domain);
    found.set(domain, mapped === undefined ? own(domain) : (own(mapped) ?? mapped));
  }
  const homeless = [...domains].filter((domain) => found.get(domain) === undefined);
  if (homeless.length > 0 && domains.size > 1 && names.length > 0) {
    throw new UsageError(`${accountLabel(target)} does not have ${enumerated(homeless, 'and', 5)}`, {
      hint: `add --map-domain ${shellWord(homeless[0] ?? '')}=<one of ${enumerated(names, 'or', 5)}>`,
    });
  }
  const working = target.domain ?? defaultDomain;
  if (isSameAccount(accounts)) {
    for (const [from, to = working] of found) if (to && isSameDomain(to, from)) throw sameAccount({ ...target, domain: to });
  }
  return (domain) => found.get(withoutLocalPort(domain ?? '')) ?? working;
}

/** Throws a UsageError for an unknown domain, because a typing error would copy links to the wrong domain. */
async function refuseUnknown(domains: ReadonlySet<string>, map: DomainMap, source: Session): Promise<void> {
  const unseen = [...map.keys()].filter((name) => !domains.has(name));
  if (unseen.length === 0 || domains.size === 0) return;
  const names = editions[source.edition].severalDomains ? (await source.domains()).names : [...domains];
  const unknown = unseen.find((name) => !names.some((one) => isSameDomain(one, name)));
  if (unknown !== undefined && names.length > 0) throw notOf(unknown, source, names);
}

function notOf(name: string, session: Session, names: readonly string[]): UsageError {
  const known = names.length > 0 ? `, which has ${enumerated(names, 'and', 5)}` : '';
  return new UsageError(`--map-domain: ${name} is not a domain of ${accountLabel({ ...session, domain: undefined })}${known}`);
}
