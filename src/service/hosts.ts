import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** The ASCII form of a domain name, with its port where it has one (RFC 3490); undefined when it is no domain name. */
export function normalizeDomain(text: string): string | undefined {
  const match = /^([^:/?#@\\\s]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/.exec(text);
  if (!match) return undefined;
  const [, name = '', port = ''] = match;
  const ascii = domainToASCII(name);
  return ascii === '' ? undefined : ascii + port;
}

/** The name in a `Host` header, without its port. */
export function hostName(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}

export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/** `localhost`, the domain of a service that was given none, or `localhost:8787`, the same where it was last served. */
export function isLocalhost(domain: string): boolean {
  return /^localhost(:\d+)?$/.test(domain);
}

/** A host that names no domain: an address, or this machine. */
export function isBareHost(name: string): boolean {
  return isLoopbackName(name) || isIP(name) !== 0 || name.startsWith('[');
}
