import { domainToASCII, domainToUnicode } from 'node:url';

/** Avoids the cheaper `URL.canParse`: once optimized, Node 20's takes Latin-1 for UTF-8 and rejects every URL with an umlaut. */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/**
 * True only for names that are certain to be this machine; on any other, plain HTTP exposes the key. Excludes `*.localhost`, which a
 * resolver can send elsewhere.
 */
export function isLoopback(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Includes `*.localhost`, which a proxy cannot reach. */
export function isLocalName(hostname: string): boolean {
  return isLoopback(hostname) || hostname.toLowerCase().endsWith('.localhost');
}

/** Replaces every name of this machine by `localhost`, as in short URLs. Takes the host of a `URL` and keeps the port. */
export function withLocalName(host: string): string {
  const [, name = '', port = ''] = /^(.*?)(:\d+)?$/s.exec(host) ?? [];
  return isLoopback(name) || reachesLoopback.test(name) ? `localhost${port}` : host;
}

/** The unspecified addresses, and IPv4 within IPv6. */
const reachesLoopback = /^(?:0\.0\.0\.0|\[::(?:ffff:(?:0:0|7f[\da-f]{2}:[\da-f]{1,4}))?\])$/;

/**
 * Takes a domain or a short URL without scheme. `linkctl serve` and the sandbox include the port in their domain. The port may change at
 * the next start.
 */
export function withoutLocalPort(text: string): string {
  return text.replace(/^localhost:\d+(?=\/|$)/, 'localhost');
}

/** Equal for all spellings of a domain, and for all ports of a service on this computer. */
export function domainKey(domain: string): string {
  return withoutLocalPort(hostName(domain));
}

export function isSameDomain(one: string, other: string): boolean {
  return domainKey(one) === domainKey(other);
}

/** True for the domain of a service without a domain name: `localhost`, with the port on which it last listened. */
export function isLocalhost(domain: string): boolean {
  return withoutLocalPort(domain) === 'localhost';
}

/** In ASCII and lower case, with the port unless it is that of HTTP or HTTPS; empty for an invalid name. */
export function hostName(text: string): string {
  if (/^[a-z\d.-]+$/.test(text) && !text.includes('xn--')) return text;
  const [, name = '', port = ''] = /^([^:@\s]+|\[[a-f\d:.]+\])(:\d{1,5})?$/i.exec(text) ?? [];
  const ascii = domainToASCII(name);
  return ascii === '' || (/^:(?:80|443)$/.test(port) && !isLocalName(ascii)) ? ascii : ascii + port;
}

/** Shows the domain of a short URL in Unicode; other texts stay unchanged. */
export function readableUrl(text: string): string {
  const [, lead = '', name = '', rest = ''] = /^([a-z]+:\/\/)?([^/:@]+)([:/].*)?$/is.exec(text) ?? [];
  const unicode = /xn--/i.test(name) ? domainToUnicode(name) : '';
  return unicode === '' ? text : `${lead}${unicode}${rest}`;
}
