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
  /** Byte for byte. The port has its colon, and may be empty. */
  readonly written: { readonly scheme: string; readonly host: string; readonly port: string };
  /** Path, query and fragment, byte for byte. */
  readonly rest: string;
}

// A backslash ends the host too, because browsers treat it as a slash.
const parts = /^(https?):\/\/(?:([^/?#\\]*)@)?([^/?#\\]*?)(:\d*)?(?=[/?#\\]|$)/i;

/** Undefined if the text is no http(s) URL with a host. */
export function readWebAddress(text: string): WebAddress | undefined {
  const [start, typed, userinfo, host = '', port = ''] = parts.exec(text) ?? [];
  if (start === undefined || !typed || host + port === '') return undefined;
  const scheme = typed.length === 4 ? 'http' : 'https';
  const parsed = hostOf(scheme, host + port);
  return parsed && { scheme, userinfo, ...parsed, written: { scheme: typed, host, port }, rest: text.slice(start.length) };
}

/** Returns the URL with other parts, and the rest of it byte for byte. */
export function withParts({ userinfo, written, rest }: WebAddress, changed: Partial<WebAddress['written']>): string {
  const { scheme, host, port } = { ...written, ...changed };
  return `${scheme}://${userinfo === undefined ? '' : `${userinfo}@`}${host}${port}${rest}`;
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
