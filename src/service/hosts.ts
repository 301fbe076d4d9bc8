import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { isLoopback } from '../contract/web-address.ts';

/** The ASCII form of a domain name, with its port where it has one (RFC 3490); undefined when it is no domain name. */
export function normalizeDomain(text: string): string | undefined {
  const match = /^([^:/?#@\\\s]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/.exec(text);
  if (!match) return undefined;
  const [, name = '', port = ''] = match;
  const ascii = domainToASCII(name);
  return ascii === '' ? undefined : ascii + port;
}

/** A domain without its port, and the port, empty without one. */
export function splitPort(domain: string): { readonly name: string; readonly port: string } {
  const [, name = domain, port = ''] = /^(.*?)(?::(\d+))?$/.exec(domain) ?? [];
  return { name, port };
}

/** The name in a `Host` header, without its port. */
export function hostName(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}

/** A host that names no domain: none at all, an address, or this machine. */
export function isBareHost(name: string): boolean {
  return name === '' || isLoopback(name) || isIP(name) !== 0 || name.startsWith('[');
}
