import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { isLoopback } from '../contract/web-address.ts';
import type { StoredDomain } from './store/store.ts';

/** Returns the ASCII form (RFC 3490) with the port, if there is one; undefined for an invalid name. */
export function normalizeDomain(text: string): string | undefined {
  const match = /^([^:/?#@\\\s]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/.exec(text);
  const [, name = '', port = ''] = match ?? [];
  if (name === '' || Number(port.slice(1)) > 65_535) return undefined;
  const ascii = domainToASCII(name);
  return ascii === '' ? undefined : ascii + port;
}

/** The port is empty if there is none. */
export function splitPort(host: string): { readonly name: string; readonly port: string } {
  const [, name = host, port = ''] = /^(.*?)(?::(\d*))?$/.exec(host) ?? [];
  return { name, port };
}

/** The name in a `Host` header. A dot at its end is that of the root of all names. */
export function hostName(host: string): string {
  const name = splitPort(host).name.toLowerCase();
  return name.length > 1 && name.endsWith('.') ? name.slice(0, -1) : name;
}

/** Ignores the port, which depends on the process that serves the domain. Browsers send the ASCII form in lower case; others may not. */
export function domainNamed(host: string, domains: readonly StoredDomain[]): StoredDomain | undefined {
  const named = (wanted: string | undefined) => domains.find(({ name }) => name === wanted);
  const name = hostName(host);
  const found = named(host) ?? named(name);
  // Most names are in that form already.
  return found || /^[a-z\d.-]*$/.test(name) ? found : (named(normalizeDomain(host)) ?? named(normalizeDomain(name)));
}

/** True for an empty host, an address, or this machine. */
export function isBareHost(name: string): boolean {
  return name === '' || isLoopback(name) || isIP(name) !== 0 || name.startsWith('[');
}
