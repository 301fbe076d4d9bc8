import { messageOf, UsageError } from '../../base/errors.ts';
import type { System } from '../../base/system.ts';
import type { Invocation } from '../../cli/invocation.ts';
import type { Edition } from '../../contract/editions.ts';
import { parseUrl } from '../../contract/web-address.ts';
import { givenEdition } from '../../profiles/given-set.ts';
import { sandboxEdition } from '../../profiles/resolved-credentials.ts';
import { type Network, parseNetwork } from '../../service/client-address.ts';
import { normalizeDomain, splitPort } from '../../service/hosts.ts';
import { defaultPort } from '../../service/service.ts';
import type { ServiceLimits, ServiceOptions } from '../../service/service-options.ts';

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

type SameOptions =
  | 'host'
  | 'port'
  | 'data'
  | 'publicUrl'
  | 'redirectCode'
  | 'metricsPort'
  | 'metricsHost'
  | 'visitorDays'
  | 'notFoundUrl';

export interface ServeOptions extends Partial<ServiceLimits>, Pick<ServiceOptions, SameOptions> {
  readonly store?: string;
  readonly import?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly allowOrigin?: readonly string[];
  readonly trustedProxy?: readonly string[];
  readonly accessLog?: string;
  readonly drain?: number;
  readonly backup?: string;
}

export const defaultVisitorDays = 90;

/** Throws `UsageError`. */
export function settingsOf(options: ServeOptions, invocation: Invocation): Omit<ServiceOptions, 'username' | 'data' | 'apiKey'> {
  const { system, global } = invocation;
  const edition = servedEdition(options, global, system);
  const publicUrl = options.publicUrl === undefined ? undefined : originOf('--public-url', options.publicUrl);
  // The public domain is the default one.
  const domains = differentDomains([...(publicUrl ? [publicUrl.host] : []), ...(global.domain ?? [])]);
  if (edition === 'b' && domains.length > 1) {
    throw new UsageError(`${publicUrl ? '--public-url and --domain' : '--domain'}: edition B has one domain`);
  }
  if (options.metricsHost !== undefined && options.metricsPort === undefined) {
    throw new UsageError('--metrics-host requires --metrics-port');
  }
  const useHttps = publicUrl && publicUrl.protocol === 'https:';
  return {
    edition,
    host: options.host ?? '127.0.0.1',
    port: portOf('--port', options.port) ?? defaultPort,
    metricsPort: portOf('--metrics-port', options.metricsPort),
    metricsHost: options.metricsHost,
    visitorDays: options.visitorDays ?? defaultVisitorDays,
    notFoundUrl: options.notFoundUrl === undefined ? undefined : pageOf(options.notFoundUrl),
    // Stored, so that a process without `--public-url` prints the same scheme.
    domains: domains.map((name) => ({ name, useHttps })),
    linksPort: 'own',
    publicUrl: publicUrl?.origin,
    redirectCode: options.redirectCode,
    allowedOrigins: options.allowOrigin?.map((text) => originOf('--allow-origin', text).origin),
    trustedProxies: options.trustedProxy?.map(networkOf),
    limits: options,
    redirects: true,
    now: system.now,
    random: (size) => system.randomBytes(size),
    store: databaseOf(options, system),
    onFailure: failureReporter(invocation),
  };
}

/** Milliseconds for which an equal failure is not reported again. */
const failureInterval = 60_000;

/** A service runs for months, and a failure that comes back must be seen in its log. */
function failureReporter({ system, streams }: Invocation): (error: unknown) => void {
  const reported = new Map<string, number>();
  return (error) => {
    const text = messageOf(error);
    const now = system.elapsed();
    for (const [known, at] of reported) if (now - at >= failureInterval) reported.delete(known);
    if (reported.has(text)) return;
    reported.set(text, now);
    void streams.message(`a request failed: ${text}`, 'warning: ');
  };
}

/** Names of one domain may differ in case, script and port. Throws `UsageError`. */
function differentDomains(typed: readonly string[]): readonly string[] {
  const names = new Map<string, string>();
  for (const domain of typed) {
    const normalized = normalizeDomain(domain);
    if (normalized === undefined) throw new UsageError(`--domain: ${JSON.stringify(domain)} is not a domain name`);
    const { name } = splitPort(normalized);
    if (!names.has(name)) names.set(name, domain);
  }
  return [...names.values()];
}

/** The sandbox has its own edition; a profile has no influence on other data. */
export function servedEdition({ data, store }: ServeOptions, global: Invocation['global'], system: System): Edition {
  const isOfSandbox = data === undefined && store === undefined && !system.env.LINKCTL_STORE;
  return isOfSandbox ? sandboxEdition(global, system) : (givenEdition(global, system.env)?.value ?? 'a');
}

/** Throws `UsageError` without the address, which may contain a password. */
function databaseOf({ store, import: importFrom }: ServeOptions, { env }: System): ServiceOptions['store'] {
  const url = store ?? (env.LINKCTL_STORE || undefined);
  if (url === undefined && importFrom !== undefined) throw new UsageError('--import requires --store');
  if (url === undefined) return undefined;
  if (!/^postgres(ql)?:\/\//.test(url)) {
    throw new UsageError(
      `${store === undefined ? 'LINKCTL_STORE' : '--store'}: expected an address that begins with postgresql://`,
    );
  }
  return { url, environment: env, importFrom };
}

/** Throws `UsageError`. */
export function certificateFiles({ tlsCert: cert, tlsKey: key }: ServeOptions): CertificateFiles | undefined {
  if (cert !== undefined && key === undefined) throw new UsageError('--tls-cert requires --tls-key');
  if (key !== undefined && cert === undefined) throw new UsageError('--tls-key requires --tls-cert');
  return cert !== undefined && key !== undefined ? { cert, key } : undefined;
}

function pageOf(text: string): string {
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--not-found-url: expected a URL such as https://www.example.com/sorry, got ${JSON.stringify(text)}`);
  }
  return url.href;
}

/** Accepts only scheme, host and port. */
function originOf(flag: string, text: string): URL {
  const url = parseUrl(text);
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` && !/[?#]/.test(text);
  if (!isOrigin)
    throw new UsageError(`${flag}: expected a URL without a path, such as https://s.ex, got ${JSON.stringify(text)}`);
  return url;
}

function networkOf(text: string): Network {
  const network = parseNetwork(text);
  if (!network) {
    throw new UsageError(`--trusted-proxy: expected an address or network such as 10.0.0.0/8, got ${JSON.stringify(text)}`);
  }
  return network;
}

function portOf(flag: string, port: number | undefined): number | undefined {
  if (port === undefined || port <= 65_535) return port;
  throw new UsageError(`${flag}: expected a number of up to 65535, got "${port}"`);
}
