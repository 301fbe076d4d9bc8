import { UsageError } from '../../base/errors.ts';
import { isLocalName, parseUrl } from '../../contract/web-address.ts';
import type { TransportOptions } from './transport.ts';

/** undici applies NO_PROXY by host. */
export interface Proxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/**
 * Undefined for a direct connection, which loopback addresses always use. A lower-case variable overrides the upper-case one, and an empty
 * one disables the proxy. Throws `UsageError` for an invalid value without repeating it, because it may contain a password.
 */
export function proxiesFor({ origin, env, warn }: Pick<TransportOptions, 'origin' | 'env' | 'warn'>): Proxies | undefined {
  if (isLocalName(origin.hostname)) return undefined;
  const httpProxy = env.http_proxy ?? env.HTTP_PROXY ?? '';
  const httpsProxy = env.https_proxy ?? env.HTTPS_PROXY ?? '';
  const noProxy = env.no_proxy ?? env.NO_PROXY ?? '';
  const proxy = origin.protocol === 'https:' ? httpsProxy : httpProxy;
  if (!proxy || noProxy.trim() === '*') return undefined;
  const variable = proxyVariable({ origin, env });
  if (!isProxyAddress(proxy)) {
    throw new UsageError(`${variable} is not the URL of an HTTP proxy`, {
      hint: `${variable}=http://proxy.example:3128, or unset it`,
    });
  }
  if (/\/\d+(?=[\s,]|$)/.test(noProxy)) warn('NO_PROXY: address ranges such as 10.0.0.0/8 are not supported; use host names');
  return {
    httpProxy: isProxyAddress(httpProxy) ? httpProxy : '',
    httpsProxy: isProxyAddress(httpsProxy) ? httpsProxy : '',
    noProxy,
  };
}

/** Hints name this variable. */
export function proxyVariable({ origin, env }: Pick<TransportOptions, 'origin' | 'env'>): string | undefined {
  if (isLocalName(origin.hostname)) return undefined;
  const names = origin.protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY'];
  const name = names.find((candidate) => env[candidate] !== undefined);
  return name && env[name] ? name : undefined;
}

function isProxyAddress(value: string): boolean {
  const url = parseUrl(value);
  return url !== undefined && /^https?:$/.test(url.protocol) && url.hostname !== '';
}
