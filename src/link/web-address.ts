import { parseUrl } from '../contract/web-address.ts';

/** An http(s) URL in parts, cut where a browser cuts it. */
export interface WebAddress {
  readonly scheme: 'http' | 'https';
  /** As written; undefined where there is no `@` before the host. */
  readonly userinfo: string | undefined;
  /** In ASCII and lower case. */
  readonly hostname: string;
  /** The scheme's default port where none is written. */
  readonly port: string;
  /** Path, query and fragment, byte for byte. */
  readonly rest: string;
}

// A backslash ends the host, too: browsers read it as a slash.
const parts = /^(https?):\/\/(?:([^/?#\\]*)@)?([^/?#\\]*)/i;

/** Undefined for what is no http(s) URL with a host. */
export function readWebAddress(text: string): WebAddress | undefined {
  const [start, written, userinfo, place] = parts.exec(text) ?? [];
  if (start === undefined || !written || !place) return undefined;
  const scheme = written.length === 4 ? 'http' : 'https';
  const host = hostOf(scheme, place);
  return host && { scheme, userinfo, ...host, rest: text.slice(start.length) };
}

type Host = Pick<WebAddress, 'hostname' | 'port'>;

/** Links share their hosts, and parsing one costs more than everything else about a link. */
const hosts = new Map<string, Host | undefined>();
const hostsKept = 1000;

function hostOf(scheme: WebAddress['scheme'], place: string): Host | undefined {
  const key = `${scheme}://${place}`;
  if (!hosts.has(key)) {
    if (hosts.size >= hostsKept) hosts.clear();
    const url = parseUrl(key);
    hosts.set(key, url && { hostname: url.hostname, port: url.port || defaultPorts[scheme] });
  }
  return hosts.get(key);
}

const defaultPorts = { http: '80', https: '443' } as const;

/** Records contain short URLs without the scheme. */
export function withoutScheme(shortUrl: string): string {
  return shortUrl.replace(/^https?:\/\//, '');
}
