import { UsageError } from '../../base/errors.ts';
import { isLocalName } from '../../contract/web-address.ts';
import type { TransportOptions } from './transport.ts';

export interface ProxySettings {
  /** Hints name this variable. */
  readonly variable: string;
  readonly url: string;
  /** undici applies it by host. */
  readonly noProxy: string;
}

/**
 * Undefined for a direct connection, which loopback addresses always use. A lower-case variable overrides the upper-case one, and an empty
 * one disables the proxy. Throws `UsageError` for an invalid value without repeating it, because it may contain a password.
 */
export function proxyFor({ origin, env, warn }: Pick<TransportOptions, 'origin' | 'env' | 'warn'>): ProxySettings | undefined {
  const upper = origin.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const lower = upper.toLowerCase();
  const variable = env[lower] === undefined ? upper : lower;
  const url = env[variable];
  const noProxy = env.no_proxy || env.NO_PROXY || '';
  if (!url || noProxy.trim() === '*' || isLocalName(origin.hostname)) return undefined;
  if (!isProxyAddress(url)) {
    throw new UsageError(`${variable} is not the URL of an HTTP proxy`, {
      hint: `${variable}=http://proxy.example:3128, or unset it; in a user name or password, write % as %25`,
    });
  }
  if (/\/\d+(?=[\s,]|$)/.test(noProxy)) warn('NO_PROXY: address ranges such as 10.0.0.0/8 are not supported; use host names');
  return { variable, url, noProxy };
}

function isProxyAddress(value: string): boolean {
  try {
    const { protocol, username, password } = new URL(value);
    // undici sends them decoded; text that cannot be decoded throws.
    return /^https?:$/.test(protocol) && decodeURIComponent(`${username}:${password}`) !== '';
  } catch {
    return false;
  }
}
