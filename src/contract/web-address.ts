import { domainToASCII } from 'node:url';

/**
 * The parsed URL, or undefined for what is none. `URL.canParse` would be cheaper and is a trap: once hot, Node 20's takes Latin-1
 * for UTF-8 and refuses every URL that holds an umlaut.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/**
 * Whether a host name can only be this machine. For others, a key on plain HTTP is exposed (B74). `*.localhost` is not included: a
 * resolver can send it elsewhere.
 */
export function isLoopback(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** The same and `*.localhost`, which a proxy cannot reach either. */
export function isLocalName(hostname: string): boolean {
  return isLoopback(hostname) || hostname.toLowerCase().endsWith('.localhost');
}

/** A host, with its port, as short URLs write it: this machine has several names, and is one. */
export function withLocalName(host: string): string {
  const [, name = '', port = ''] = /^(.*?)(:\d+)?$/s.exec(host) ?? [];
  return isLoopback(name) ? `localhost${port}` : host;
}

/** The domain of `linkctl serve` and the sandbox is named by the port on which it was last served, and is the same on any. */
export function withoutLocalPort(domain: string): string {
  return domain.replace(/^localhost:\d+$/, 'localhost');
}

/** `localhost`, the domain of a service that was given none, or `localhost:8787`, the same where it was last served. */
export function isLocalhost(domain: string): boolean {
  return withoutLocalPort(domain) === 'localhost';
}

/** A host name in ASCII and lower case (B97), with the port if it has one; empty where it is none. */
export function hostName(text: string): string {
  if (/^[a-z\d.-]+(:\d{1,5})?$/.test(text) && !text.includes('xn--')) return text;
  const [, name = '', port = ''] = /^([^:@\s]+)(:\d{1,5})?$/.exec(text) ?? [];
  return `${domainToASCII(name)}${domainToASCII(name) && port}`;
}
