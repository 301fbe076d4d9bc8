import type { Edition } from '../contract/editions.ts';
import { type AccountDomains, recordDomain, withoutScheme } from '../contract/link.ts';
import type { DomainRecord } from '../contract/records.ts';
import { domainKey, isLocalhost, isSameDomain } from '../contract/web-address.ts';
import { isUnknownResource } from './call-error.ts';
import type { Client } from './client.ts';

/** Returns no names if the server has no list of domains, and thus one domain. */
export async function accountDomains(client: Pick<Client, 'send'>): Promise<AccountDomains> {
  const domains = (await listDomains(client)) ?? [];
  const defaultDomain = domains.find(({ status }) => status === 'default')?.domain;
  const useHttps = new Map(domains.map(({ domain, use_https }) => [domainKey(domain), use_https]));
  return { names: domains.map(({ domain }) => domain), defaultDomain, useHttps };
}

/** Undefined if the server does not say. */
export function usesHttps({ useHttps }: AccountDomains, host: string): boolean | undefined {
  return useHttps?.get(domainKey(host));
}

/** Only edition A has GET /domains. The client must be of edition A to send it. */
export async function findEdition(client: Pick<Client, 'send'>): Promise<Edition> {
  return (await listDomains(client)) ? 'a' : 'b';
}

async function listDomains(client: Pick<Client, 'send'>): Promise<readonly DomainRecord[] | undefined> {
  try {
    return (await client.send('listDomains', {})).domains;
  } catch (error) {
    if (isUnknownResource(error)) return undefined;
    throw error;
  }
}

/** Adds the current port to a stored domain of a service on this computer, if the account still has such a domain. */
export async function currentDomain(
  stored: string,
  { client, domains }: { readonly client: Pick<Client, 'send' | 'edition'>; domains(): Promise<AccountDomains> },
): Promise<string> {
  if (!isLocalhost(stored)) return stored;
  const names = client.edition === 'b' ? [await hostOfRecords(client)] : (await domains()).names;
  return names.find((name) => name !== undefined && isLocalhost(name)) ?? stored;
}

export interface ForeignHost {
  readonly host: string;
  readonly own: readonly string[];
}

/** Returns the first host that is no domain of the account; undefined if the server does not list its domains. */
export function foreignDomain({ names }: AccountDomains, hosts: readonly string[]): ForeignHost | undefined {
  return names.length === 0 ? undefined : foreignTo(names, hosts);
}

function foreignTo(own: readonly string[], hosts: readonly string[]): ForeignHost | undefined {
  const host = hosts.find((name) => !own.some((known) => isSameDomain(name, known)));
  return host === undefined ? undefined : { host, own };
}

/** Edition B has no list of domains, so the hosts are compared with a record and, if one differs, with the custom domain. */
export async function foreignHost(client: Pick<Client, 'send'>, hosts: readonly string[]): Promise<ForeignHost | undefined> {
  const own = [await hostOfRecords(client)].filter((name) => name !== undefined);
  if (!foreignTo(own, hosts)) return undefined;
  const custom = await customDomain(client);
  return foreignTo(custom && !own.includes(custom) ? [...own, custom] : own, hosts);
}

async function hostOfRecords(client: Pick<Client, 'send'>): Promise<string | undefined> {
  const { urls } = await client.send('listUrls', { query: { limit: 1 } });
  return urls[0] && recordDomain(urls[0]);
}

async function customDomain(client: Pick<Client, 'send'>): Promise<string | undefined> {
  const { account } = await client.send('getAccount', {});
  const { custom_domain: name } = account;
  // Some servers write it as a URL.
  return name && (recordDomain({ short_url: `${withoutScheme(name)}/` }) ?? name);
}
