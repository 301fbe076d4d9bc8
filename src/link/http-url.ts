import { parseUrl } from '../contract/web-address.ts';

/** Parts of an http(s) URL, split like in a browser. */
export interface WebAddress {
  readonly scheme: 'http' | 'https';
  /** As written; undefined without `@`. */
  readonly userinfo: string | undefined;
  /** In ASCII and lower case. */
  readonly hostname: string;
  /** Default port of the scheme if none is written. */
  readonly port: string;
  /** Path, query and fragment, byte for byte. */
  readonly rest: string;
}

// A backslash ends the host too, because browsers treat it as a slash.
const parts = /^(https?):\/\/(?:([^/?#\\]*)@)?([^/?#\\]*)/i;

/** Undefined if the text is no http(s) URL with a host. */
export function readWebAddress(text: string): WebAddress | undefined {
  const [start, written, userinfo, authority] = parts.exec(text) ?? [];
  if (start === undefined || !written || !authority) return undefined;
  const scheme = written.length === 4 ? 'http' : 'https';
  const host = hostOf(scheme, authority);
  return host && { scheme, userinfo, ...host, rest: text.slice(start.length) };
}

type Host = Pick<WebAddress, 'hostname' | 'port'>;

/** Cached, because parsing a host costs more than all other work on a link. */
const hosts = new Map<string, Host | undefined>();
const maxHosts = 1000;

function hostOf(scheme: WebAddress['scheme'], authority: string): Host | undefined {
  const key = `${scheme}://${authority}`;
  if (!hosts.has(key)) {
    if (hosts.size >= maxHosts) hosts.clear();
    const url = parseUrl(key);
    hosts.set(key, url && { hostname: url.hostname, port: url.port || defaultPorts[scheme] });
  }
  return hosts.get(key);
}

const defaultPorts = { http: '80', https: '443' } as const;
